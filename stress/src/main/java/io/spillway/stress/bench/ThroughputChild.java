package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;

/**
 * Logs flat out through one configuration and prints how long it took, to the last byte in the
 * file, as {@code nanos=...}. Runs in a JVM of its own.
 */
public final class ThroughputChild {
  private ThroughputChild() {}

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
