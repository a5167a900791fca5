package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;

/** Throughput beside the peers: flat out, lossless, end to end. */
final class ThroughputBench {

  private final BenchJvm jvm;
  private final int repeat;
  private final int events;
  private final Log4j2Peer log4j2 = Log4j2Peer.find();

  ThroughputBench(BenchJvm jvm, int repeat, int events) {
    this.jvm = jvm;
    this.repeat = repeat;
    this.events = events;
  }

  void run(int count) throws IOException, InterruptedException {
    Measurement perSecond = new Measurement();
    int each = events / count;
    int warmUp = events / 2;
    String[] load = {String.valueOf(count), String.valueOf(each), String.valueOf(warmUp)};
    for (int run = 0; run < repeat; run++) {
      for (String kind : BenchJvm.LOGBACK_KINDS) {
        record(
            perSecond,
            kind,
            count * each,
            warmUp,
            jvm.run(BenchJvm.OWN_CLASS_PATH, Child.class.getName(), kind, load));
      }
      if (log4j2 != null) {
        record(
            perSecond,
            "log4j2-async",
            count * each,
            warmUp,
            jvm.run(log4j2.classPath(), Log4j2Peer.MAIN, null, load));
      }
    }
    System.out.printf("Throughput, %d producers, lossless, end to end:%n", count);
    System.out.print(perSecond.table("M events/s", 1e6));
    List<String> peers = new ArrayList<>(List.of("rolling-file", "async-8192"));
    if (log4j2 != null) {
      peers.add("log4j2-async");
    }
    System.out.print(perSecond.ratio("spillway-file / best peer", "spillway-file", peers));
  }

  private static void record(
      Measurement perSecond, String kind, int sent, int warmUp, BenchJvm.Figures figures) {
    if (figures.lines() != sent + (long) warmUp) {
      System.out.printf("  %s lost events: %d lines of %d%n", kind, figures.lines(), sent + warmUp);
    }
    perSecond.add(kind, sent * 1e9 / figures.get("nanos"));
  }

  /**
   * Logs flat out through one configuration and prints how long it took, to the last byte in the
   * file, as {@code nanos=...}. Runs in a JVM of its own.
   */
  public static final class Child {
    private Child() {}

    /**
     * Runs once.
     *
     * @param args configuration, directory, producers, events for each producer, warm-up events
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      LoggerContext context = Configurations.load(args[0], Path.of(args[1]));
      Logger logger = context.getLogger("io.spillway.stress.bench.Service");
      int producers = Integer.parseInt(args[2]);
      int events = Integer.parseInt(args[3]);
      int warmUp = Integer.parseInt(args[4]);
      for (int i = 0; i < warmUp; i++) {
        log(logger, i);
      }
      Thread.sleep(2_000); // what the warm-up left in queues and compilers is not measured
      CountDownLatch go = new CountDownLatch(1);
      Thread[] threads = new Thread[producers];
      for (int p = 0; p < producers; p++) {
        threads[p] = new Thread(() -> produce(logger, go, events), "producer-" + p);
        threads[p].start();
      }
      long start = System.nanoTime();
      go.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      context.stop();
      System.out.println("nanos=" + (System.nanoTime() - start));
    }

    private static void produce(Logger logger, CountDownLatch go, int events) {
      try {
        go.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      for (int i = 0; i < events; i++) {
        log(logger, i);
      }
    }

    private static void log(Logger logger, int i) {
      logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", i);
    }
  }

  /**
   * The module that runs Log4j2 with Disruptor 3, as built beside this one.
   *
   * @param target its build directory
   */
  private record Log4j2Peer(Path target) {
    static final String MAIN = "io.spillway.stress.peer.Log4j2Throughput";

    /** Null if it is not built: then Log4j2 is left out of the comparison. */
    static Log4j2Peer find() {
      String first = System.getProperty("java.class.path").split(File.pathSeparator)[0];
      Path ownTarget = Path.of(first).toAbsolutePath().getParent();
      Path target = ownTarget.resolve("../../stress/log4j2-peer/target").normalize();
      return Files.isDirectory(target.resolve("lib")) ? new Log4j2Peer(target) : null;
    }

    String classPath() {
      return target.resolve("classes") + File.pathSeparator + target.resolve("lib") + "/*";
    }
  }
}
