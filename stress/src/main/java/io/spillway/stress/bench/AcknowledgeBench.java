package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.spillway.metrics.MonitoredAppender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;

/**
 * Compares log calls that return once their event is written, or forced to the disk, with
 * synchronous appenders that do the same. The figure is calls a second; each thread makes its next
 * call as soon as its last one returns.
 */
final class AcknowledgeBench {
  private static final int SECONDS = 4;

  private final BenchJvm jvm;
  private final int repeat;

  AcknowledgeBench(BenchJvm jvm, int repeat) {
    this.jvm = jvm;
    this.repeat = repeat;
  }

  void run(int threads) throws IOException, InterruptedException {
    compare("written", threads, "spillway-written", "rolling-file-flushed");
    compare("synced", threads, "spillway-synced", "file-synced-locked", "file-synced");
  }

  private void compare(String what, int threads, String own, String... peers)
      throws IOException, InterruptedException {
    Measurement perSecond = new Measurement();
    List<String> kinds = new ArrayList<>(List.of(peers));
    kinds.add(own);
    for (int run = 0; run < repeat; run++) {
      for (String kind : kinds) {
        BenchJvm.Figures figures = jvm.run(Child.class, kind, String.valueOf(threads));
        if (figures.get("missed") > 0) {
          System.out.printf("  %s: %.0f calls not acknowledged%n", kind, figures.get("missed"));
        }
        perSecond.add(kind, figures.get("calls") * 1e9 / figures.get("nanos"));
      }
    }
    System.out.printf("Log calls that return when they are %s, %d threads:%n", what, threads);
    System.out.print(perSecond.table("thousand calls/s", 1e3));
    for (String peer : peers) {
      System.out.print(perSecond.ratio(own + " / " + peer, own, List.of(peer)));
    }
  }

  /** Logs at full speed through one configuration; prints how many calls returned in what time. */
  public static final class Child {
    private Child() {}

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory, threads
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      LoggerContext context = Configurations.load(args[0], Path.of(args[1]));
      Logger logger = context.getLogger("io.spillway.stress.bench.Service");
      LongAdder calls = new LongAdder();
      for (int thread = 0; thread < Integer.parseInt(args[2]); thread++) {
        Thread producer = new Thread(() -> log(logger, calls), "producer-" + thread);
        producer.setDaemon(true);
        producer.start();
      }
      TimeUnit.SECONDS.sleep(SECONDS / 2); // warm-up: the JIT compiles the log call
      long start = System.nanoTime();
      long before = calls.sum();
      TimeUnit.SECONDS.sleep(SECONDS);
      long made = calls.sum() - before;
      long nanos = System.nanoTime() - start;
      Appender<ILoggingEvent> appender =
          context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("FILE");
      long missed =
          appender instanceof MonitoredAppender own ? own.getMetrics().getUnacknowledgedCalls() : 0;
      System.out.println("calls=" + made + " nanos=" + nanos + " missed=" + missed);
      System.out.flush();
      Runtime.getRuntime().halt(0); // delivery of the rest of the spill is not measured
    }

    private static void log(Logger logger, LongAdder calls) {
      for (int i = 0; ; i++) {
        logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", i);
        calls.increment();
      }
    }
  }
}
