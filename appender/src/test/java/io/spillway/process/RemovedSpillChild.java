package io.spillway.process;

import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Spills before a sink that is stuck, loses its spill directory, and logs nothing more. */
public final class RemovedSpillChild {
  private RemovedSpillChild() {}

  public static void main(String[] arguments) {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    int events = Integer.parseInt(arguments[2]);
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, events);
    await(() -> subject.metrics().getRingUsed() == 0);
    System.out.println("spilled " + subject.metrics().getSpilled());
    Shell.run("rm", "-rf", subject.spillDirectory());
    await(() -> isSavedAgain(subject));
    System.out.println("again");
    LockSupport.park();
  }

  private static boolean isSavedAgain(Subject subject) {
    Reports.flush(subject.context());
    return subject.context().getStatusManager().getCopyOfStatusList().stream()
        .anyMatch(status -> status.getMessage().contains("works again (keep)"));
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(10_000_000);
    }
  }
}
