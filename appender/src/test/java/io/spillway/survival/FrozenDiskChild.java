package io.spillway.survival;

import io.spillway.testkit.Subject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Logs to a disk that its parent freezes meanwhile, and stops. */
public final class FrozenDiskChild {
  static final int BEFORE = 100;
  static final int FROZEN = 10;

  private FrozenDiskChild() {}

  public static void main(String[] arguments) throws Exception {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    subject.settings().setMaxFlushTime("500");
    subject.settings().setSpillSync(arguments[3]);
    subject.start();
    subject.log("0", 0, BEFORE);
    subject.awaitDelivered();
    System.out.println("ready");
    while (!Files.exists(Path.of(arguments[2]))) {
      LockSupport.parkNanos(1_000_000);
    }
    subject.log("0", BEFORE, BEFORE + FROZEN);
    while (subject.metrics().getRingUsed() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    subject.context().stop();
    System.out.println("stopped");
    System.out.println("lost " + subject.metrics().getLost());
  }
}
