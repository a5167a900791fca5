package io.spillway.survival;

import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Logs in a heap that is too small, for what its events hold or for what others do. */
public final class HeapChild {
  private static final int HEAVY_EVENTS = 20_000;

  private HeapChild() {}

  public static void main(String[] arguments) throws Exception {
    GatedAppender nested = new GatedAppender();
    AtomicLong taken = new AtomicLong();
    nested.handTo(message -> taken.incrementAndGet());
    try (Rig rig = new Rig(Path.of(arguments[0]), nested).start()) {
      if (arguments[1].equals("HEAVY")) {
        heavyArguments(rig, nested);
      } else {
        shortages(rig, nested, Integer.parseInt(arguments[2]));
      }
      rig.awaitDelivered();
      SpillwayMetrics metrics = rig.appender.getMetrics();
      System.out.println("accepted " + metrics.getAccepted());
      System.out.println("delivered " + metrics.getDelivered());
      System.out.println("lost " + metrics.getLost());
      System.out.println("taken " + taken);
      System.out.println("done 1");
    }
  }

  /** 100 KB each, and a short text. */
  private static final class Heavy {
    private final byte[] held = new byte[100_000];

    @Override
    public String toString() {
      return "heavy" + held[0];
    }
  }

  private static void heavyArguments(Rig rig, GatedAppender nested) {
    nested.shut();
    for (int i = 0; i < HEAVY_EVENTS; i++) {
      rig.logger.info("{}", new Heavy());
    }
    nested.open();
  }

  /** Others take all of the heap for a while, again and again. */
  private static void shortages(Rig rig, GatedAppender nested, int rounds) throws Exception {
    for (int round = 0; round < rounds; round++) {
      nested.shut();
      Thread logging = new Thread(() -> logAll(rig), "logging");
      logging.setDaemon(true);
      logging.start();
      hog();
      nested.open();
      logging.join(30_000);
      if (logging.isAlive()) {
        throw new IllegalStateException("log calls wait in round " + round);
      }
    }
  }

  private static void hog() {
    List<byte[]> hogged = new ArrayList<>(1 << 16);
    long end = System.nanoTime() + 300_000_000L;
    int size = 1 << 20;
    while (end - System.nanoTime() > 0) {
      try {
        hogged.add(new byte[size]);
      } catch (OutOfMemoryError full) {
        size = Math.max(size / 2, 64);
        LockSupport.parkNanos(100_000);
      }
    }
    hogged.clear();
  }

  private static void logAll(Rig rig) {
    for (int i = 0; i < HEAVY_EVENTS; i++) {
      try {
        rig.logger.info("number {} of {}", i, "x".repeat(500));
      } catch (OutOfMemoryError full) {
        LockSupport.parkNanos(1_000_000); // Logback's own, or the message's
      }
    }
  }
}
