package io.spillway.survival;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Subject;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.concurrent.Executor;
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
      case "LOADERS" -> loaders(directory);
      case "STOPPED_OVERFLOW", "STOPPED_ALWAYS" ->
          stopped(kind, directory, arguments[2].substring("STOPPED_".length()), number);
      case "FULL" -> full(kind, directory, number);
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
    reportRetained(before, bytes);
  }

  /**
   * What is left of one that the sink had in its hands at a stop. The status manager of a context
   * holds appenders that are stopped.
   */
  private static void stopped(Subject.Kind kind, Path directory, String mode, int bytes) {
    Subject subject = new Subject(kind, directory);
    subject.settings().setSpillMode(mode);
    subject.settings().setMaxFlushTime("50");
    subject.start();
    subject.log("0", 0, WARM_UP);
    subject.awaitDelivered();
    long before = used();
    subject.gate.shut();
    subject.logger.info("x".repeat(bytes));
    while (!subject.gate.isHolding()) {
      LockSupport.parkNanos(100_000);
    }
    subject.appender().stop();
    subject.gate.open();
    reportRetained(before, bytes);
    Reference.reachabilityFence(subject.appender());
  }

  /** What is left of one that found the spill full at first. */
  private static void full(Subject.Kind kind, Path directory, int bytes) {
    Subject subject = new Subject(kind, directory);
    subject.settings().setSpillMode("ALWAYS");
    subject.settings().setWhenFull("DROP_OLDEST");
    subject.settings().setMaxSpillSize("1 MB");
    subject.start();
    subject.log("0", 0, WARM_UP);
    subject.awaitDelivered();
    long before = used();
    subject.gate.shut();
    subject.log("1", 0, 1);
    while (!subject.gate.isHolding()) {
      LockSupport.parkNanos(100_000);
    }
    subject.logger.info("x".repeat(bytes));
    while (subject.context().getStatusManager().getCopyOfStatusList().stream()
        .noneMatch(status -> status.getMessage().contains("has reached maxSpillSize"))) {
      LockSupport.parkNanos(100_000);
    }
    subject.gate.open();
    subject.awaitDelivered();
    reportRetained(before, bytes);
    Reference.reachabilityFence(subject.appender());
  }

  private static void reportRetained(long before, int bytes) {
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

  /** An application begins one appender, and ends; another goes on. */
  private static void loaders(Path directory) throws Exception {
    Configured[] first = new Configured[1];
    WeakReference<ClassLoader> loader =
        inAnApplication(() -> first[0] = started(directory.resolve("first")));
    try (Configured second = started(directory.resolve("second"))) {
      first[0].logger.info("line");
      first[0].awaitDelivered();
      first[0].close();
      first[0] = null;
      long deadline = System.nanoTime() + 2 * PATIENCE_NANOS; // a thread that tells lives on
      while (loader.get() != null && deadline - System.nanoTime() > 0) {
        System.gc();
        LockSupport.parkNanos(100_000_000L);
      }
      second.awaitDelivered();
      System.out.println("loaders " + (loader.get() == null ? 0 : 1));
    }
  }

  private static Configured started(Path logs) {
    logs.toFile().mkdirs();
    return new Configured(
        Configured.SPILLWAY,
        logs,
        "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>"
            + "<rollingPolicy class='io.spillway.rolling.TimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%d.log.gz</fileNamePattern></rollingPolicy>");
  }

  private static WeakReference<ClassLoader> inAnApplication(Runnable start) throws Exception {
    ClassLoader loader = new ApplicationLoader();
    Class<?> application = loader.loadClass(Application.class.getName());
    ((Executor) application.getConstructor().newInstance()).execute(start);
    return new WeakReference<>(loader);
  }

  /** What calls. */
  public static final class Application implements Executor {
    @Override
    public void execute(Runnable what) {
      what.run();
    }
  }

  /** Has a class of its own, and all others from its parent. */
  private static final class ApplicationLoader extends ClassLoader {
    ApplicationLoader() {
      super(RetainedChild.class.getClassLoader());
    }

    @Override
    public Class<?> loadClass(String name) throws ClassNotFoundException {
      if (!name.equals(Application.class.getName())) {
        return super.loadClass(name);
      }
      String file = "/" + name.replace('.', '/') + ".class";
      try (InputStream in = RetainedChild.class.getResourceAsStream(file)) {
        byte[] bytes = in.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
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
