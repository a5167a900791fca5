package io.spillway.process;

import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** Logs flat out through a sink that stalls, and tells its parent how far it surely is. */
public final class KillChild {
  private static final int EVENTS = 2_000_000;

  private KillChild() {}

  public static void main(String[] arguments) {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    subject.settings().setSpillMode(arguments[2]);
    Random random = new Random(Long.parseLong(arguments[3]));
    int meanPasses = Integer.parseInt(arguments[4]);
    subject.gate.onPass(
        () -> {
          if (random.nextInt(meanPasses) == 0) {
            LockSupport.parkNanos(random.nextInt(20_000_000));
          }
        });
    subject.start();
    String stream = arguments[3];
    Thread producer = new Thread(() -> subject.log(stream, 0, EVENTS));
    producer.setDaemon(true);
    producer.start();
    SpillwayMetrics metrics = subject.metrics();
    while (true) {
      long accepted = metrics.getAccepted(); // before what is in the ring: a lower bound
      long drained = accepted - metrics.getRingUsed();
      System.out.println("drained " + drained);
      System.out.println("spilled " + metrics.getSpilled());
      System.out.println("dropped " + (metrics.getDropped() + metrics.getLost()));
      LockSupport.parkNanos(1_000_000);
    }
  }
}
