package io.spillway.process;

import io.spillway.testkit.Subject;
import java.nio.file.Path;
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
      subject.log("0", 0, SMALL);
      subject.logger.info("x".repeat(LARGE_BYTES));
      subject.log("1", 0, SMALL);
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
}
