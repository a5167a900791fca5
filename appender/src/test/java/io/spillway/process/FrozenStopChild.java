package io.spillway.process;

import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Stops with a sink that stands still and a ring that takes the drainer a while to empty. */
public final class FrozenStopChild {
  private static final int SLOTS = 262_144;
  private static final int THREADS = 4;

  private FrozenStopChild() {}

  public static void main(String[] arguments) {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    subject.settings().setQueueSize(String.valueOf(SLOTS));
    subject.settings().setMaxFlushTime("1");
    subject.gate.shut();
    subject.start();
    for (int t = 0; t < THREADS; t++) {
      String prefix = String.valueOf(t);
      Thread thread = new Thread(() -> subject.log(prefix, 0, Integer.MAX_VALUE));
      thread.setDaemon(true);
      thread.start();
    }
    while (subject.metrics().getRingUsed() < SLOTS / 2) {
      LockSupport.parkNanos(100_000);
    }
    System.out.println("stopping");
    subject.appender().stop();
    System.out.println("pending " + subject.metrics().getPending());
    System.out.println("lost " + subject.metrics().getLost());
    Runtime.getRuntime().halt(0);
  }
}
