package io.spillway.compress;

import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.Reports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;

/**
 * Has the rolled files of one policy archived in the background, by the one thread per JVM that
 * does so for all. What waits is what lies in the directory: calls are hints, they return at once,
 * and a process that dies forgets nothing. Used once: started, then stopped.
 *
 * <p>Concurrency: hints come from whoever writes the log and set flags; the worker reads them. Stop
 * is set under the policy's lock, under which the worker checks it before it renames: when {@link
 * #stop} has returned, no name changes any more.
 */
public final class Archiver {
  /** Without any progress there is nothing to wait for: a disk that hangs, a full one. */
  private static final long STUCK_NANOS = 1_000_000_000L;

  private static final long POLL_NANOS = 1_000_000L;

  private final Parts parts;
  private final CompressionWorker worker;
  private final ArchiverDuty duty;
  private volatile boolean started;
  private volatile boolean stopped;

  /**
   * An archiver, not started.
   *
   * @param rolled the policy's side
   * @param names what names mean
   * @param settings checked by the policy
   * @param reports told of failures
   */
  public Archiver(
      RolledFiles rolled, ArchiveNames names, ArchiveSettings settings, Reports reports) {
    this(rolled, names, settings, reports, new RealArchiveFiles(), CompressionWorker.shared());
  }

  Archiver(
      RolledFiles rolled,
      ArchiveNames names,
      ArchiveSettings settings,
      Reports reports,
      ArchiveFiles files,
      CompressionWorker worker) {
    Queue<Path> rubbish = new ConcurrentLinkedQueue<>();
    Set<Path> writing = ConcurrentHashMap.newKeySet();
    this.worker = worker;
    this.parts =
        new Parts(
            files,
            rolled,
            names,
            settings,
            reports,
            new Tally(),
            new Backlog(System::nanoTime),
            new TrackedPaths(),
            rubbish::add,
            writing,
            () -> stopped);
    this.duty = new ArchiverDuty(parts, rubbish);
  }

  /** Begins, with a sweep of what earlier runs left. Returns at once. */
  public void start() {
    duty.sweep();
    started = true;
    worker.add(duty);
  }

  /**
   * Waits until nothing waits to be archived any more, as long as there is progress. From now on
   * compression takes a whole core.
   *
   * @param mostNanos how long at most
   * @return whether nothing waits
   */
  public boolean awaitArchived(long mostNanos) {
    duty.hurry();
    worker.wake();
    long start = System.nanoTime();
    long progressed = start;
    long pieces = parts.tally().pieces.get();
    boolean interrupted = false;
    while (isRunning() && !duty.isIdle()) {
      long now = System.nanoTime();
      if (pieces != parts.tally().pieces.get()) {
        pieces = parts.tally().pieces.get();
        progressed = now;
      }
      if (now - start > mostNanos || now - progressed > STUCK_NANOS) {
        break;
      }
      interrupted |= Thread.interrupted();
      LockSupport.parkNanos(this, POLL_NANOS);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return duty.isIdle();
  }

  /**
   * Ends. Returns at once: an archive under way is given up, its rolled file waits for the next
   * start.
   */
  public void stop() {
    Lock lock = parts.rolled().lock();
    lock.lock();
    try {
      stopped = true;
    } finally {
      lock.unlock();
    }
    worker.wake();
  }

  private boolean isRunning() {
    return started && !stopped;
  }

  /**
   * One more file waits under its raw name, or, without compression, is archived already. If it was
   * {@linkplain #follow followed}, its archive is finished.
   *
   * @param raw its path
   */
  public void rolled(Path raw) {
    if (!isRunning()) {
      return;
    }
    if (!parts.names().isInPlace()) {
      parts.backlog().add(raw, randomDelayNanos());
      duty.followed().rolled(raw);
    }
    duty.rolled();
    worker.wake();
  }

  private long randomDelayNanos() {
    long most = parts.settings().maxRandomDelay().toNanos();
    return most <= 0 ? 0 : ThreadLocalRandom.current().nextLong(most);
  }

  /**
   * A raw file has another name now. Under the lock.
   *
   * @param from its old path
   * @param to its new path
   */
  public void moved(Path from, Path to) {
    parts.backlog().moved(from, to);
    parts.tracked().moved(from, to);
  }

  /**
   * A raw file is gone, or renamed to be deleted. Under the lock.
   *
   * @param raw its old path
   */
  public void dropped(Path raw) {
    parts.backlog().forget(raw);
    parts.tracked().dropped(raw);
  }

  /**
   * Takes a raw file or an archive away: renames it under the lock, and leaves the deleting, which
   * may take long, to the worker.
   *
   * @param file its path
   * @return its path until it is deleted
   * @throws IOException if it cannot be renamed
   */
  public Path discard(Path file) throws IOException {
    Lock lock = parts.rolled().lock();
    lock.lock();
    try {
      Path done = parts.names().done(file);
      parts.files().rename(file, done);
      dropped(file);
      parts.rubbish().accept(done);
      worker.wake();
      return done;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The active file has just been opened: archives it while it is written, from its beginning. By
   * the one thread that writes it, as {@link #grown}. A file followed before is given up.
   *
   * @param active its path
   */
  public void follow(Path active) {
    if (isRunning() && !parts.names().isInPlace()) {
      duty.followed().follow(active);
      worker.wake();
    }
  }

  /**
   * More of the followed file is written. Costs a store to memory.
   *
   * @param goodLength of the file: up to there it will not be taken back
   */
  public void grown(long goodLength) {
    duty.followed().grown(goodLength);
  }

  /**
   * What has been done, and what waits.
   *
   * @return figures of this moment
   */
  public ArchiveMetrics metrics() {
    Tally tally = parts.tally();
    Backlog backlog = parts.backlog();
    return new ArchiveMetrics(
        backlog.files(),
        backlog.bytes(),
        tally.archived.get(),
        tally.archivedBytes.get(),
        tally.archiveBytes.get(),
        tally.failures.get(),
        tally.lastArchiveNanos.get());
  }
}
