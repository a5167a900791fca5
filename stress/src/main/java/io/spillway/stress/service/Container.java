package io.spillway.stress.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A control group with a limit of memory, as a container has one: a process that needs more is
 * killed by the kernel. Version 1 and 2 of control groups, where this process may make them.
 */
final class Container implements AutoCloseable {

  /** What a version of control groups calls its files, and where it has them. */
  private enum Version {
    ONE(
        "/sys/fs/cgroup/memory",
        "memory.limit_in_bytes",
        "memory.memsw.limit_in_bytes",
        "memory.oom_control"),
    TWO("/sys/fs/cgroup", "memory.max", "memory.swap.max", "memory.events");

    private final Path root;
    private final String limit;
    private final String swap;
    private final String events;

    Version(String root, String limit, String swap, String events) {
      this.root = Path.of(root);
      this.limit = limit;
      this.swap = swap;
      this.events = events;
    }
  }

  private static final Pattern KILLED = Pattern.compile("(?m)^oom_kill [1-9]");

  private final Version version;
  private final Path group;

  private Container(Version version, Path group) {
    this.version = version;
    this.group = group;
  }

  /**
   * Makes one.
   *
   * @param bytes that its processes may use together
   * @return null where that is not permitted
   */
  static Container withLimit(long bytes) {
    for (Version version : Version.values()) {
      Path group;
      try {
        group =
            Files.createTempDirectory(
                version.root, "spillway-stress-" + ProcessHandle.current().pid() + "-");
      } catch (IOException notPermitted) {
        continue;
      }
      Container container = new Container(version, group);
      try {
        container.write(version.limit, Long.toString(bytes));
      } catch (IOException noLimitHere) {
        container.close();
        continue;
      }
      try {
        // Version 1 counts memory and swap together, version 2 swap alone.
        container.write(version.swap, version == Version.ONE ? Long.toString(bytes) : "0");
      } catch (IOException noSwapHere) {
        // Then there is none to be had, either.
      }
      return container;
    }
    return null;
  }

  /** A file that the kernel has made: in a directory that is no control group there is none. */
  private void write(String file, String value) throws IOException {
    Files.writeString(group.resolve(file), value, StandardOpenOption.WRITE);
  }

  /** Whether the kernel has killed one of its processes for want of memory. */
  boolean hasKilled() {
    try {
      return KILLED.matcher(Files.readString(group.resolve(version.events))).find();
    } catch (IOException e) {
      return false; // then the exit code says that it was killed
    }
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
