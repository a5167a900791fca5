package io.spillway.spill;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Forces segments to the disk at an interval, on a thread of its own, and counts their events only
 * afterwards. A segment whose sync failed is closed and written again under a new inode: the system
 * may have dropped its pages, and a second sync would claim success.
 *
 * <p>Concurrency: the writer adds segments before it links them, this thread removes them; it alone
 * closes their write handles, so that no sync meets a closed file. Seal is read before mark, as in
 * {@link LiveSegment}: a sealed segment is done after one more sync.
 */
final class SpillSyncer implements Runnable {

  private static final String SYNC = "sync";
  private static final long CLOSE_MILLIS = 5_000;

  private final SpillFiles files;
  private final Faults faults;
  private final SpillCounters counters;
  private final SpillSlot slot;
  private final long intervalNanos;
  private final Queue<LiveSegment> segments = new ConcurrentLinkedQueue<>();
  private final CountDownLatch stop = new CountDownLatch(1);
  private final Thread thread;

  // Of the head of the queue; this thread only.
  private long syncedSequence = -1;
  private boolean rewrite;

  SpillSyncer(
      SpillFiles files, Faults faults, SpillCounters counters, SpillSlot slot, long intervalNanos) {
    this.files = files;
    this.faults = faults;
    this.counters = counters;
    this.slot = slot;
    this.intervalNanos = intervalNanos;
    this.thread = new Thread(this, "spillway-spill-sync");
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  void add(LiveSegment segment) {
    segments.add(segment);
  }

  @Override
  public void run() {
    boolean stopping = false;
    while (!stopping) {
      try {
        stopping = stop.await(intervalNanos, TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        continue; // not ours to obey: only close() ends this thread
      }
      pass();
    }
    for (LiveSegment left = segments.poll(); left != null; left = segments.poll()) {
      faults.close(left.writeFile, left.path);
    }
  }

  private void pass() {
    for (LiveSegment head = segments.peek(); head != null; head = segments.peek()) {
      boolean sealed = head.isSealed();
      if (!syncOne(head, sealed) || !sealed) {
        return;
      }
      segments.poll();
      faults.close(head.writeFile, head.path);
      syncedSequence = -1;
      rewrite = false;
    }
  }

  private boolean syncOne(LiveSegment segment, boolean sealed) {
    if (rewrite && segment.isRetired()) {
      return true; // delivered: nobody needs it on the disk any more
    }
    if (rewrite && !sealed) {
      return false; // an append is under way; it must not go into the old file after the copy
    }
    LiveSegment.Mark mark = segment.mark();
    boolean first = syncedSequence < 0;
    long from = first ? segment.firstSequence : syncedSequence;
    if (!first && mark.sequence() == from && !rewrite) {
      return true;
    }
    try {
      if (rewrite) {
        SegmentRewrite.rewrite(files, segment, mark.offset());
      } else {
        segment.writeFile.sync();
      }
      if (first || rewrite) {
        files.syncDirectory(slot.directory);
      }
    } catch (IOException e) {
      rewrite = true;
      segment.seal();
      faults.failed(SYNC, segment.path, e);
      return false;
    }
    counters.synced(mark.sequence() - from);
    syncedSequence = mark.sequence();
    faults.succeeded(SYNC);
    return true;
  }

  /** A last pass, bounded: a disk that hangs must not hang the application's stop. */
  void close() {
    stop.countDown();
    boolean interrupted = false;
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
    long leftMillis = CLOSE_MILLIS;
    while (thread.isAlive() && leftMillis > 0) {
      try {
        thread.join(leftMillis);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      leftMillis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    }
    if (thread.isAlive()) {
      faults.failed(SYNC, slot.directory, new IOException("the last sync has not returned"));
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
