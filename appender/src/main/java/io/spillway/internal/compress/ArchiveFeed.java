package io.spillway.internal.compress;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DSYNC;

import ch.qos.logback.core.spi.LifeCycle;
import io.spillway.archive.ArchiveListener;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.ArchiveMetrics;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Gives archives to a listener, each at least once, on a thread of its own. What the listener has
 * taken stands in a list beside the log: one name a line, relative to the directory of the list. A
 * line is appended and forced after each call; a start leaves out the names of files that are gone.
 * An archive that exists and is not in the list is owed.
 *
 * <p>Concurrency: the fields are guarded by this monitor, which is never held during a call of the
 * listener or a write of the list.
 */
public final class ArchiveFeed {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 8; // 256 seconds

  private final ArchiveListener listener;
  private final Path list;
  private final Reports reports;
  private final Map<Path, Owed> owed = new LinkedHashMap<>();
  private boolean stopped;
  private long taken;
  private long refusals;

  private static final class Owed {
    private int refusals;
    private long dueNanos = System.nanoTime();
  }

  /** Creates a feed, which begins with {@link #start}. */
  public ArchiveFeed(ArchiveListener listener, Path list, Reports reports) {
    this.listener = listener;
    this.list = list.toAbsolutePath();
    this.reports = reports;
  }

  /**
   * Begins to feed the listener with what exists, oldest first.
   *
   * @throws IOException if the list cannot be read; without it all would be given again
   */
  public void start(List<Path> archives) throws IOException {
    if (Files.exists(list)) {
      Set<String> known = new HashSet<>(Files.readAllLines(list));
      List<Path> kept = archives.stream().filter(each -> known.contains(name(each))).toList();
      rewrite(kept); // a crash may have cut the last line
      archives.stream().filter(each -> !kept.contains(each)).forEach(this::add);
    } else {
      archives.forEach(this::add);
    }
    if (listener instanceof LifeCycle owned && !owned.isStarted()) {
      owned.start();
    }
    DetachedThread.of(this::run, "spillway-archive-listener").start();
  }

  private String name(Path archive) {
    return list.getParent().relativize(archive.toAbsolutePath()).toString();
  }

  private void rewrite(List<Path> kept) throws IOException {
    Path next = list.resolveSibling(list.getFileName() + ".new");
    Files.deleteIfExists(next);
    try (OutputStream out = Files.newOutputStream(next, CREATE_NEW, DSYNC)) {
      for (Path archive : kept) {
        out.write(line(archive));
      }
    }
    Files.move(next, list, StandardCopyOption.ATOMIC_MOVE);
  }

  private byte[] line(Path archive) {
    return (name(archive) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Gives an archive to the listener soon. */
  public synchronized void add(Path archive) {
    owed.putIfAbsent(archive.toAbsolutePath(), new Owed());
    notifyAll();
  }

  /** Stops; a call under way ends in its own time. What is owed is given after the next start. */
  public void stop() {
    synchronized (this) {
      stopped = true;
      notifyAll();
    }
    if (listener instanceof LifeCycle owned && owned.isStarted()) {
      owned.stop();
    }
  }

  /** Returns figures with those of this feed. */
  public synchronized ArchiveMetrics with(ArchiveMetrics archives) {
    return new ArchiveMetrics(
        archives.backlogFiles(),
        archives.backlogBytes(),
        archives.archived(),
        archives.archivedBytes(),
        archives.archiveBytes(),
        archives.failures(),
        archives.lastArchiveNanos(),
        archives.failing(),
        taken,
        owed.size(),
        refusals);
  }

  private void run() {
    for (Path archive = next(); archive != null; archive = next()) {
      try {
        boolean given = Files.exists(archive); // else retention was faster
        if (given) {
          listener.archived(archive);
          append(archive);
        }
        done(archive, given);
      } catch (Throwable refused) {
        refused(archive, refused);
      }
    }
  }

  /** Waits for an archive that is to be given now; null at the end. */
  private synchronized Path next() {
    while (!stopped) {
      long rest = TimeUnit.HOURS.toNanos(1);
      for (Map.Entry<Path, Owed> each : owed.entrySet()) {
        long left = each.getValue().dueNanos - System.nanoTime();
        if (left <= 0) {
          return each.getKey();
        }
        rest = Math.min(rest, left);
      }
      try {
        wait(1 + rest / 1_000_000);
      } catch (InterruptedException ofListener) {
        continue; // this thread is ended by stop() only
      }
    }
    return null;
  }

  private void append(Path archive) {
    try {
      Files.write(list, line(archive), CREATE, APPEND, DSYNC);
    } catch (IOException e) { // it has been given all the same
      reports.failure(
          "archive.taken",
          "Cannot note in ["
              + list
              + "] that ["
              + archive
              + "] was taken: "
              + e
              + "; after a restart it is given again. To do: make the list writable.",
          e);
    }
  }

  private synchronized void done(Path archive, boolean given) {
    taken += given ? 1 : 0;
    owed.remove(archive);
  }

  private synchronized void refused(Path archive, Throwable why) {
    refusals++;
    Owed its = owed.get(archive);
    its.dueNanos =
        System.nanoTime() + (FIRST_PAUSE_NANOS << Math.min(MOST_DOUBLINGS, its.refusals++));
    reports.warn(
        "archive.listener",
        "The archive listener has not taken ["
            + archive
            + "], which is given again later: "
            + Reports.text(why)
            + ". To do: see what it says.");
  }
}
