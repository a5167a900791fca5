package io.spillway.stress.verify;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Makes log lines as a trial does, for tests to damage. */
final class TrialLog {

  private final StringBuilder text = new StringBuilder();

  static String line(int thread, long sequence) {
    String body = LogLine.text(thread, sequence);
    return String.format(
        "2026-01-31 12:00:00,000 [app-%03d] INFO  %s - event %d %d %s #%s%n",
        thread, LogLine.LOGGER, thread, sequence, body, LogLine.checksum(thread, sequence, body));
  }

  TrialLog event(int thread, long sequence) {
    text.append(line(thread, sequence));
    return this;
  }

  TrialLog raw(String any) {
    text.append(any);
    return this;
  }

  Path write(Path file) throws IOException {
    return Files.writeString(file, text);
  }

  Path writeGzip(Path file) throws IOException {
    return Files.write(file, gzip());
  }

  byte[] gzip() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.toString().getBytes(StandardCharsets.US_ASCII));
    }
    return bytes.toByteArray();
  }
}
