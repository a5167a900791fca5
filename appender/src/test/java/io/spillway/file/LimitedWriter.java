package io.spillway.file;

import io.spillway.testkit.FileRig;
import io.spillway.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * The JVM that meets its file-size limit. It prints "stuck" when it has logged everything and
 * cannot write on, waits for the file "cure" or "roll" beside the log, and prints its counters at
 * the end.
 */
public final class LimitedWriter {
  private LimitedWriter() {}

  /** Arguments: log file, spill directory, maxSpillSize, limit in bytes, number of events. */
  public static void main(String[] arguments) {
    Path log = Path.of(arguments[0]);
    Shell.run(
        "prlimit",
        "--pid",
        ProcessHandle.current().pid(),
        "--fsize=" + arguments[3] + ":unlimited");
    try (FileRig rig = new FileRig(log).spill(Path.of(arguments[1]))) {
      rig.appender.setMaxSpillSize(arguments[2]);
      rig.appender.setMemoryBuffer("64 KB");
      rig.start();
      rig.log(Integer.parseInt(arguments[4]));
      rig.await("failing", () -> rig.metrics().getSinkFailures() > 0);
      rig.await("all spilled", () -> rig.metrics().getRingUsed() == 0);
      System.out.println("pid " + ProcessHandle.current().pid());
      System.out.println("stuck " + rig.metrics().getDelivered());
      awaitWord(rig, log.resolveSibling("roll"), log.resolveSibling("cure"));
      rig.awaitDelivered();
      System.out.println("accepted " + rig.metrics().getAccepted());
      System.out.println("delivered " + rig.metrics().getDelivered());
      System.out.println("lost " + (rig.metrics().getLost() + rig.metrics().getDropped()));
      System.out.println("blocked " + rig.metrics().getBlockedCalls());
      System.out.println("spilled " + rig.metrics().getSpilled());
      System.out.println("reported " + rig.statuses("file-size limit"));
    }
  }

  private static void awaitWord(FileRig rig, Path roll, Path cure) {
    while (!Files.exists(cure)) {
      if (Files.exists(roll)) {
        rig.policy.roll();
        return;
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
