package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.Disk.State;
import io.spillway.metrics.ArchiveMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * The rolled files that wait, ordered by age, their delays, and the figures of what has been
 * archived. An index of the directory, so that finding the next file needs no listing.
 *
 * <p>Concurrency: the thread that writes the log adds files, the compressor thread does the rest,
 * and any thread reads the figures. Each change is one operation on one map, and only the
 * compressor thread changes existing entries.
 */
final class Backlog {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long LAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);
  private static final long UNKNOWN = -1;
  private static final int REPEATED = 2; // failures in a row: the first one may pass

  /** A file that waits: placed once it has a raw name, tried once its turn has come. */
  private record Waiting(
      long bytes, Age age, boolean placed, long readyAt, boolean tried, int failures) {
    Waiting of(long length) {
      return new Waiting(length, age, placed, readyAt, tried, failures);
    }

    Waiting until(long time, int failed) {
      return new Waiting(bytes, age, placed, time, placed, failed);
    }
  }

  /** Orders files found by a sweep by their last write, before files added later. */
  private record Age(FileTime found, long added) implements Comparable<Age> {
    @Override
    public int compareTo(Age other) {
      if (added != other.added || found == null || other.found == null) {
        return Long.compare(added, other.added);
      }
      return found.compareTo(other.found);
    }
  }

  private final LongSupplier clock;
  private final long start;
  private final Map<Path, Waiting> files = new ConcurrentHashMap<>();
  private final AtomicLong added = new AtomicLong();
  private final AtomicLong archived = new AtomicLong();
  private final AtomicLong archivedBytes = new AtomicLong();
  private final AtomicLong archiveBytes = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final AtomicLong lastArchiveNanos = new AtomicLong();

  Backlog(LongSupplier clock) {
    this.clock = clock;
    this.start = clock.getAsLong();
  }

  /** Returns nanoseconds since the start, so that times can be compared. */
  long now() {
    return clock.getAsLong() - start;
  }

  /** Adds a file that was rolled over, to be archived after a delay. */
  void add(Path rolled, boolean placed, long delayNanos) {
    Age age = new Age(null, added.incrementAndGet());
    files.put(rolled, new Waiting(UNKNOWN, age, placed, now() + delayNanos, false, 0));
  }

  /** Adds a file that was found, or updates its length; a null state means that it is gone. */
  void found(Path file, boolean placed, State state) {
    if (state == null) {
      return;
    }
    Age age = new Age(state.modified(), 0);
    Waiting old = files.putIfAbsent(file, new Waiting(state.bytes(), age, placed, 0, false, 0));
    if (old != null) {
      files.replace(file, old.of(state.bytes()));
    }
  }

  /** Records that a file has been renamed to a raw name. */
  void moved(Path from, Path to) {
    Waiting waiting = files.remove(from);
    if (waiting != null) {
      int failed = waiting.placed ? waiting.failures : 0; // failures to place it are over
      files.put(
          to,
          new Waiting(waiting.bytes, waiting.age, true, waiting.readyAt, waiting.tried, failed));
    }
  }

  /** Counts a failure for each file that has no raw name yet. */
  void notPlaced() {
    for (Map.Entry<Path, Waiting> entry : files.entrySet()) {
      Waiting waiting = entry.getValue();
      if (!waiting.placed) {
        files.replace(entry.getKey(), waiting.until(waiting.readyAt, waiting.failures + 1));
      }
    }
  }

  /** Returns a file that has failed more than once in a row, or null. */
  Path failing() {
    for (Map.Entry<Path, Waiting> entry : files.entrySet()) {
      if (isRepeated(entry.getValue().failures)) {
        return entry.getKey();
      }
    }
    return null;
  }

  /** Returns whether a number of failures in a row is to be reported as failing. */
  static boolean isRepeated(int failures) {
    return failures >= REPEATED;
  }

  void forget(Path file) {
    files.remove(file);
  }

  /** Delays a file by a second without counting a failure. */
  void putOff(Path raw) {
    Waiting old = files.get(raw);
    if (old != null) {
      files.replace(raw, old.until(now() + FIRST_PAUSE_NANOS, old.failures));
    }
  }

  /** Counts a failure and delays the file, longer each time; returns the delay. */
  long failed(Path raw) {
    Waiting old = files.get(raw);
    if (old == null) {
      return 0;
    }
    long pause = pause(old.failures);
    files.replace(raw, old.until(now() + pause, old.failures + 1));
    return pause;
  }

  /** Returns the delay after a number of failures: 1 s, doubling up to 60 s. */
  static long pause(int failures) {
    return failures >= 6 ? LAST_PAUSE_NANOS : FIRST_PAUSE_NANOS << failures;
  }

  /** Returns the oldest usable raw file that is ready at a time, or null. */
  Path next(long now, Predicate<Path> usable) {
    Path oldest = null;
    Age age = null;
    for (Map.Entry<Path, Waiting> entry : files.entrySet()) {
      Path file = entry.getKey();
      Waiting waiting = entry.getValue();
      if (waiting.placed && waiting.readyAt <= now && usable.test(file)) {
        int order = age == null ? -1 : waiting.age.compareTo(age);
        if (order < 0 || order == 0 && file.compareTo(oldest) < 0) {
          oldest = file;
          age = waiting.age;
        }
      }
    }
    return oldest;
  }

  /** Returns how long until the next of the files becomes ready that were not at a time. */
  long untilReadyNanos(long since) {
    long soonest = Long.MAX_VALUE;
    for (Waiting waiting : files.values()) {
      if (waiting.readyAt > since) {
        soonest = Math.min(soonest, Math.max(0, waiting.readyAt - now()));
      }
    }
    return soonest;
  }

  /** Reads the lengths of all files, or of new ones, and removes files that are gone. */
  void measure(Disk disk, boolean all) throws IOException {
    for (Map.Entry<Path, Waiting> entry : files.entrySet()) {
      if (all || entry.getValue().bytes == UNKNOWN) {
        State state = disk.state(entry.getKey());
        if (state == null) {
          files.remove(entry.getKey());
        } else {
          files.replace(entry.getKey(), entry.getValue().of(state.bytes()));
        }
      }
    }
  }

  /** Returns whether any file has no raw name yet. */
  boolean isPlacing() {
    for (Waiting waiting : files.values()) {
      if (!waiting.placed) {
        return true;
      }
    }
    return false;
  }

  /** Counts files that wait, except for those in their configured delay. */
  long dueFiles() {
    long now = now();
    long due = 0;
    for (Waiting waiting : files.values()) {
      due += !waiting.placed || waiting.tried || waiting.readyAt <= now ? 1 : 0;
    }
    return due;
  }

  /** Counts files that are not delayed at a time. */
  long readyFiles(long now) {
    long ready = 0;
    for (Waiting waiting : files.values()) {
      ready += waiting.readyAt <= now ? 1 : 0;
    }
    return ready;
  }

  /** Returns the known bytes of the files that are not delayed at a time. */
  long readyBytes(long now) {
    long bytes = 0;
    for (Waiting waiting : files.values()) {
      bytes += waiting.readyAt <= now ? Math.max(0, waiting.bytes) : 0;
    }
    return bytes;
  }

  void archived(long rawBytes, long bytes, long nanos) {
    archivedBytes.addAndGet(rawBytes);
    archiveBytes.addAndGet(bytes);
    lastArchiveNanos.set(nanos);
    archived.incrementAndGet();
  }

  long archived() {
    return archived.get();
  }

  void failed() {
    failures.incrementAndGet();
  }

  ArchiveMetrics metrics(String failing) {
    return new ArchiveMetrics(
        files.size(),
        dueFiles(),
        readyBytes(Long.MAX_VALUE), // delayed or not
        archived.get(),
        archivedBytes.get(),
        archiveBytes.get(),
        failures.get(),
        lastArchiveNanos.get(),
        failing,
        ArchiveMetrics.Handed.NOTHING);
  }
}
