package io.spillway.internal.sink;

import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.metrics.Reports;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;

/**
 * The {@link LogFile} as Logback's appender classes see it: they write headers and footers through
 * it. It never throws, because Logback would stop the appender for good.
 */
public final class LogFileStream extends OutputStream {
  private final LogFile file;
  private final Reports reports;

  /**
   * A view of the file.
   *
   * @param file closed with this stream
   * @param reports told of failures
   */
  public LogFileStream(LogFile file, Reports reports) {
    this.file = file;
    this.reports = reports;
  }

  @Override
  public void write(int b) {
    write(new byte[] {(byte) b});
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    write(Arrays.copyOfRange(bytes, offset, offset + length));
  }

  @Override
  public void write(byte[] bytes) {
    try {
      file.write(bytes);
    } catch (IOException e) {
      reports.error(
          "header",
          "Cannot write the encoder's header or footer to file ["
              + file.file()
              + "]; no event is concerned. To do: "
              + StorageFailures.remedy(e)
              + ".",
          e);
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
