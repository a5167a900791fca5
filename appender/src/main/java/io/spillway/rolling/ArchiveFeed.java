package io.spillway.rolling;

import io.spillway.archive.ArchiveListener;
import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.compress.ArchiveNames.Kind;
import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Gives archives to a listener, the oldest first. What is to be given is what lies in the directory
 * and is not in the list of names that were taken, a file beside the archives: so a crash forgets
 * nothing, and costs at most that an archive is given again.
 *
 * <p>Concurrency: the compressor's thread says that there may be something new, and never waits; a
 * thread that lives while there is something to be given does all the rest. A listener that hangs
 * holds up that thread alone. {@code this} guards the flags and is held for moments.
 */
final class ArchiveFeed {
  private static final long FIRST_PAUSE_MILLIS = 1_000;
  private static final long LAST_PAUSE_MILLIS = 300_000;

  /**
   * When so many in a row are refused, the others wait, too: a store is away, not an archive bad.
   */
  private static final int MOST_REFUSALS = 3;

  private static final String THREAD_NAME = "spillway-archive-listener";

  private final ArchivingPolicy policy;
  private final ArchiveListener listener;
  private final Path list;
  private boolean asked; // under this, as the next two
  private boolean running;
  private boolean stopped;

  // Of the thread that runs.
  private Set<String> taken; // null until they are read
  private final Set<String> seen = new HashSet<>(); // and not taken

  /** Feeds the listener of a policy that starts. */
  ArchiveFeed(ArchivingPolicy policy, ArchiveListener listener) {
    this.policy = policy;
    this.listener = listener;
    String pattern = policy.getFileNamePattern();
    String name = pattern.substring(pattern.lastIndexOf('/') + 1).replaceAll("[^\\w.-]", "");
    list = policy.pattern().root().resolve(name + ".taken");
  }

  /** There may be something to be given. */
  synchronized void wake() {
    asked = true;
    if (!running && !stopped) {
      Thread thread = new Giving();
      try {
        thread.start();
        running = true;
      } catch (OutOfMemoryError noThread) {
        // The next archive asks again.
      }
    }
  }

  /** Gives nothing any more. Does not wait for a listener: what it has in hand is given again. */
  synchronized void stop() {
    stopped = true;
    notifyAll();
  }

  private synchronized boolean isStopped() {
    return stopped || !policy.archiver().isRunning(); // somebody else may have taken the names over
  }

  private final class Giving extends Thread {
    Giving() {
      super(null, null, THREAD_NAME, 0, false);
      setDaemon(true);
      setContextClassLoader(listener.getClass().getClassLoader());
    }

    @Override
    public void run() {
      long pause = 0;
      while (goOn(pause)) {
        boolean done = false;
        try {
          done = new Turn().give();
        } catch (Throwable t) {
          failed(
              "Archives cannot be given to the archive listener; those that it has taken are listed in ["
                  + list
                  + "]",
              t);
        }
        pause = done ? 0 : Math.min(Math.max(FIRST_PAUSE_MILLIS, 2 * pause), LAST_PAUSE_MILLIS);
      }
    }
  }

  /** Waits for the time of the next turn; false if there is none. */
  private synchronized boolean goOn(long pauseMillis) {
    long start = System.nanoTime();
    long left = pauseMillis;
    while (left > 0 && !isStopped()) {
      try {
        wait(left);
      } catch (InterruptedException notOurs) {
        // Nothing here ends by an interrupt.
      }
      left = pauseMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
    running = !isStopped() && (asked || pauseMillis > 0);
    asked = false;
    return running;
  }

  private void failed(String what, Throwable t) {
    try {
      policy.reports.warn(
          "archive.listener",
          what
              + ": "
              + t
              + ". It is tried again, after a second at first, then after pauses of up to five"
              + " minutes; compression and retention go on. To do: see what the archive listener"
              + " needs; without the list every archive is given again.");
    } catch (Throwable noMemory) {
      // Told at the next failure.
    }
  }

  /** One look at the directory, and what comes of it. */
  private final class Turn implements ArchiveNames.Visitor {
    private final TreeSet<Found> archives = new TreeSet<>();
    private final Set<Path> waiting = new HashSet<>(); // for their archives

    /** Returns whether all was taken. */
    boolean give() throws IOException {
      if (taken == null) {
        taken = read();
      }
      policy.site().names().walk(policy.files, this);
      Set<Path> written = policy.written();
      Set<String> present = new HashSet<>();
      for (Iterator<Found> all = archives.iterator(); all.hasNext(); ) {
        Found each = all.next();
        if (written.contains(each.file)) {
          all.remove();
        } else {
          present.add(each.name);
        }
      }
      taken.retainAll(present);
      int before = seen.size();
      seen.retainAll(present);
      tellGone(before - seen.size());
      int refused = 0;
      int inARow = 0;
      for (Found each : archives) {
        if (isStopped() || inARow == MOST_REFUSALS) {
          break;
        }
        if (taken.contains(each.name) || waiting.contains(each.file)) {
          continue; // while its rolled file is there, the archive is still to be judged
        }
        seen.add(each.name);
        if (give(each)) {
          inARow = 0;
        } else {
          refused++;
          inARow++;
        }
      }
      return refused == 0;
    }

    private boolean give(Found each) throws IOException {
      try {
        listener.archived(each.file);
      } catch (Throwable t) {
        if (!policy.files.exists(each.file)) {
          seen.remove(each.name);
          tellGone(1);
          return true;
        }
        failed("The archive listener did not take [" + each.file + "]", t);
        return false;
      }
      taken.add(each.name);
      seen.remove(each.name);
      if (!isStopped()) { // else a successor has the list
        write();
      }
      return true;
    }

    private void tellGone(int count) {
      if (count > 0) {
        policy.reports.warn(
            "archive.listener.late",
            count
                + " archives were deleted before the archive listener had taken them. To do: see why"
                + " it is late, or raise maxHistory or totalSizeCap.");
      }
    }

    @Override
    public boolean visit(Path file, Kind kind, Disk.State state) {
      if (kind == Kind.ARCHIVE) {
        archives.add(new Found(file, nameOf(file), state.modified().toMillis()));
      } else if (kind == Kind.RAW) {
        waiting.add(policy.site().names().archiveOf(file));
      }
      return true;
    }
  }

  /** An archive; the oldest first. */
  private static final class Found implements Comparable<Found> {
    private final Path file;
    private final String name;
    private final long millis;

    Found(Path file, String name, long millis) {
      this.file = file;
      this.name = name;
      this.millis = millis;
    }

    @Override
    public int compareTo(Found other) {
      int byTime = Long.compare(millis, other.millis);
      return byTime == 0 ? name.compareTo(other.name) : byTime;
    }
  }

  private String nameOf(Path archive) {
    return policy.pattern().root().toAbsolutePath().normalize().relativize(archive).toString();
  }

  private Set<String> read() throws IOException {
    try {
      return new TreeSet<>(Files.readAllLines(list, StandardCharsets.UTF_8));
    } catch (NoSuchFileException first) {
      return new TreeSet<>();
    }
  }

  private void write() throws IOException {
    Path next = list.resolveSibling(list.getFileName() + ".new");
    List<String> lines = new ArrayList<>(taken);
    Files.write(next, lines, StandardCharsets.UTF_8);
    Files.move(next, list, StandardCopyOption.ATOMIC_MOVE);
  }
}
