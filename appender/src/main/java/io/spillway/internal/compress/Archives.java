package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.ArchiveMetrics;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The rolled files of one policy: those that wait for their archives, and the lock under which
 * their names change, which is the monitor of this object.
 *
 * <p>Concurrency: the policy holds the lock during a rollover, the compressor thread ({@link
 * Archiver}) during each of its renames and deletions, but never while it compresses, compares or
 * forces. So a name that was found free under the lock is free when it is taken, and a rollover
 * waits for a few renames at most. A disk may hold a rename, and so the lock, for ever: {@link
 * #awaitDone} and {@link #metrics} take no lock, and read what is volatile or a concurrent
 * collection. "Lock held" below means that the caller holds it.
 */
public final class Archives {
  /** Ending of an archive that is not complete. */
  static final String PART = ".part";

  private static final long POLL_NANOS = 2_000_000L;

  /** How a policy's files are compressed. Set before the start. */
  public static final class Settings {
    public ArchiveFormat format = ArchiveFormats.PLAIN;
    public Integer level; // null: the default of the format
    public int cpuPercent = 50; // the most of one core
    public ArchiveFiles files = new ArchiveFiles();

    int level() {
      return level == null ? format.defaultLevel() : level;
    }
  }

  /** What a policy knows of its files. */
  public interface Names {
    /** Returns whether a file is being written. Lock held. */
    default boolean isActive(Path raw) {
      return false;
    }

    /** Returns the name of a file within its archive. Lock held, by the compressor thread. */
    default String entry(Path raw) {
      return raw.getFileName().toString();
    }

    /**
     * Deletes the parts that an earlier run left, and gives its rolled files to {@link
     * Archives#recovered}. Called by the compressor thread, before all else; again if it throws.
     */
    void recover() throws IOException;

    /** Called when an archive is complete under its name. Lock held. */
    default void archived(Path archive) {}

    /** Returns how many archives a listener has not taken yet. */
    default int owed() {
      return 0;
    }
  }

  final Settings settings;
  final Names names;
  final Reports reports;
  private final ArchiveFiles files;
  private final String suffix;
  private final List<ArchiveJob> jobs = new CopyOnWriteArrayList<>(); // oldest first; lock to write
  private final Queue<Runnable> cleans = new ConcurrentLinkedQueue<>(); // due, or under way
  private final AtomicInteger waiters = new AtomicInteger(); // calls of awaitDone
  private final AtomicLong archived = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean stopped;
  volatile boolean searched; // what earlier runs left is among the jobs, or cannot be found

  /** Creates the archives of a policy. */
  public Archives(Settings settings, Names names, Reports reports) {
    this.settings = settings;
    this.files = settings.files;
    this.names = names;
    this.reports = reports;
    this.suffix = settings.format.suffix();
  }

  /** Starts the compressor on what earlier runs left and what is rolled over from now on. */
  public void start() {
    Compressor.SHARED.add(new Archiver(this));
  }

  /** Returns the name of a rolled file's archive. */
  public Path archive(Path raw) {
    return suffix.isEmpty() ? raw : Path.of(raw + suffix);
  }

  /** Returns the name of a rolled file's archive until it is complete. */
  public Path part(Path raw) {
    return Path.of(archive(raw) + PART);
  }

  /** Returns whether the name of a rolled file or of its archive is taken. Lock held. */
  public boolean isTaken(Path raw) {
    return files.exists(archive(raw)) || !suffix.isEmpty() && files.exists(raw);
  }

  /** Returns the name itself, else the first free one of name.1, name.2 and so on. Lock held. */
  public Path free(Path raw) {
    Path name = raw;
    for (int number = 1; isTaken(name); number++) {
      name = raw.resolveSibling(raw.getFileName() + "." + number);
    }
    return name;
  }

  /** Renames the active file to become a rolled file of a name that is free. Lock held. */
  public void take(Path active, Path raw) throws IOException {
    files.rename(active, raw);
    add(raw);
  }

  /** Takes over a rolled file that has its name already. Lock held. */
  public void add(Path raw) {
    if (suffix.isEmpty()) {
      names.archived(raw);
    } else {
      jobs.add(new ArchiveJob(raw));
      Compressor.SHARED.wake();
    }
  }

  /** Leaves a file alone, as it is deleted or written again. Lock held. */
  public void leave(Path raw) {
    ArchiveJob job = job(raw);
    if (job != null) {
      job.gone = true;
      jobs.remove(job);
    }
  }

  /** Moves a rolled file and its archive, as far as they exist, to a free name. Lock held. */
  public void move(Path raw, Path next) throws IOException {
    if (!suffix.isEmpty() && files.exists(archive(raw))) { // it has the time of its rolled file
      files.rename(archive(raw), archive(next));
    }
    if (files.exists(raw)) {
      files.rename(raw, next);
      ArchiveJob job = job(raw);
      if (job != null) {
        job.raw = next;
      }
    }
  }

  /** Deletes a rolled file and its archive, as far as they exist. Lock held. */
  public void delete(Path raw) throws IOException {
    files.delete(archive(raw));
    files.delete(raw);
    leave(raw);
  }

  private ArchiveJob job(Path raw) {
    return jobs.stream().filter(job -> job.raw.equals(raw)).findAny().orElse(null);
  }

  /** Has the compressor thread run retention soon, once a file that waits has been tried. */
  public void clean(Runnable retention) {
    cleans.add(retention);
    Compressor.SHARED.wake();
  }

  /**
   * Waits until nothing is left to do but what has failed and is tried again later. Meanwhile the
   * compressor does not rest. Takes no lock.
   *
   * @return false if the time has passed
   */
  public boolean awaitDone(long mostNanos) {
    long begin = System.nanoTime();
    waiters.incrementAndGet();
    Compressor.SHARED.wake();
    while (!isDone()
        && System.nanoTime() - begin < mostNanos
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(this, POLL_NANOS);
    }
    waiters.decrementAndGet();
    return isDone();
  }

  private boolean isDone() {
    return stopped
        || searched && cleans.isEmpty() && jobs.stream().allMatch(job -> job.failures > 0);
  }

  /**
   * Stops, after a rename that is under way: nothing is renamed or deleted from then on. What waits
   * stays for the next start.
   *
   * @return how many files wait
   */
  public synchronized int stop() {
    stopped = true;
    Compressor.SHARED.wake();
    return jobs.size();
  }

  /** Returns the figures. Takes no lock. */
  public ArchiveMetrics metrics() {
    String failing =
        jobs.stream()
            .filter(job -> job.failures > 1)
            .map(job -> job.raw.toAbsolutePath().getParent().toString())
            .findFirst()
            .orElse("");
    return new ArchiveMetrics(jobs.size(), archived.get(), failures.get(), failing, names.owed());
  }

  /** Returns whether {@link #stop} was called. */
  public boolean isStopped() {
    return stopped;
  }

  // What the compressor thread reads and changes.

  boolean isAwaited() {
    return waiters.get() > 0;
  }

  /** Returns the retention that was asked for first; null if none is due. */
  Runnable nextClean() {
    return cleans.peek();
  }

  void cleaned() {
    cleans.remove();
  }

  /** Puts what earlier runs left, oldest first, before what has been rolled over meanwhile. */
  public synchronized void recovered(List<Path> left) {
    jobs.addAll(
        0,
        left.stream()
            .filter(raw -> files.exists(raw) && !names.isActive(raw) && job(raw) == null)
            .map(ArchiveJob::new)
            .toList());
  }

  /** Returns the oldest job that need not wait after a failure; null if there is none. */
  synchronized ArchiveJob next() {
    long now = System.nanoTime();
    return jobs.stream()
        .filter(job -> job.failures == 0 || job.retryAtNanos - now <= 0)
        .findFirst()
        .orElse(null);
  }

  /** Has a job tried again later. */
  synchronized void failed(ArchiveJob job, long retryAtNanos) {
    job.retryAtNanos = retryAtNanos;
    job.failures++;
    failures.incrementAndGet();
  }

  /** Counts and forgets a job whose archive is complete. Lock held. */
  void done(ArchiveJob job) {
    archived.incrementAndGet();
    leave(job.raw);
    names.archived(archive(job.raw));
  }
}
