package io.spillway.stress.watch;

import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Looks before attaching. Attaching sends a signal that would end a process that is no JVM, so
 * nothing is attached to that has not been recognised.
 */
final class TargetCheck {

  private TargetCheck() {}

  /**
   * Refuses what cannot be watched.
   *
   * @throws RefusedException with the reason and the remedy
   */
  static void check(long pid) {
    if (pid == ProcessHandle.current().pid()) {
      throw new RefusedException("process " + pid + " is this watcher itself; name another one");
    }
    ProcessHandle process =
        ProcessHandle.of(pid).orElseThrow(() -> new RefusedException(noProcess(pid)));
    requireSameUser(pid, process.info().user(), ProcessHandle.current().info().user());
    Path maps = Path.of("/proc", Long.toString(pid), "maps");
    Optional<String> mapped = read(maps);
    if (mapped.isPresent()) {
      requireHotSpot(pid, mapped.get());
    } else if (WatchableJvms.list().stream().noneMatch(jvm -> jvm.pid() == pid)) {
      throw new RefusedException(noJvm(pid));
    }
  }

  /** Empty where there is no such file, as on other systems than Linux, or no right to read it. */
  private static Optional<String> read(Path maps) {
    try {
      return Optional.of(Files.readString(maps));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  static String noProcess(long pid) {
    return "there is no process " + pid + "; ./spillway-stress watch lists those it can watch";
  }

  /** The administrator may watch everybody's. */
  static void requireSameUser(long pid, Optional<String> owner, Optional<String> self) {
    if (owner.isPresent() && self.isPresent() && !owner.equals(self) && !isRoot(self.get())) {
      throw new RefusedException(
          String.format(
              "process %d belongs to user %s, and a JVM can be attached to only by its own user."
                  + " Run watch as %s, for example with sudo -u %s",
              pid, owner.get(), owner.get(), owner.get()));
    }
  }

  private static boolean isRoot(String user) {
    return user.equals("root");
  }

  /** By the libraries that the process has mapped. */
  static void requireHotSpot(long pid, String maps) {
    if (maps.contains("/libj9vm")) {
      throw new RefusedException(
          "process "
              + pid
              + " runs on OpenJ9, which has no flight recorder that watch can read; run it on a"
              + " HotSpot JVM (OpenJDK, Temurin, Corretto, Zulu), 17 or newer");
    }
    if (!maps.contains("/libjvm.")) {
      throw new RefusedException(noJvm(pid));
    }
  }

  private static String noJvm(long pid) {
    return "process "
        + pid
        + " is not a HotSpot JVM; ./spillway-stress watch lists those it can watch";
  }
}
