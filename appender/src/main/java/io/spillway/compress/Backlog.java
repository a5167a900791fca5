package io.spillway.compress;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.LongSupplier;

/**
 * What is known of the rolled files that wait: how long they are, and whether one is put off. The
 * directory decides what waits; a file that is not in here is ready.
 *
 * <p>Concurrency: writers of logs add, move and drop, the worker does the rest; each call is one
 * operation on one map.
 */
final class Backlog {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long UNKNOWN = -1;

  private record Waiting(long bytes, long readyAt, int failures) {}

  private final LongSupplier clock;
  private final long start;
  private final Map<Path, Waiting> files = new ConcurrentHashMap<>();

  Backlog(LongSupplier clock) {
    this.clock = clock;
    this.start = clock.getAsLong();
  }

  /** Since the start, so that times can be compared. */
  long now() {
    return clock.getAsLong() - start;
  }

  /** A file was rolled over and is put off. */
  void add(Path raw, long delayNanos) {
    files.put(raw, new Waiting(UNKNOWN, now() + delayNanos, 0));
  }

  /** A file was found. */
  void found(Path raw, long bytes) {
    files.merge(
        raw,
        new Waiting(bytes, 0, 0),
        (old, seen) -> new Waiting(bytes, old.readyAt, old.failures));
  }

  void moved(Path from, Path to) {
    Waiting waiting = files.remove(from);
    if (waiting != null) {
      files.put(to, waiting);
    }
  }

  void forget(Path raw) {
    files.remove(raw);
  }

  /** Not a failure, only not now. */
  void putOff(Path raw) {
    files.merge(
        raw,
        new Waiting(UNKNOWN, now() + FIRST_PAUSE_NANOS, 0),
        (old, later) -> new Waiting(old.bytes, later.readyAt, old.failures));
  }

  /** Puts the file off, longer each time; returns for how long. */
  long failed(Path raw) {
    Waiting put =
        files.compute(
            raw,
            (path, old) -> {
              int before = old == null ? 0 : old.failures;
              return new Waiting(
                  old == null ? UNKNOWN : old.bytes, now() + pause(before), before + 1);
            });
    return pause(put.failures - 1);
  }

  /** How long after so many failures: doubling, bounded. */
  static long pause(int failures) {
    return failures >= 6 ? LAST_PAUSE_NANOS : FIRST_PAUSE_NANOS << failures;
  }

  boolean isReady(Path raw) {
    Waiting waiting = files.get(raw);
    return waiting == null || waiting.readyAt <= now();
  }

  /**
   * How long until the next file becomes ready of those that were not when the look began; one that
   * has become so meanwhile must not be forgotten.
   */
  long untilReadyNanos(long lookBegan) {
    long now = now();
    long soonest = Long.MAX_VALUE;
    for (Waiting waiting : files.values()) {
      if (waiting.readyAt > lookBegan) {
        soonest = Math.min(soonest, Math.max(0, waiting.readyAt - now));
      }
    }
    return soonest;
  }

  /** Learns lengths that are unknown, and forgets what is gone. Worker only. */
  void measure(ArchiveFiles disk, Lock names) throws IOException {
    for (Map.Entry<Path, Waiting> entry : files.entrySet()) {
      if (entry.getValue().bytes == UNKNOWN) {
        look(disk, names, entry.getKey());
      }
    }
  }

  /** Forgets what is gone, for whatever reason. Worker only. */
  void prune(ArchiveFiles disk, Lock names) throws IOException {
    for (Path raw : files.keySet()) {
      look(disk, names, raw);
    }
  }

  /** Under the lock: between a rename and {@link #moved} the file would seem to be gone. */
  private void look(ArchiveFiles disk, Lock names, Path raw) throws IOException {
    names.lock();
    try {
      FileState state = disk.state(raw);
      files.computeIfPresent(
          raw,
          (path, old) ->
              state == null ? null : new Waiting(state.bytes(), old.readyAt, old.failures));
    } finally {
      names.unlock();
    }
  }

  long files() {
    return files.size();
  }

  long bytes() {
    return files.values().stream().mapToLong(waiting -> Math.max(0, waiting.bytes)).sum();
  }
}
