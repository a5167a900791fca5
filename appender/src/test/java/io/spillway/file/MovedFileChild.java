package io.spillway.file;

import io.spillway.internal.sink.LogFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A rollover, with what is written before it forced, or not. */
final class MovedFileChild {
  private MovedFileChild() {}

  public static void main(String[] arguments) throws IOException {
    Path log = Path.of(arguments[0]);
    LogFile file = new LogFile();
    file.forcedOnClose(true);
    file.open(log.toFile());
    file.write("one\n".getBytes(StandardCharsets.US_ASCII));
    if (Boolean.parseBoolean(arguments[1])) {
      file.force();
    }
    file.close();
    Files.move(log, Path.of(log + ".1"));
    file.write("two\n".getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < 3; i++) {
      try {
        file.force();
        System.out.println("forced");
      } catch (IOException e) {
        System.out.println("failed");
      }
    }
  }
}
