package io.spillway.process;

import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Leaves, or delivers, one event that is too large for a small heap, between many small ones. */
public final class SmallHeapChild {
  static final int SMALL = 2_000;
  static final int LARGE_BYTES = 15 << 20;

  private SmallHeapChild() {}

  public static void main(String[] arguments) {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    boolean leave = arguments[2].equals("LEAVE");
    long wanted = Long.parseLong(arguments[3]);
    subject.settings().setMaxFlushTime("200");
    if (leave) {
      subject.settings().setSpillMode("ALWAYS");
      subject.gate.shut();
    }
    subject.start();
    if (leave) {
      String large = "x".repeat(LARGE_BYTES);
      Holding first = new Holding();
      subject.logger.info("#0:{}.", first);
      subject.log("0", 1, SMALL);
      subject.logger.info(large);
      subject.log("1", 0, SMALL);
      first.encode.countDown();
    } else {
      subject.log("2", 0, SMALL);
      while (subject.metrics().getRecovered() < wanted
          || subject.metrics().getDelivered() < SMALL) {
        LockSupport.parkNanos(10_000_000);
      }
    }
    subject.context().stop();
    System.out.println("recovered " + subject.metrics().getRecovered());
    System.out.println("lost " + subject.metrics().getLost());
    System.out.println("lostleftovers " + subject.metrics().getLossByCause());
    System.exit(0);
  }

  /**
   * Keeps the drainer from what is behind it, so that the large one is in the middle of a batch.
   */
  private static final class Holding {
    private final CountDownLatch encode = new CountDownLatch(1);

    @Override
    public String toString() {
      if (Thread.currentThread().getName().startsWith("spillway-drainer-")) {
        try {
          encode.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return "0";
    }
  }
}
