package io.spillway.compress;

import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Follows the active file of one policy, and finishes those that were rolled over.
 *
 * <p>Concurrency: one writer of the log hands followers over, the worker does the rest. A follower
 * is in {@code finishing} before it is no longer {@code current}, so that {@link #owns} never
 * misses it.
 */
final class FollowedJobs {
  /** How often the file is looked at; it need not be often, as the rest is done at once. */
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Parts parts;
  private final Publisher publisher;
  private final JobOpener opener;
  private final Runnable fellBack;
  private final Queue<Follower> finishing = new ConcurrentLinkedQueue<>();
  private final Queue<Follower> given = new ConcurrentLinkedQueue<>(); // given up
  private volatile Follower current;

  FollowedJobs(Parts parts, Publisher publisher, JobOpener opener, Runnable fellBack) {
    this.parts = parts;
    this.publisher = publisher;
    this.opener = opener;
    this.fellBack = fellBack;
  }

  void follow(Path active) {
    unfollow();
    current = new Follower(parts, publisher, opener, active);
  }

  void grown(long length) {
    Follower follower = current;
    if (follower != null) {
      follower.grown(length);
    }
  }

  private void unfollow() {
    Follower follower = current;
    if (follower != null) {
      given.add(follower);
      current = null;
    }
  }

  /** The file that was followed, if any, is rolled over. */
  void rolled(Path raw) {
    Follower follower = current;
    if (follower != null) {
      follower.rolled(raw);
      finishing.add(follower);
      current = null;
    }
  }

  /** Whether a rolled file is being finished here. */
  boolean owns(Path raw) {
    for (Follower follower : finishing) {
      if (follower.path().now().equals(raw)) {
        return true;
      }
    }
    return false;
  }

  long restNanos() {
    if (!finishing.isEmpty() || !given.isEmpty()) {
      return 0;
    }
    return current == null ? Long.MAX_VALUE : POLL_NANOS;
  }

  /** Goes on with a file that was rolled over; false if there is none, or none that is urgent. */
  boolean finish(byte[] chunk, boolean urgentOnly) {
    Follower up = given.poll();
    if (up != null) {
      up.close();
      return true;
    }
    Follower follower = finishing.peek();
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
    finishing.remove(follower);
    if (!follower.isPublished()) {
      fellBack.run();
    }
    return true;
  }

  /** Takes a chunk of the active file; false if there is not enough of it yet. */
  boolean follow(byte[] chunk) {
    Follower follower = current;
    if (follower == null) {
      return false;
    }
    try {
      return follower.follow(chunk);
    } catch (Throwable t) {
      failed(follower, t);
      follower.broke();
      return true;
    }
  }

  private void failed(Follower follower, Throwable t) {
    parts.tally().failures.incrementAndGet();
    parts
        .reports()
        .warn(
            "archive.follow",
            "Cannot archive ["
                + follower.path().now()
                + "] while it is written, so it is archived after its rollover: "
                + t
                + ". To do: make room on the disk or in the quota.");
  }

  /** The archiver is stopped: nobody hands over any more. */
  void abandon() {
    unfollow();
    finishing.forEach(Follower::close);
    finishing.clear();
    given.forEach(Follower::close);
    given.clear();
  }
}
