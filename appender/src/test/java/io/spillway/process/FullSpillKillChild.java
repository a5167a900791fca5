package io.spillway.process;

import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Fills its spill with events that may be dropped, behind a sink that hangs, then logs kept ones.
 */
public final class FullSpillKillChild {
  private static final int DROPPABLE = 20_000;
  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final String PADDING = "x".repeat(60);

  private FullSpillKillChild() {}

  public static void main(String[] arguments) {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    int kept = Integer.parseInt(arguments[2]);
    subject.settings().setSpillMode("ALWAYS");
    subject.settings().setSpillSync("50 milliseconds");
    subject.settings().setMaxSpillSize("1 MB");
    subject.settings().setWhenFull("DROP_OLDEST");
    subject.settings().setWhenFullKeepLevel("WARN");
    subject.gate.shut();
    subject.start();
    for (int i = 0; i < DROPPABLE; i++) {
      subject.logger.info("I:{}:{}", i, PADDING);
    }
    for (int i = 0; i < kept; i++) {
      subject.logger.warn("W:{}:{}", i, PADDING);
    }
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (!isSpilled(subject.metrics()) && deadline - System.nanoTime() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    System.out.println("spilled " + isSpilled(subject.metrics()));
    LockSupport.park();
  }

  private static boolean isSpilled(SpillwayMetrics metrics) {
    return metrics.getSpilled() == metrics.getAccepted();
  }
}
