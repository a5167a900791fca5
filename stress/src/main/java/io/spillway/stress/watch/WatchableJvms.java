package io.spillway.stress.watch;

import com.sun.tools.attach.VirtualMachine;
import java.util.Comparator;
import java.util.List;

/** The JVMs of this user that could be watched. */
public final class WatchableJvms {

  private WatchableJvms() {}

  /**
   * One of them.
   *
   * @param pid its process id
   * @param command its main class or jar, and its arguments
   */
  public record Jvm(long pid, String command) {}

  /** All of them but this one, by process id. */
  public static List<Jvm> list() {
    long self = ProcessHandle.current().pid();
    return VirtualMachine.list().stream()
        .map(found -> new Jvm(Long.parseLong(found.id()), found.displayName()))
        .filter(jvm -> jvm.pid() != self)
        .sorted(Comparator.comparingLong(Jvm::pid))
        .toList();
  }
}
