package io.spillway.survival;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Subject;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Measures what stays in the heap when it is no longer needed. */
public final class RetainedChild {
  private static final int WARM_UP = 2_000;
  private static final int FIRST_RESTARTS = 5;
  private static final long STEADY_BYTES = 4_096;
  private static final long PATIENCE_NANOS = 5_000_000_000L;

  private RetainedChild() {}

  public static void main(String[] arguments) throws Exception {
    Subject.Kind kind = Subject.Kind.valueOf(arguments[0]);
    Path directory = Path.of(arguments[1]);
    int number = Integer.parseInt(arguments[3]);
    switch (arguments[2]) {
      case "RESTARTS" -> restarts(kind, directory, number);
      default -> huge(kind, directory, arguments[2], number);
    }
    System.exit(0);
  }

  /** What one huge event leaves behind while nothing else is logged. */
  @SuppressWarnings("unchecked") // an appender of this kind is of these events
  private static void huge(Subject.Kind kind, Path directory, String mode, int bytes) {
    Subject subject = new Subject(kind, directory);
    if (mode.equals("ENCODED")) {
      setEncoder((SpillwayRollingFileAppender<ILoggingEvent>) subject.appender());
    } else {
      subject.settings().setSpillMode(mode);
    }
    subject.start();
    subject.log("0", 0, WARM_UP);
    subject.awaitDelivered();
    long before = used();
    subject.logger.info("x".repeat(bytes));
    subject.awaitDelivered();
    long limit = before + bytes / 20;
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    long after;
    while ((after = used()) > limit && deadline - System.nanoTime() > 0) {
      LockSupport.parkNanos(100_000_000L);
    }
    System.out.println("retained " + (after - before));
  }

  /** One that is asked event by event, because it is not Logback's own class. */
  private static void setEncoder(SpillwayRollingFileAppender<ILoggingEvent> appender) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder() {};
    encoder.setContext(appender.getContext());
    encoder.setPattern("%msg%n");
    encoder.start();
    appender.setEncoder(encoder);
  }

  /** Each with a sink that is stuck for good. */
  private static void restarts(Subject.Kind kind, Path directory, int restarts) throws Exception {
    for (int i = 0; i < FIRST_RESTARTS; i++) { // what the JVM itself keeps and lets go of
      stuck(kind, directory.resolve("first-" + i));
    }
    long before = used();
    for (int i = 0; i < restarts; i++) {
      stuck(kind, directory.resolve("restart-" + i));
    }
    long after = used();
    System.out.println("each " + (after - before) / restarts);
  }

  private static void stuck(Subject.Kind kind, Path directory) {
    directory.toFile().mkdirs();
    Subject subject = new Subject(kind, directory);
    subject.settings().setMaxFlushTime("50");
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, 1);
    while (!subject.gate.isHolding()) { // else up to 512 events would be in its hands
      LockSupport.parkNanos(100_000);
    }
    subject.log("0", 1, WARM_UP);
    subject.appender().stop();
  }

  /** Once it is the same twice: threads that end take a moment, and what they held. */
  private static long used() {
    long last;
    long used = Long.MAX_VALUE;
    do {
      last = used;
      LockSupport.parkNanos(100_000_000L);
      System.gc();
      used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    } while (Math.abs(last - used) > STEADY_BYTES);
    return used;
  }
}
