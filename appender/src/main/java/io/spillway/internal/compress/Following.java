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
 * Archives the active file of one policy while it is written, and finishes those that were rolled
 * over: one stream of the compressor without flushes, so that an archive is as small as one made
 * afterwards.
 *
 * <p>Concurrency: the writer of the log says how far the file is good, and when and to where it was
 * rolled over, in this order; the compressor's thread does the rest. A follower is in {@code
 * finishing} before it is no longer {@code current}, so that {@link #owns} never misses it, and
 * says before that it is over, so that it is not opened again once it is finished.
 */
final class Following {
  /** How often the file is looked at; it need not be often, as the rest is done at once. */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** What can be compressed in a second without a rest; a longer remainder is paced. */
  private static final long URGENT_BYTES = 64L << 20;

  /** So many may have been begun and wait for their names: each has a stream and a part. */
  private static final int MOST_WAITING = 2;

  private final NameWriter names;
  private final Runnable fellBack;
  private final Queue<Follower> finishing = new ConcurrentLinkedQueue<>();
  private volatile Follower current; // written by the writer of the log

  /** Calls back for each file that is left to be archived like any other. */
  Following(NameWriter names, Runnable fellBack) {
    this.names = names;
    this.fellBack = fellBack;
  }

  /** Another active file; the one before, if it was not rolled over, is given up. */
  void follow(Path active) {
    unfollow();
    current = new Follower(active);
  }

  /** This is written and will not be taken back. */
  void grown(long from, long to) {
    Follower follower = current;
    if (follower != null) {
      if (from < follower.good.get()) {
        follower.cut = true; // by somebody, and what was followed is not what is there now
      }
      follower.good.lazySet(to); // a late one costs nothing, the true length decides
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

  /** The file that was followed, if any, is closed, and has its rolled name. */
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

  /** Whether a rolled file is being finished here. */
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

  /** The first that has its name: whose file somebody took away gets none, and holds up nobody. */
  private Follower next() {
    for (Follower follower : finishing) {
      if (!follower.isWaiting()) {
        return follower;
      }
    }
    return null;
  }

  /** Goes on with a file that was rolled over; false if there is none, or none that is urgent. */
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
    finishing.remove(follower); // not before: there may be no memory to close it
    fellBack.run(); // also if it is published: the file stays if it has grown since
    return true;
  }

  /** Takes a chunk of the active file; false if there is not enough of it yet. */
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
   * The names are given: whose file is not where it was rolled over to waits for nothing. It has a
   * name that nobody noted, as the step was cut short, and is archived like any other; or it is
   * gone.
   */
  void giveUpLost() {
    for (Follower follower : finishing) {
      Path path = follower.file.path();
      if (path != null && follower.file.isWaiting() && isGone(path)) {
        follower.file.rolled(path, true);
      }
    }
  }

  /** Not if it cannot be told now: it would be archived under the name that it waits with. */
  private boolean isGone(Path path) {
    try {
      return !names.files.exists(path);
    } catch (IOException e) {
      return false;
    }
  }

  private void failed(Follower follower, Throwable t) {
    follower.broken = true; // first: there may be no memory for the rest
    if (t instanceof Error) {
      names.unsure();
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

  /** The archiver is stopped: nobody hands over any more. */
  void abandon() {
    unfollow();
    for (Follower follower : finishing) {
      follower.close();
    }
    finishing.clear();
  }

  /** The archive of one file. */
  private final class Follower {
    private final Tracked file;
    private final AtomicLong good = new AtomicLong();
    private volatile long rolledNanos;
    private volatile boolean over; // it is not the active file any more
    private volatile boolean abandoned; // and was not rolled over
    private volatile boolean cut;
    // The compressor's.
    private Path upcoming; // the raw name that it was begun for
    private String entry; // that it was begun with
    private Path part;
    private ArchiveWriter writer;
    private State last; // the file as it was rolled over
    private Began finish;
    private boolean published;
    private boolean broken; // it ended badly, and the file will be archived like any other

    Follower(Path active) {
      file = names.track(active);
    }

    /**
     * Whether it has no raw name yet. One that is broken is not told of its name any more, and only
     * holds up those behind it.
     */
    boolean isWaiting() {
      return !broken && file.isWaiting();
    }

    /** Whether little enough is left to do it at once. */
    boolean isUrgent() {
      return abandoned || writer == null || good.get() - writer.position() <= URGENT_BYTES;
    }

    /** Takes a chunk of what has been written; false if there is not enough of it yet. */
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
        broken = true; // it will have another date in the end
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
      return new NameWriter.MeddledException(
          "[" + file.path() + "] was cut by somebody while it was followed");
    }

    /** Opens the file and the part; false while the file is not there. */
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
      if (over) { // the next active file is opened after that is said, so this may be the next
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

    /** After the rollover: takes a chunk of the rest, or publishes; false if there is no more. */
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

    /** Looks once at what the rolled name stands for. */
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

    /** Its entry has the name, and date, that were likely; the raw one may be gone by now. */
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
