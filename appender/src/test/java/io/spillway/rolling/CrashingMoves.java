package io.spillway.rolling;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Renames that fail or die on demand, and a count of directory listings. */
final class CrashingMoves extends Moves {
  /** The process is gone. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
      super("crash of the test", null, false, false);
    }
  }

  final AtomicInteger renames = new AtomicInteger();
  final AtomicInteger listingsOfWriter = new AtomicInteger();
  private final Thread writer = Thread.currentThread();
  private int untilCrash = -1;
  private boolean crashAfter;
  private volatile IOException failure;

  /** Dies in so many renames, just before or just after it. */
  void crash(int renamesFromNow, boolean after) {
    untilCrash = renamesFromNow;
    crashAfter = after;
  }

  /** Every rename fails so; null ends that. */
  void fail(IOException with) {
    failure = with;
  }

  @Override
  void rename(Path from, Path to) throws IOException {
    if (failure != null) {
      throw failure;
    }
    renames.incrementAndGet();
    boolean crash = Thread.currentThread() == writer && untilCrash-- == 0;
    if (crash && !crashAfter) {
      throw new Crash();
    }
    super.rename(from, to);
    if (crash) {
      throw new Crash();
    }
  }

  @Override
  void list(Path directory, java.util.function.Consumer<Path> visitor) throws IOException {
    if (Thread.currentThread() == writer) {
      listingsOfWriter.incrementAndGet();
    }
    super.list(directory, visitor);
  }
}
