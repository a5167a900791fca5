package io.spillway.internal.compress;

import io.spillway.internal.compress.NameWriter.Began;
import io.spillway.internal.compress.NameWriter.Tracked;
import io.spillway.internal.disk.Disk.State;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Archives the active file of one policy while it is written, and finishes the archive after the
 * rollover. Uses one compressor stream without flushes, so an archive is as small as one made after
 * the rollover.
 *
 * <p>Concurrency: the thread that writes the log announces how far the file is written, and then
 * when and to which name it was rolled over; the compressor thread does the rest. A follower is
 * marked as over before it is added to {@code finishing}, so that a finished file is not opened
 * again, and it is added before it is no longer {@code current}, so that {@link #owns} never misses
 * it.
 */
final class Following {
  /** Interval of checks for new bytes; may be long, as a rollover compresses the rest at once. */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Bytes that can be compressed in a second without a rest; a longer remainder is paced. */
  private static final long URGENT_BYTES = 64L << 20;

  /** Most begun files that wait for their raw names, as each has a stream and a part. */
  private static final int MOST_WAITING = 2;

  private final NameWriter names;
  private final Runnable fellBack;
  private final Queue<Follower> finishing = new ConcurrentLinkedQueue<>();
  private volatile Follower current; // set by the thread that writes the log

  /** Calls back after each file, which may be left to be archived like any other. */
  Following(NameWriter names, Runnable fellBack) {
    this.names = names;
    this.fellBack = fellBack;
  }

  /** Follows another active file; abandons the file before it, if that was not rolled over. */
  void follow(Path active) {
    unfollow();
    current = new Follower(active);
  }

  /** Announces bytes that are written and will not be rewritten. */
  void grown(long from, long to) {
    Follower follower = current;
    if (follower != null) {
      if (from < follower.good.get()) {
        follower.cut = true; // by another program: what was compressed is not in the file now
      }
      follower.good.lazySet(to); // may be seen late, as the file's length decides
    }
  }

  private void unfollow() {
    Follower follower = current;
    if (follower != null) {
      follower.abandoned = true;
      follower.over = true;
      finishing.add(follower);
      current = null;
    }
  }

  /** Announces that the followed file, if any, is closed and has its rolled name. */
  void rolled(Path to, boolean placed) {
    Follower follower = current;
    if (follower != null) {
      follower.file.rolled(to, placed);
      follower.rolledNanos = System.nanoTime();
      follower.over = true;
      finishing.add(follower);
      current = null;
    }
  }

  /** Returns whether the archive of a rolled file is being finished here. */
  boolean owns(Path raw) {
    for (Follower follower : finishing) {
      if (!follower.abandoned && raw.equals(follower.file.path())) {
        return true;
      }
    }
    return false;
  }

  long restNanos() {
    if (next() != null) {
      return 0;
    }
    return current == null ? Long.MAX_VALUE : POLL_NANOS;
  }

  /**
   * Returns the first follower whose file has its raw name; a file that another program removed
   * never gets a raw name, and must not delay the others.
   */
  private Follower next() {
    for (Follower follower : finishing) {
      if (!follower.isWaiting()) {
        return follower;
      }
    }
    return null;
  }

  /** Continues with a file that was rolled over; returns false if there is none that is due. */
  boolean finish(byte[] chunk, boolean urgentOnly) {
    Follower follower = next();
    if (follower == null || urgentOnly && !follower.isUrgent()) {
      return false;
    }
    try {
      if (follower.step(chunk)) {
        return true;
      }
    } catch (Throwable t) {
      failed(follower, t);
    }
    follower.close();
    finishing.remove(follower); // last: its close may fail for lack of memory
    fellBack.run(); // even if published: a file that has grown since stays
    return true;
  }

  /** Compresses a chunk of the active file; returns false if there is no full chunk yet. */
  boolean follow(byte[] chunk) {
    Follower follower = current;
    if (follower == null || follower.writer == null && waiting() >= MOST_WAITING) {
      return false;
    }
    try {
      return follower.follow(chunk);
    } catch (Throwable t) {
      failed(follower, t);
      follower.close();
      return true;
    }
  }

  private int waiting() {
    int waiting = 0;
    for (Follower follower : finishing) {
      waiting += follower.writer != null && follower.isWaiting() ? 1 : 0;
    }
    return waiting;
  }

  /**
   * Ends the wait for a raw name, once names have been given, of files that do not have their
   * rolled names any more. Such a file has a raw name that was not recorded, as an Error
   * interrupted the rename, and is archived like any other file; or it is gone.
   */
  void giveUpLost() {
    for (Follower follower : finishing) {
      Path path = follower.file.path();
      if (path != null && follower.file.isWaiting() && isGone(path)) {
        follower.file.rolled(path, true);
      }
    }
  }

  /**
   * Returns whether a path is free; false if that cannot be determined, because the file would then
   * be archived under its rolled name.
   */
  private boolean isGone(Path path) {
    try {
      return !names.files.exists(path);
    } catch (IOException e) {
      return false;
    }
  }

  private void failed(Follower follower, Throwable t) {
    follower.broken = true; // first: memory may be short for the rest
    if (t instanceof Error) {
      names.markInconsistent();
    }
    names.backlog.failed();
    names.reports.warn(
        "archive.follow",
        "Cannot archive ["
            + follower.file.path()
            + "] while it is written, so it is archived after its rollover: ",
        t,
        ". To do: " + NameWriter.remedy(t) + ".");
  }

  /** Frees all followers after the archiver's stop, when no file is handed over any more. */
  void abandon() {
    unfollow();
    for (Follower follower : finishing) {
      follower.close();
    }
    finishing.clear();
  }

  /** The archive of one followed file. */
  private final class Follower {
    private final Tracked file;
    private final AtomicLong good = new AtomicLong();
    private volatile long rolledNanos;
    private volatile boolean over; // the file is not active any more
    private volatile boolean abandoned; // over without a rollover
    private volatile boolean cut;
    // The fields below belong to the compressor thread.
    private Path upcoming; // the raw name that the archive was begun for
    private String entry; // entry name that the archive was begun with
    private Path part;
    private ArchiveWriter writer;
    private State last; // state of the file after its rollover
    private Began finish;
    private boolean published;
    private boolean broken; // after a failure: the file is archived like any other

    Follower(Path active) {
      file = names.track(active);
    }

    /**
     * Returns whether the file has no raw name yet. False for a broken follower, which does not
     * receive the raw name any more and would only delay the followers behind it.
     */
    boolean isWaiting() {
      return !broken && file.isWaiting();
    }

    /** Returns whether so little is left that it is compressed without a rest. */
    boolean isUrgent() {
      return abandoned || writer == null || good.get() - writer.position() <= URGENT_BYTES;
    }

    /** Compresses a chunk that has been written; returns false if there is no full chunk yet. */
    boolean follow(byte[] chunk) throws IOException {
      if (broken || over) {
        return false;
      }
      if (cut) {
        throw wasCut();
      }
      long end = good.get();
      long position = writer == null ? 0 : writer.position();
      if (end - position < chunk.length || !begin()) {
        return false;
      }
      State now = file.now();
      if (now != null && now.bytes() < end) {
        throw wasCut();
      }
      if (now != null && !names.isEntryOf(upcoming, entry, now)) {
        broken = true; // its entry would have another date
        close();
        return false;
      }
      try {
        return writer.step(file.in(), chunk, end);
      } catch (EOFException justNow) {
        throw wasCut();
      }
    }

    private IOException wasCut() {
      return new NameWriter.ForeignChangeException(
          "[" + file.path() + "] was cut by another program while it was followed");
    }

    /** Opens the file and the part; returns false while the file does not exist. */
    private boolean begin() throws IOException {
      if (writer != null) {
        return true;
      }
      if (file.in() == null) {
        if (names.files.state(file.path()) == null) {
          return false;
        }
        file.open();
      }
      if (over) { // the open file may be the next active one
        broken = true;
        close();
        return false;
      }
      upcoming = names.policy.upcoming();
      entry = names.entryName(upcoming, file.opened());
      part = names.names.part(names.names.archiveOf(upcoming));
      writer = names.begin(part, upcoming, file.opened());
      return true;
    }

    /**
     * Compresses a chunk of the rest after the rollover, or publishes; returns false at the end.
     */
    boolean step(byte[] chunk) throws IOException {
      if (broken || abandoned || cut || writer == null || !isWhatWasFollowed()) {
        return false;
      }
      if (writer.step(file.in(), chunk, last.bytes())) {
        return true;
      }
      published = names.publish(file, null, writer, last, finish);
      return false;
    }

    /** Returns whether the rolled name stands for the followed file, whose state is read once. */
    private boolean isWhatWasFollowed() throws IOException {
      if (last == null) {
        finish = Began.at(rolledNanos);
        last = file.now();
      }
      return last != null
          && last.bytes() >= good.get()
          && last.bytes() >= writer.position()
          && isNamedAsBegun(file.path());
    }

    /** Returns whether the archive was begun with the right name and date; the file may be gone. */
    private boolean isNamedAsBegun(Path raw) {
      return raw != null && names.isEntryOf(raw, entry, last);
    }

    void close() {
      file.close();
      names.end(writer, part, published);
      writer = null;
      part = null;
    }
  }
}
