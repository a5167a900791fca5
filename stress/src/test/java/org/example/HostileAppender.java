package org.example;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** One that harms the JVM that it runs in, in a way that is its setting. */
public final class HostileAppender extends RollingFileAppender<ILoggingEvent> {

  /** Of the process that it starts; nobody else sleeps for so long. */
  public static final String SLEEP_SECONDS = "986421";

  /** More than a look at the configuration logs, and less than a trial does. */
  private static final int LATER = 1_000;

  private final AtomicInteger events = new AtomicInteger();
  private Way way;
  private volatile byte[] taken;

  /** What it does. */
  public enum Way {
    /** Ends the JVM, as if all were well, when it starts. */
    END,
    /** The same, in the middle of the load. */
    END_LATER,
    /** The same, without a word to anybody. */
    HALT_LATER,
    /** Takes more memory than there is, in the middle of the load. */
    TAKE_MEMORY_LATER,
    /** Fills the disk and ends the JVM, in the middle of the load. */
    FILL_DISK_LATER,
    /** Interrupts whoever logs, now and then. */
    INTERRUPT,
    /** Never comes back from the hook that it has added for the end of the JVM. */
    HANG_IN_HOOK,
    /** Needs a class that is not there. */
    INCOMPLETE,
    /** Was made for another Logback. */
    OUTDATED,
    /** Starts another process, and leaves it. */
    START_PROCESS,
    /** Throws what nobody catches. */
    THROW
  }

  /** Sets what it does. */
  public void setWay(Way way) {
    this.way = way;
  }

  @Override
  public void start() {
    switch (way) {
      case END -> System.exit(0);
      case INCOMPLETE -> throw new NoClassDefFoundError("org/example/Client");
      case OUTDATED -> throw new NoSuchFieldError("tbrp");
      case HANG_IN_HOOK -> {
        Runtime.getRuntime().addShutdownHook(new Thread(HostileAppender::hang));
        super.start();
      }
      case START_PROCESS -> {
        sleep();
        super.start();
      }
      case THROW -> throw new Error("too much for this appender");
      default -> super.start();
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    int number = events.incrementAndGet();
    if (way == Way.INTERRUPT) {
      interrupt(number);
    } else if (number == LATER) {
      later();
    }
    super.append(event);
  }

  private static void interrupt(int number) {
    if (number % (LATER / 10) == 0) {
      Thread.currentThread().interrupt();
    }
  }

  private static void sleep() {
    try {
      new ProcessBuilder("sleep", SLEEP_SECONDS).start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void hang() {
    while (true) {
      LockSupport.park();
    }
  }

  private void later() {
    if (way == Way.END_LATER) {
      System.exit(0);
    } else if (way == Way.HALT_LATER) {
      Runtime.getRuntime().halt(3); // as a JVM without memory does
    } else if (way == Way.TAKE_MEMORY_LATER) {
      taken = new byte[Integer.MAX_VALUE - 8];
    } else if (way == Way.FILL_DISK_LATER) {
      fill(Path.of(getFile()).resolveSibling("filled"));
      Runtime.getRuntime().halt(1);
    }
  }

  private static void fill(Path file) {
    byte[] block = new byte[1 << 12];
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      return; // that was to be
    }
  }
}
