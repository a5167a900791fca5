package io.spillway.internal.compress;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DSYNC;

import ch.qos.logback.core.spi.LifeCycle;
import io.spillway.archive.ArchiveListener;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Gives archives to a listener, each at least once, on a thread of its own. What the listener has
 * taken stands in a list beside the log: one name a line, relative to the directory of the list. A
 * line is appended and forced after each call; a start leaves out the names of files that are gone.
 * An archive that exists and is not in the list is owed.
 *
 * <p>Concurrency: {@code owed} is guarded by this monitor, which is never held during a call of the
 * listener, nor while the list is read or written.
 */
public final class ArchiveFeed {
  private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_DOUBLINGS = 8; // 256 seconds

  private final ArchiveListener listener;
  private final Path list;
  private final Reports reports;
  private final Map<Path, Owed> owed = new LinkedHashMap<>();
  private volatile boolean stopped;

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

  /** Begins to feed the listener with what exists, oldest first. */
  public void start(List<Path> archives) {
    archives.forEach(this::add);
    DetachedThread.of(() -> run(archives), "spillway-archive-listener").start();
  }

  /** Waits until list and listener can be used; without the list all would be given again. */
  private void begin(List<Path> archives) {
    while (!stopped) {
      try {
        leaveOutTaken(archives);
        if (listener instanceof LifeCycle owned && !owned.isStarted()) {
          owned.start();
        }
        return;
      } catch (Throwable notYet) {
        reports.failure(
            "archive.listener",
            "The archive listener with the list ["
                + list
                + "] cannot begin: "
                + Reports.text(notYet)
                + "; archives wait, and it is tried again. To do: see that the list is readable and"
                + " its directory writable, or delete the list to have all given again.",
            notYet);
        DetachedThread.pause(this, FIRST_PAUSE_NANOS);
      }
    }
  }

  private void leaveOutTaken(List<Path> archives) throws IOException {
    if (Files.exists(list)) {
      String names = new String(Files.readAllBytes(list), StandardCharsets.UTF_8);
      Set<String> known = names.lines().collect(Collectors.toSet());
      List<Path> kept = archives.stream().filter(each -> known.contains(name(each))).toList();
      rewrite(kept); // a crash may have cut the last line
      kept.forEach(this::done);
    }
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

  /** Returns how many archives the listener has not taken yet. */
  public synchronized int owed() {
    return owed.size();
  }

  private void run(List<Path> archives) {
    begin(archives);
    for (Path archive = next(); archive != null; archive = next()) {
      try {
        if (Files.exists(archive)) { // else retention was faster
          listener.archived(archive);
          append(archive);
        }
        done(archive);
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

  private synchronized void done(Path archive) {
    owed.remove(archive.toAbsolutePath());
  }

  private synchronized void refused(Path archive, Throwable why) {
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
