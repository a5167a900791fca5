package io.spillway.stress.watch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;

/**
 * Takes thread dumps: printed ones, at a safepoint; on JDK 25 into a file in the target's recording
 * repository, which is the target's own place and goes with it. Once a second; less often if that
 * would take more than a hundredth of the time at safepoints, or a twentieth of it without.
 */
final class ThreadSampler implements AutoCloseable {

  private static final long INTERVAL_NANOS = 1_000_000_000L;
  private static final long PAUSES_PER_PRINT = 100;
  private static final long PAUSES_PER_FILE = 20;
  private static final int VIRTUAL_THREADS_SINCE = 25;

  private final Target target;
  private final Path file;
  private final boolean virtualThreads;
  private long previousNanos;
  private long lastNanos;

  ThreadSampler(Target target, Path repository, int targetVersion) {
    this.target = target;
    file = repository.resolve("spillway-watch-threads.json");
    virtualThreads = targetVersion >= VIRTUAL_THREADS_SINCE;
  }

  /**
   * One dump.
   *
   * @param fromNanos when it was asked for, since the epoch
   * @param toNanos when it was there
   * @param threads all threads in it
   */
  record Dump(long fromNanos, long toNanos, List<ThreadSample> threads) {}

  /** Takes a dump. */
  Dump take() throws IOException {
    long from = epochNanos(Instant.now());
    List<ThreadSample> threads;
    long to;
    if (virtualThreads) {
      target.ask("Thread.dump_to_file -overwrite -format=json \"" + file + "\"");
      to = epochNanos(Instant.now());
      threads = JsonDump.parse(file);
    } else {
      String text = target.ask("Thread.print");
      to = epochNanos(Instant.now());
      threads = PrintedDump.parse(text);
    }
    previousNanos = lastNanos;
    lastNanos = to - from;
    return new Dump(from, to, threads);
  }

  /** How long to wait before the next one, by what the shorter of the last two took. */
  long pauseNanos() {
    long pauses = virtualThreads ? PAUSES_PER_FILE : PAUSES_PER_PRINT;
    return Math.max(INTERVAL_NANOS, Math.min(previousNanos, lastNanos) * pauses);
  }

  boolean seesVirtualThreads() {
    return virtualThreads;
  }

  static long epochNanos(Instant instant) {
    return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }
}
