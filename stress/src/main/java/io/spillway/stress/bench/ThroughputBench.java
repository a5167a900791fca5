package io.spillway.stress.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.slf4j.Logger;

/**
 * Compares the throughput of Spillway with that of its peers: at full speed, lossless, from the
 * first call to the last byte in the file.
 */
final class ThroughputBench {
  /** The work of the application around its log call. */
  enum Caller {
    /** No other work; the log call has one argument. */
    LIGHT,
    /** Reads the clock, records a histogram, builds strings and logs five arguments. */
    BUSY
  }

  private final BenchJvm jvm;
  private final int repeat;
  private final int events;

  ThroughputBench(BenchJvm jvm, int repeat, int events) {
    this.jvm = jvm;
    this.repeat = repeat;
    this.events = events;
  }

  void run(int count, Caller caller) throws IOException, InterruptedException {
    Measurement perSecond = new Measurement();
    Measurement inFile = new Measurement();
    Measurement cpu = new Measurement();
    int each = events / count;
    long sent = (long) count * each;
    List<String> all = BenchJvm.all();
    for (int run = 0; run < repeat; run++) {
      for (String kind : all) {
        BenchJvm.Figures figures =
            jvm.run(Child.class, kind, String.valueOf(count), String.valueOf(each), caller.name());
        long logged = sent + (long) figures.get("warmUp");
        if (figures.lines() != logged) {
          System.out.printf("  %s lost events: %d lines of %d%n", kind, figures.lines(), logged);
        }
        perSecond.add(kind, sent * 1e9 / figures.get("nanos"));
        inFile.add(kind, figures.get("share") * sent * 1e9 / figures.get("loadNanos"));
        cpu.add(kind, figures.get("cpuNanos") / sent);
      }
    }
    String who = caller.name().toLowerCase(Locale.ROOT);
    System.out.printf("Throughput, %d producers, %s caller, lossless, end to end:%n", count, who);
    System.out.print(perSecond.table("M events/s", 1e6));
    List<String> peers = new ArrayList<>(all);
    peers.removeAll(BenchJvm.OWN);
    System.out.print(perSecond.ratio("spillway-file / best peer", "spillway-file", peers));
    System.out.println("In the file while the load runs:");
    System.out.print(inFile.table("M lines/s", 1e6));
    System.out.print(inFile.ratio("spillway / async-8192", "spillway", List.of("async-8192")));
    System.out.println("CPU of an event, all threads, the caller's own work included:");
    System.out.print(cpu.table("us", 1e3));
  }

  /**
   * Logs at full speed through one configuration. Prints the time until the last byte is in the
   * file, the time of the load, the share of its bytes that was in the file when the load ended,
   * the CPU time, and the number of warm-up events, as {@code nanos=... loadNanos=... share=...
   * cpuNanos=... warmUp=...}. Runs in a forked JVM.
   */
  public static final class Child {
    /** Time after which the JIT has compiled the log call with any measured number of producers. */
    private static final long WARM_UP_NANOS = 6_000_000_000L;

    private static final int WARM_UP_EVENTS = 1_000; // per check of the clock
    private static final long QUIET_MILLIS = 1_000;

    private Child() {}

    /**
     * Runs the measurement once.
     *
     * @param args configuration, directory, producers, events for each producer, caller
     * @throws Exception if the configuration is broken
     */
    public static void main(String[] args) throws Exception {
      Path directory = Path.of(args[1]);
      Path file = directory.resolve("app.log");
      Configurations.Logging logging = Configurations.open(args[0], directory);
      Logger logger = logging.logger();
      int producers = Integer.parseInt(args[2]);
      int events = Integer.parseInt(args[3]);
      boolean busy = Caller.valueOf(args[4]) == Caller.BUSY;
      AtomicLong warmUp = new AtomicLong();
      long warm = System.nanoTime() + WARM_UP_NANOS;
      together(
          producers,
          () -> {
            while (System.nanoTime() - warm < 0) {
              produce(logger, WARM_UP_EVENTS, busy);
              warmUp.addAndGet(WARM_UP_EVENTS);
            }
          });
      awaitQuiet(file); // what the warm-up left in queues and in the spill is not measured
      long before = Files.size(file);
      long cpu = ProcessCpu.nanos();
      long start = System.nanoTime();
      together(producers, () -> produce(logger, events, busy));
      long loadNanos = System.nanoTime() - start;
      long written = Files.size(file) - before;
      logging.stop().run();
      System.out.println(
          "nanos="
              + (System.nanoTime() - start)
              + " loadNanos="
              + loadNanos
              + " share="
              + (double) written / (Files.size(file) - before)
              + " cpuNanos="
              + (ProcessCpu.nanos() - cpu)
              + " warmUp="
              + warmUp);
    }

    private static void together(int producers, Runnable task) throws InterruptedException {
      CountDownLatch go = new CountDownLatch(1);
      Thread[] threads = new Thread[producers];
      for (int p = 0; p < producers; p++) {
        threads[p] =
            new Thread(
                () -> {
                  try {
                    go.await();
                  } catch (InterruptedException e) {
                    return; // no thread interrupts the producers
                  }
                  task.run();
                },
                "producer-" + p);
        threads[p].start();
      }
      go.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
    }

    private static void awaitQuiet(Path file) throws IOException, InterruptedException {
      long size = -1;
      while (Files.size(file) != size) {
        size = Files.size(file);
        Thread.sleep(QUIET_MILLIS);
      }
    }

    private static void produce(Logger logger, int events, boolean busy) {
      Histogram calls = new Histogram(3);
      for (int i = 0; i < events; i++) {
        if (busy) {
          busyCall(logger, i, calls);
        } else {
          logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", i);
        }
      }
    }

    private static void busyCall(Logger logger, int i, Histogram calls) {
      String customer = "customer-" + i % 10_000;
      String payment = (i % 3 == 0 ? "by card " : "by invoice ") + customer.substring(9);
      long begin = System.nanoTime();
      logger.info(
          "order {} accepted, {} items, {}, payment {}, total {}",
          i,
          i % 7,
          customer.toUpperCase(Locale.ROOT),
          payment,
          begin & 0xffff);
      calls.recordValue(System.nanoTime() - begin);
    }
  }
}
