package io.spillway.process;

import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Logs more than its sink takes, makes room all the time, and tells what it surely has kept: what
 * was written to the spill, or, with an interval for that, forced.
 */
public final class EvictionKillChild {
  private static final int WARN_EACH = 50;
  private static final int IN_HAND = 1_024; // events that left the ring and are not placed
  private static final String PADDING = "x".repeat(60);

  private EvictionKillChild() {}

  public static void main(String[] arguments) {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    int stream = Integer.parseInt(arguments[2]);
    subject.settings().setSpillMode("ALWAYS");
    subject.settings().setMaxSpillSize("1 MB");
    subject.settings().setWhenFull("DROP_OLDEST");
    subject.settings().setWhenFullKeepLevel("WARN");
    boolean synced = arguments.length > 3;
    if (synced) {
      subject.settings().setSpillSync(arguments[3]);
    }
    Random random = new Random(stream);
    subject.gate.onPass(() -> LockSupport.parkNanos(random.nextInt(1_000_000)));
    subject.start();
    SpillwayMetrics metrics = subject.metrics();
    int kept = 0;
    int candidate = 0;
    long due = Long.MAX_VALUE;
    long placed = 0;
    for (int i = 0; ; i++) {
      if (i % WARN_EACH == 0) {
        subject.logger.warn("W:{}:{}:{}", stream, kept++, PADDING);
      } else {
        subject.logger.info("I:{}:{}:{}", stream, i, PADDING);
      }
      if (i % 100 == 0) {
        long accepted = metrics.getAccepted();
        if (due == Long.MAX_VALUE) {
          candidate = kept;
          due = accepted + IN_HAND;
        }
        if (accepted - metrics.getRingUsed() >= due && synced && placed == 0) {
          placed = metrics.getSpilled();
        }
        if (accepted - metrics.getRingUsed() >= due && metrics.getSynced() >= placed) {
          System.out.println("kept " + candidate);
          due = Long.MAX_VALUE;
          placed = 0;
        }
        System.out.println("synced " + metrics.getSynced());
        System.out.println("evicted " + metrics.lossOf(LossCause.EVICTED));
        System.out.println("lost " + metrics.lossOf(LossCause.SPILL_DAMAGED));
        while (metrics.getRingUsed() > metrics.getRingCapacity() / 8 * 7 - 200) {
          subject.logger.info("I:{}:{}:{}", stream, i, PADDING); // for whom room is made
          LockSupport.parkNanos(200_000);
        }
      }
    }
  }
}
