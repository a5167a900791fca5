package io.spillway.survival;

import ch.qos.logback.classic.Logger;
import io.spillway.testkit.Configured;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** Logs without threads to be had, or on a processor that comes and goes. */
public final class WatchdogChild {
  private static final String ROLLING =
      "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>"
          + "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d.%i.log.gz</fileNamePattern>"
          + "<maxFileSize>1GB</maxFileSize></rollingPolicy>";

  private static final long STACK_BYTES = 64L << 20; // -XX:ThreadStackSize

  private WatchdogChild() {}

  public static void main(String[] arguments) throws Exception {
    Path spill = Path.of(arguments[1]);
    if (arguments[0].equals("THREADS")) {
      withoutThreads(spill, Integer.parseInt(arguments[2]));
    } else if (arguments[0].equals("EXIT")) {
      exitWithoutThreads(spill, Boolean.parseBoolean(arguments[2]));
    } else if (arguments[0].equals("LATE")) {
      stopWithoutThreads(spill, Boolean.parseBoolean(arguments[2]));
    } else if (arguments[0].equals("STOP")) {
      stopWhatNeverHadThreads(spill, Boolean.parseBoolean(arguments[2]));
    } else if (arguments[0].equals("NEXT")) {
      deliverLeftovers(spill);
    } else {
      stutter(spill);
    }
  }

  private static void deliverLeftovers(Path spill) {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(spill, nested).start()) {
      rig.awaitDelivered();
      rig.logger.info("comes behind them");
      rig.awaitDelivered();
      System.out.println("delivered " + (nested.messages().size() - 1));
    }
  }

  /** Its hooks cannot be started; the sink of one appender is stuck, another has a compressor. */
  private static void exitWithoutThreads(Path spill, boolean arguments) throws Exception {
    Limit limit = new Limit();
    new Configured(Configured.SPILLWAY, spill.resolveSibling("own"), ROLLING)
        .logAndAwait("has a compressor");
    GatedAppender nested = new GatedAppender();
    Rig rig = new Rig(spill, nested);
    rig.appender.setMaxFlushTime("100 milliseconds");
    rig.start();
    nested.shut();
    for (int i = 0; i < WatchdogTest.EVENTS; i++) {
      rig.logger.info("number {}", arguments ? new Logs(rig.logger) : i);
    }
    limit.leave(STACK_BYTES / 2);
    System.out.println("threads " + takeAllThreads().size());
    System.exit(0);
  }

  /** After the exit hook, while a log call is stuck in the sink. */
  private static void stopWithoutThreads(Path spill, boolean comeBack) throws Exception {
    Limit limit = new Limit();
    GatedAppender nested = new GatedAppender();
    Rig rig = new Rig(spill, nested);
    rig.appender.setMaxFlushTime("100 milliseconds");
    rig.start();
    rig.logger.info("loads classes {}", 1);
    rig.awaitDelivered();
    ExitHooks.of(rig.appender).run();
    rig.logger.info("delivers itself");
    awaitNoThreads();
    nested.shut();
    Thread call = new Thread(() -> rig.logger.info("in the sink"));
    call.setDaemon(true);
    call.start();
    rig.await("in the sink", nested::isHoldingOne);
    Thread main = Thread.currentThread();
    Thread release =
        new Thread(
            () -> {
              while (!comeBack || !isInStop(main)) {
                LockSupport.parkNanos(1_000_000L);
              }
              limit.lift();
              nested.open();
            });
    release.setDaemon(true);
    release.start();
    limit.leave(STACK_BYTES / 2);
    System.out.println("threads " + takeAllThreads().size());

    rig.appender.stop();

    System.out.println("started " + nested.isStarted());
    limit.lift();
    rig.await(
        "told", () -> comeBack || rig.statuses().stream().anyMatch(s -> s.contains("no thread")));
    Runtime.getRuntime().halt(0);
  }

  /** The drainer's own thread has never been there; it comes while the stop waits, or never. */
  private static void stopWhatNeverHadThreads(Path spill, boolean comeBack) throws Exception {
    Limit limit = new Limit();
    try (Rig first = new Rig(spill.resolve("first"), new GatedAppender()).start()) {
      first.logger.info("loads classes {}", 1);
      first.awaitDelivered();
    }
    awaitNoThreads();
    Rig rig = new Rig(spill.resolve("second"), new GatedAppender());
    Thread main = Thread.currentThread();
    Thread release =
        new Thread(
            () -> {
              while (!comeBack || !isInStop(main)) {
                LockSupport.parkNanos(10_000_000L);
              }
              limit.lift();
            });
    release.setDaemon(true);
    release.start();
    limit.leave(STACK_BYTES / 2);
    System.out.println("threads " + takeAllThreads().size());
    rig.start();
    for (int i = 0; i < WatchdogTest.EVENTS; i++) {
      rig.logger.info("early {}", i);
    }

    rig.appender.stop();

    System.out.println("stopped " + rig.appender.getMetrics().getDelivered());
    limit.lift();
    ExitHooks.of(rig.appender).run(); // waits for what the stop has left
    System.out.println("delivered " + rig.appender.getMetrics().getDelivered());
    Runtime.getRuntime().halt(0);
  }

  private static boolean isInStop(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        && List.of(thread.getStackTrace()).toString().contains("SpillwayAppender.stop(");
  }

  private static void withoutThreads(Path spill, int threads) throws Exception {
    Limit limit = new Limit();
    try (Rig first = new Rig(spill.resolve("first"), new GatedAppender()).start()) {
      first.logger.info("loads classes {}", 1);
      first.awaitDelivered();
    }
    awaitNoThreads();
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(spill.resolve("second"), nested)) {
      rig.appender.setSpillMode("ALWAYS");
      limit.leave(4 * STACK_BYTES + STACK_BYTES / 2);
      List<Thread> others = takeAllThreads();
      for (Thread other : others.subList(0, threads)) {
        other.interrupt();
        other.join();
      }
      rig.start();
      for (int i = 0; i < 100; i++) {
        rig.logger.info("early {}", i);
      }
      System.out.println("logged " + rig.appender.getMetrics().getAccepted());
      System.out.println("health " + rig.appender.health().status());
      long start = System.nanoTime();
      long before = rig.appender.getMetrics().getWorkerFailures();
      for (int i = 0; i < 20_000; i++) {
        rig.appender.health();
      }
      System.out.println("ms " + (System.nanoTime() - start) / 1_000_000);
      System.out.println("counted " + (rig.appender.getMetrics().getWorkerFailures() - before));
      limit.lift();
      rig.logger.info("one call, with room in the ring");
      rig.awaitDelivered();
      rig.logger.info("{}", new Hanging());
      for (int i = 0; i < 20_000; i++) {
        rig.logger.info("late {}", i);
      }
      rig.awaitDelivered();
      System.out.println("delivered " + nested.messages().size());
      System.exit(0); // one thread hangs
    }
  }

  /** Logs when it is printed again: first it is for the message. */
  private static final class Logs {
    private final Logger logger;
    private final AtomicBoolean printed = new AtomicBoolean();

    Logs(Logger logger) {
      this.logger = logger;
    }

    @Override
    public String toString() {
      if (printed.getAndSet(true)) {
        logger.info("logged by an argument");
      }
      return "an argument that logs";
    }
  }

  /** For ever, when a worker prints it. */
  private static final class Hanging {
    @Override
    public String toString() {
      while (Thread.currentThread().getName().startsWith("spillway-")) {
        LockSupport.parkNanos(1_000_000_000L);
      }
      return "argument";
    }
  }

  private static void awaitNoThreads() {
    while (Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("spillway-"))) {
      LockSupport.parkNanos(10_000_000L);
    }
  }

  private static List<Thread> takeAllThreads() {
    List<Thread> threads = new ArrayList<>();
    while (true) {
      Thread thread = new Thread(WatchdogChild::sleep);
      thread.setDaemon(true);
      try {
        thread.start();
      } catch (OutOfMemoryError none) {
        return threads;
      }
      threads.add(thread);
    }
  }

  private static void sleep() {
    try {
      Thread.sleep(Long.MAX_VALUE);
    } catch (InterruptedException released) {
      Thread.currentThread().interrupt();
    }
  }

  /** Of this JVM's address space, set by a process that is there before memory is short. */
  private static final class Limit {
    private static final String SET =
        "while read bytes; do prlimit --pid %d --as=$bytes:unlimited || exit; echo set; done";

    private final BufferedReader reader;
    private final Writer writer;

    Limit() throws IOException {
      Process process =
          new ProcessBuilder("sh", "-c", String.format(SET, ProcessHandle.current().pid()))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      reader = process.inputReader();
      writer = process.outputWriter();
    }

    /** Not before the JVM has stopped growing: beyond the limit it would die of its next page. */
    void leave(long bytes) throws IOException {
      long size;
      do {
        size = addressSpace();
        LockSupport.parkNanos(50_000_000);
      } while (addressSpace() > size);
      set(String.valueOf(size + bytes));
    }

    void lift() {
      try {
        set("unlimited");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private synchronized void set(String bytes) throws IOException {
      writer.write(bytes + "\n");
      writer.flush();
      if (!"set".equals(reader.readLine())) {
        throw new IOException("prlimit (Debian: util-linux) has not set the limit");
      }
    }

    private static long addressSpace() throws IOException {
      String pages = Files.readString(Path.of("/proc/self/statm")).split(" ")[0];
      return Long.parseLong(pages) * 4096;
    }
  }

  /** Needs three tenths of a second of a processor when a worker prints it. */
  private static final class Busy {
    @Override
    public String toString() {
      if (Thread.currentThread().getName().startsWith("spillway-")) {
        System.out.println("encoding");
        long start = cpuNanos();
        while (cpuNanos() - start < 300_000_000L) {
          Thread.onSpinWait();
        }
      }
      return "busy";
    }

    private static long cpuNanos() {
      return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
  }

  private static void stutter(Path spill) {
    try (Rig rig = new Rig(spill, new GatedAppender())) {
      rig.appender.setSpillMode("ALWAYS");
      rig.start();
      rig.logger.info("{}", new Busy());
      for (int i = 0; i < 100; i++) {
        rig.logger.info("behind {}", i);
      }
      rig.awaitDelivered();
      System.out.println("failures " + rig.appender.getMetrics().getWorkerFailures());
    }
  }
}
