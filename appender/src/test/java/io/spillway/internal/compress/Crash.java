package io.spillway.internal.compress;

import io.spillway.testkit.FaultyDisk;
import java.nio.file.Path;

/** The process "dies" at an operation: from there on, none of them does anything. */
final class Crash implements FaultyDisk.Hook {
  private final Point.Watch watch;
  private volatile boolean over;
  private volatile String where = "never";

  Crash(Point point) {
    watch = point.watch();
  }

  boolean isOver() {
    return over;
  }

  String where() {
    return where;
  }

  @Override
  public void before(long number, String operation, Path file) {
    if (over || watch.reached(operation) > 0) {
      if (!over) {
        where = operation + " " + file.getFileName();
        over = true;
      }
      throw new Error("crashed"); // whatever is done about it has no effect on the disk
    }
  }
}
