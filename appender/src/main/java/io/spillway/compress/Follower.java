package io.spillway.compress;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

/**
 * The archive of one file, made while the file is still written: one stream of the compressor
 * without flushes, so that it is as small as one made afterwards.
 *
 * <p>Concurrency: the writer of the log says how far the file is good, and when and to where it was
 * rolled over, in this order; the worker reads that and does the rest. The length is published
 * lazily: a late one costs nothing, as the file's true length decides in the end.
 */
final class Follower implements Job {
  /** What can be compressed in a second without a rest; a longer remainder is paced. */
  private static final long URGENT_BYTES = 64L << 20;

  private final Parts parts;
  private final Publisher publisher;
  private final JobOpener opener;
  private final TrackedPath path;
  private final AtomicLong good = new AtomicLong();
  private volatile long rolledNanos;
  private volatile boolean rolled;

  // The worker's.
  private OpenFile file;
  private Path part;
  private ArchiveWriter writer;
  private FileState last; // the file as it was rolled over
  private Began finish;
  private boolean published;
  private boolean broken;

  Follower(Parts parts, Publisher publisher, JobOpener opener, Path active) {
    this.parts = parts;
    this.publisher = publisher;
    this.opener = opener;
    this.path = parts.tracked().track(active);
  }

  /** By the writer of the log: so much of the file is written and will not be taken back. */
  void grown(long length) {
    good.lazySet(length);
  }

  /** By the writer of the log: the file is closed, and has its raw name. */
  void rolled(Path raw) {
    path.moved(path.now(), raw);
    rolledNanos = System.nanoTime();
    rolled = true;
  }

  @Override
  public TrackedPath path() {
    return path;
  }

  /** Whether the archive is published. */
  boolean isPublished() {
    return published;
  }

  /** Following went wrong and has ended; the file will be archived like any other. */
  void broke() {
    broken = true;
    close();
  }

  /** Whether little enough is left to do it at once. */
  boolean isUrgent() {
    return writer == null || good.get() - writer.position() <= URGENT_BYTES;
  }

  /** Takes a chunk of what has been written; false if there is not enough of it yet. */
  boolean follow(byte[] chunk) throws IOException {
    long end = good.get();
    if (broken || rolled || end - position() < chunk.length || !begin()) {
      return false;
    }
    FileState now = file.now();
    if (now != null && now.bytes() < end) {
      throw new IOException("[" + path.now() + "] was cut by somebody while it was followed");
    }
    return writer.step(file.in(), chunk, end);
  }

  private long position() {
    return writer == null ? 0 : writer.position();
  }

  /** Opens the file and the part; false while the file is not there. */
  private boolean begin() throws IOException {
    if (writer != null) {
      return true;
    }
    Lock lock = parts.rolled().lock();
    lock.lock();
    try {
      if (rolled || parts.files().state(path.now()) == null) {
        return false;
      }
      file = opener.openFile(path);
    } finally {
      lock.unlock();
    }
    Path upcoming = parts.rolled().upcoming();
    part = parts.names().part(upcoming);
    parts.writing().add(part);
    writer =
        new ArchiveWriter(
            parts.files(),
            part,
            parts.rolled().entryName(parts.names().rawOf(upcoming), file.opened().modified()),
            parts.settings());
    return true;
  }

  /** After the rollover: takes a chunk of the rest, or publishes; false when there is no more. */
  @Override
  public boolean step(byte[] chunk) throws IOException {
    if (broken || writer == null || !isWhatWasFollowed()) {
      return false;
    }
    if (writer.step(file.in(), chunk, last.bytes())) {
      return true;
    }
    published = publisher.publish(file, writer, last, finish);
    return false;
  }

  /** Looks once at what the raw name stands for. */
  private boolean isWhatWasFollowed() throws IOException {
    if (last == null) {
      finish = Began.at(rolledNanos);
      Lock lock = parts.rolled().lock();
      lock.lock();
      try {
        last = file.now();
      } finally {
        lock.unlock();
      }
    }
    return last != null && last.bytes() >= good.get() && last.bytes() >= writer.position();
  }

  @Override
  public void close() {
    if (file == null) {
      parts.tracked().untrack(path);
    } else {
      Closing.release(parts, file);
    }
    Closing.end(parts, writer, part, published);
    file = null;
    writer = null;
    part = null;
  }
}
