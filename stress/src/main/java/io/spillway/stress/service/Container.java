package io.spillway.stress.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A control group with a memory limit, like a container's: the kernel kills a process that needs
 * more. Supports version 1 and 2 of control groups, where this process may create them.
 */
final class Container implements AutoCloseable {

  /** The names of the files in a version of control groups. */
  enum Version {
    ONE(1, "memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.oom_control"),
    TWO(2, "memory.max", "memory.swap.max", "memory.events");

    private final int number;
    private final String limit;
    private final String swap;
    private final String events;

    Version(int number, String limit, String swap, String events) {
      this.number = number;
      this.limit = limit;
      this.swap = swap;
      this.events = events;
    }
  }

  /** A group below which groups with a memory limit can be created. */
  record Place(Version version, Path parent) {

    private static final Path SYSTEM = Path.of("/");
    private static final String OWN = "0::/"; // in version 2

    /**
     * Returns the candidate groups of a system, the best first. In version 2 a group must delegate
     * the memory controller to its children, and moving a process requires write access to the
     * nearest common ancestor of its old and new group; so the candidates are the groups above this
     * process, up to the root.
     *
     * @param system the root directory of the system
     */
    static List<Place> all(Path system) {
      List<Place> places = new ArrayList<>();
      try {
        for (String line : Files.readAllLines(system.resolve("proc/self/mounts"))) {
          String[] mount = line.split(" ");
          Path at = system.resolve(mount[1].substring(1));
          if (mount[2].equals("cgroup") && List.of(mount[3].split(",")).contains("memory")) {
            places.add(new Place(Version.ONE, at));
          } else if (mount[2].equals("cgroup2")) {
            for (Path group = own(system, at); group.startsWith(at); group = group.getParent()) {
              if (givesMemory(group)) {
                places.add(new Place(Version.TWO, group));
              }
            }
          }
        }
      } catch (IOException noControlGroups) {
        return List.of();
      }
      return places;
    }

    /** Returns the group of this process, or the mounted root if the group is not below it. */
    private static Path own(Path system, Path mount) throws IOException {
      return Files.readAllLines(system.resolve("proc/self/cgroup")).stream()
          .filter(line -> line.startsWith(OWN))
          .map(line -> mount.resolve(line.substring(OWN.length())).normalize())
          .filter(group -> group.startsWith(mount) && Files.isDirectory(group))
          .findFirst()
          .orElse(mount);
    }

    private static boolean givesMemory(Path group) {
      try {
        String given = Files.readString(group.resolve("cgroup.subtree_control"));
        return List.of(given.strip().split(" ")).contains("memory");
      } catch (IOException notReadable) {
        return false;
      }
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
   * Creates a control group with a memory limit.
   *
   * @param bytes memory that its processes may use together
   * @return the group, or null where creating one is not permitted
   */
  static Container withLimit(long bytes) throws InterruptedException {
    for (Place place : Place.all(Place.SYSTEM)) {
      Container container = in(place, bytes);
      if (container != null) {
        return container;
      }
    }
    return null;
  }

  /** Creates a control group below the given one; null where that is not permitted. */
  static Container in(Place place, long bytes) throws InterruptedException {
    Container container;
    try {
      Path group =
          Files.createTempDirectory(
              place.parent(), "spillway-stress-" + ProcessHandle.current().pid() + "-");
      container = new Container(place.version(), group);
    } catch (IOException notPermitted) {
      return null;
    }
    if (container.limit(bytes) && container.takesProcesses()) {
      return container;
    }
    container.close();
    return null;
  }

  private boolean limit(long bytes) {
    try {
      write(version.limit, Long.toString(bytes));
    } catch (IOException noLimitHere) {
      return false;
    }
    try {
      // Version 1 counts memory and swap together, version 2 swap alone.
      write(version.swap, version == Version.ONE ? Long.toString(bytes) : "0");
    } catch (IOException noSwapHere) {
      return true; // no file for swap: the group has no swap to limit
    }
    return true;
  }

  /**
   * Returns whether a process can be moved into the group; the right to create one does not imply
   * it.
   */
  private boolean takesProcesses() throws InterruptedException {
    try {
      return new ProcessBuilder(around(List.of("true"))).start().waitFor() == 0;
    } catch (IOException noShell) {
      return false;
    }
  }

  /** Returns a description of the control group, for readers. */
  String describe() {
    return "a control group of version " + version.number + " below " + group.getParent();
  }

  /** Writes to a file that the kernel provides; fails in a directory that is no control group. */
  private void write(String file, String value) throws IOException {
    Files.writeString(group.resolve(file), value, StandardOpenOption.WRITE);
  }

  /** Returns whether the kernel has killed one of the group's processes at the memory limit. */
  boolean hasKilled() {
    try {
      return KILLED.matcher(Files.readString(group.resolve(version.events))).find();
    } catch (IOException e) {
      return false; // the exit code then shows that it was killed
    }
  }

  /** Returns a command that runs the given command in the group. */
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

  /** Removes the group; its processes must have ended. */
  @Override
  public void close() {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      System.err.println("The control group " + group + " is left behind: " + e.getMessage());
    }
  }
}
