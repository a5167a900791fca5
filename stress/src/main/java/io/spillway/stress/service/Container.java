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

  /** What a version of control groups calls its files. */
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

  /** A group that may have groups with a limit of memory below it. */
  record Place(Version version, Path parent) {

    private static final Path SYSTEM = Path.of("/");
    private static final String OWN = "0::/"; // in version 2

    /**
     * Those of a system, the best first. In version 2 a group must give its children the controller
     * of memory, and whoever moves a process needs the right to do so in the nearest group above
     * both its places: so those are tried that this process is below, up to the root.
     *
     * @param system its root directory
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

    /** The group of this process; the highest that is mounted if it is not below that. */
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
   * Makes one.
   *
   * @param bytes that its processes may use together
   * @return null where that is not permitted
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

  /** In this place; null where that is not permitted. */
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
      return true; // then there is none to be had, either
    }
    return true;
  }

  /** Who may make a group may still not move a process into it. */
  private boolean takesProcesses() throws InterruptedException {
    try {
      return new ProcessBuilder(around(List.of("true"))).start().waitFor() == 0;
    } catch (IOException noShell) {
      return false;
    }
  }

  /** What enforces the limit, for readers. */
  String describe() {
    return "a control group of version " + version.number + " below " + group.getParent();
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
