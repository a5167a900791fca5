package io.spillway.stress.peer;

import java.util.concurrent.CountDownLatch;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;

/**
 * Logs flat out through Log4j2's async loggers and prints how long it took, to the last byte in the
 * file, as {@code nanos=...}. Arguments: directory, producers, events for each, warm-up events.
 */
public final class Log4j2Throughput {
  private Log4j2Throughput() {}

  /**
   * Runs once.
   *
   * @param args directory, producers, events for each producer, warm-up events
   * @throws InterruptedException if interrupted
   */
  public static void main(String[] args) throws InterruptedException {
    System.setProperty("dir", args[0]);
    System.setProperty(
        "log4j2.contextSelector", "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector");
    System.setProperty("log4j2.configurationFile", "log4j2-bench.xml");
    Logger logger = LogManager.getLogger("io.spillway.stress.bench.Service");
    int producers = Integer.parseInt(args[1]);
    int events = Integer.parseInt(args[2]);
    int warmUp = Integer.parseInt(args[3]);
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
    LogManager.shutdown();
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
