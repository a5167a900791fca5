package io.spillway.process;

import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.ExitHooks;
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
  private static final String PADDING = "x".repeat(60);

  private EvictionKillChild() {}

  public static void main(String[] arguments) throws ReflectiveOperationException {
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
    long due = Long.MAX_VALUE; // as many accepted events are placed
    long spilled = Long.MAX_VALUE; // and as many synced
    for (int i = 0; ; i++) {
      if (i % WARN_EACH == 0) {
        subject.logger.warn("W:{}:{}:{}", stream, kept++, PADDING);
      } else {
        subject.logger.info("I:{}:{}:{}", stream, i, PADDING);
      }
      if (i % 100 == 0) {
        if (due == Long.MAX_VALUE) {
          candidate = kept;
          due = metrics.getAccepted();
        }
        // Not what has left the ring: what is kept may be held behind a spill full of such events.
        if (spilled == Long.MAX_VALUE && ExitHooks.placed(subject.appender()) >= due) {
          spilled = synced ? metrics.getSpilled() : 0;
        }
        if (metrics.getSynced() >= spilled) {
          System.out.println("kept " + candidate);
          due = Long.MAX_VALUE;
          spilled = Long.MAX_VALUE;
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
