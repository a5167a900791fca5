package io.spillway.process;

import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Subject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Logs 1 KB events through a stuck sink in a small heap. */
public final class MemoryChild {
  private static final String PADDING = "x".repeat(1_000);
  private static final long NEARLY = 2 << 20;
  private static final int BEYOND_FULL = 10_000;

  private MemoryChild() {}

  public static void main(String[] arguments) throws Exception {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    String what = arguments[2];
    subject.settings().setMemoryBuffer("8 MB"); // the default
    subject.settings().setMaxSpillSize(arguments[3]);
    switch (what) {
      case "LEAVE" -> {
        subject.settings().setMaxFlushTime("100");
        subject.gate.shut();
        subject.start();
        fill(subject, Long.parseLong(arguments[4]));
        subject.context().stop();
      }
      case "RECOVER" -> recover(subject);
      default -> {
        subject.settings().setWhenFull(what);
        subject.gate.shut();
        subject.start();
        meetTheEnd(subject, what.equals("BLOCK"));
      }
    }
  }

  private static void log(Subject subject, long number) {
    subject.logger.info("{}:{}", number, PADDING);
  }

  /** Paced by what the spill has taken, so that the ring is never full, by weight or by slots. */
  private static void fill(Subject subject, long events) {
    SpillwayMetrics metrics = subject.metrics();
    for (long i = 0; i < events; i++) {
      pace(metrics);
      log(subject, i);
    }
    System.out.println("logged " + events);
  }

  private static void pace(SpillwayMetrics metrics) {
    while (metrics.getRingUsed() > metrics.getRingCapacity() / 4 && !isSpillFull(metrics)) {
      LockSupport.parkNanos(100_000);
    }
  }

  private static boolean isSpillFull(SpillwayMetrics metrics) {
    return metrics.getSpillBytes() > metrics.getSpillCapacityBytes() - NEARLY;
  }

  private static void meetTheEnd(Subject subject, boolean blocks) throws Exception {
    SpillwayMetrics metrics = subject.metrics();
    AtomicLong logged = new AtomicLong();
    Thread publisher =
        new Thread(
            () -> {
              for (int beyond = 0; beyond < BEYOND_FULL; beyond += isFull(metrics) ? 1 : 0) {
                pace(metrics);
                log(subject, logged.get());
                logged.incrementAndGet();
              }
            });
    publisher.start();
    if (blocks) {
      awaitBlocked(publisher, metrics);
    } else {
      publisher.join();
    }
    System.out.println("spillbytes " + metrics.getSpillBytes());
    System.out.println("memorybytes " + metrics.getMemoryBytes());
    System.out.println("stuckdelivered " + metrics.getDelivered());
    subject.gate.open();
    publisher.join();
    subject.awaitDelivered();
    System.out.println("logged " + logged);
    System.out.println("accepted " + metrics.getAccepted());
    System.out.println("delivered " + metrics.getDelivered());
    System.out.println("full " + metrics.lossOf(LossCause.QUEUE_FULL));
    System.out.println("dropped " + metrics.getDropped());
    System.out.println("lost " + metrics.getLost());
    System.out.println("blocked " + metrics.getBlockedCalls());
    subject.close();
    System.out.println("stopped 1");
  }

  private static boolean isFull(SpillwayMetrics metrics) {
    return metrics.getDropped() > 0 || metrics.getBlockedCalls() > 0;
  }

  /** The spill is full and what is accepted no longer grows: the publisher waits. */
  private static void awaitBlocked(Thread publisher, SpillwayMetrics metrics) {
    long accepted = -1;
    int unchanged = 0;
    while (unchanged < 50) {
      LockSupport.parkNanos(10_000_000);
      long now = metrics.getAccepted();
      boolean waits = isSpillFull(metrics) && now == accepted && publisher.isAlive();
      unchanged = waits ? unchanged + 1 : 0;
      accepted = now;
    }
  }

  /** By this process, from files and the page cache alike; 0 where Linux does not tell. */
  private static long bytesRead() throws IOException {
    Path io = Path.of("/proc/self/io");
    if (!Files.exists(io)) {
      return 0;
    }
    String counters = Files.readString(io);
    return Long.parseLong(counters.lines().findFirst().orElseThrow().substring("rchar: ".length()));
  }

  private static void recover(Subject subject) throws IOException {
    subject.gate.shut();
    long read = bytesRead();
    long began = System.nanoTime();
    subject.start();
    System.out.println("startmillis " + (System.nanoTime() - began) / 1_000_000);
    System.out.println("startread " + (bytesRead() - read));
    subject.gate.open();
    System.out.println("leftover " + subject.metrics().getLeftoverBytes());
    System.gc();
    System.out.println(
        "heap " + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    subject.awaitDelivered();
    System.out.println("recovered " + subject.metrics().getRecovered());
    subject.close();
    System.out.println("stopped 1");
  }
}
