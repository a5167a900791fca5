package io.spillway.stress.calibrate;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Forces each line to the disk under the lock of its base class, as an appender that must not lose
 * an event may do. A thread that waits for that lock has no frame of this class on its stack. The
 * appender writes to a separate file, and begins after the warm-up.
 */
public final class ForcingAppender extends AppenderBase<ILoggingEvent> {
  private static final double SECOND = 1e9;

  private FileChannel channel; // guarded by this, as are the fields below
  private long events;
  private long times;
  private long hurtNanos;
  private long fromEvent;
  private String file;
  private String report;

  /** Sets how many application events, those of the warm-up, are not written. Default: 0. */
  public void setFromEvent(long events) {
    fromEvent = events;
  }

  /** Sets the file to which lines are written and forced. */
  public void setFile(String name) {
    file = name;
  }

  /** Sets the file to which the amounts are written at the end. */
  public void setReport(String name) {
    report = name;
  }

  @Override
  public void start() {
    try {
      channel =
          FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      addError("cannot open " + file, e);
      return;
    }
    super.start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (!event.getThreadName().startsWith("app-") || events++ < fromEvent) {
      return;
    }
    try {
      String line = event.getFormattedMessage() + "\n";
      channel.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
      long start = System.nanoTime();
      channel.force(false);
      hurtNanos += System.nanoTime() - start;
      times++;
    } catch (IOException e) {
      addError("cannot write " + file, e);
    }
  }

  @Override
  public synchronized void stop() {
    if (!isStarted()) {
      return;
    }
    super.stop();
    try {
      channel.close();
      Hurt.write(Path.of(report), times, hurtNanos / SECOND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
