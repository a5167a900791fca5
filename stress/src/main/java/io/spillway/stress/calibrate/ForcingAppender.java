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
 * An appender that forces each line to the disk, as one that is to lose nothing may do, under the
 * lock of its base class: who waits for that has no frame of this class on his stack. It writes to
 * a file of its own, and does so once the warm-up is over.
 */
public final class ForcingAppender extends AppenderBase<ILoggingEvent> {
  private static final double SECOND = 1e9;

  private FileChannel channel; // guarded by this, as all below
  private long events;
  private long times;
  private long hurtNanos;
  private long fromEvent;
  private String file;
  private String report;

  /** How many events of application threads it leaves alone before. */
  public void setFromEvent(long events) {
    fromEvent = events;
  }

  /** The file that it writes. */
  public void setFile(String name) {
    file = name;
  }

  /** The file that gets the amounts at the end. */
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
