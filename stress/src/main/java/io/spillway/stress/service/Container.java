package io.spillway.stress.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A control group with a limit of memory, as a container has one: a process that needs more is
 * killed by the kernel. Version 1 and 2 of control groups, where this process may make them.
 */
final class Container implements AutoCloseable {

  /** How a process ends that the kernel has killed. */
  static final int KILLED = 128 + 9;

  private static final List<Path> HIERARCHIES =
      List.of(Path.of("/sys/fs/cgroup/memory"), Path.of("/sys/fs/cgroup"));
  private static final List<String> LIMITS = List.of("memory.limit_in_bytes", "memory.max");
  private static final List<String> SWAP =
      List.of("memory.memsw.limit_in_bytes", "memory.swap.max");

  private final Path group;

  private Container(Path group) {
    this.group = group;
  }

  /**
   * Makes one.
   *
   * @param bytes that its processes may use together
   * @return null where that is not permitted
   */
  static Container withLimit(long bytes) {
    for (int version = 0; version < HIERARCHIES.size(); version++) {
      Path group =
          HIERARCHIES.get(version).resolve("spillway-stress-" + ProcessHandle.current().pid());
      Container container = new Container(group);
      try {
        Files.createDirectory(group);
        Files.writeString(group.resolve(LIMITS.get(version)), Long.toString(bytes));
      } catch (IOException notPermitted) {
        container.close();
        continue;
      }
      try {
        // Version 1 counts memory and swap together, version 2 swap alone.
        Files.writeString(
            group.resolve(SWAP.get(version)), version == 0 ? Long.toString(bytes) : "0");
      } catch (IOException noSwapHere) {
        // then there is none to be had, either
      }
      return container;
    }
    return null;
  }

  /** A command that runs another one within it. */
  List<String> around(List<String> command) {
    List<String> within =
        new ArrayList<>(
            List.of(
                "sh",
                "-c",
                "echo $$ > \"$0\" && exec \"$@\"",
                group.resolve("cgroup.procs").toString()));
    within.addAll(command);
    return within;
  }

  /** Once its processes have ended. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      System.err.println("The control group " + group + " is left behind: " + e.getMessage());
    }
  }
}
