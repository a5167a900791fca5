package io.spillway.compress;

import java.nio.file.Path;
import java.util.Queue;

/** What the worker does for one archiver, put together from its parts. */
final class ArchiverDuty implements CompressionWorker.Duty {
  private final Parts parts;
  private final RolledJobs rolledJobs;
  private final FollowedJobs followedJobs;
  private final Housekeeper housekeeper;
  private long archivedBefore;
  private volatile boolean hurrying;

  ArchiverDuty(Parts parts, Queue<Path> rubbish) {
    this.parts = parts;
    Publisher publisher = new Publisher(parts);
    JobOpener opener = new JobOpener(parts, publisher);
    followedJobs = new FollowedJobs(parts, publisher, opener, this::look);
    rolledJobs = new RolledJobs(parts, opener, followedJobs::owns);
    housekeeper = new Housekeeper(parts, rubbish, this::look);
  }

  private void look() {
    if (!parts.names().isInPlace()) {
      rolledJobs.look();
    }
  }

  FollowedJobs followed() {
    return followedJobs;
  }

  /** Somebody waits: as fast as it gets from now on. */
  void hurry() {
    hurrying = true;
  }

  /** Whether nothing is known to wait, and the first look is through. */
  boolean isIdle() {
    return housekeeper.isSwept() && parts.backlog().files() == 0;
  }

  void sweep() {
    housekeeper.sweep();
  }

  /** A file was rolled over. */
  void rolled() {
    look();
    housekeeper.settle();
  }

  @Override
  public boolean isStopped() {
    return parts.isStopped();
  }

  @Override
  public void abandon() {
    rolledJobs.abandon();
    followedJobs.abandon();
    while (housekeeper.deleteOne()) {
      continue; // what cannot be deleted is found by the next start
    }
  }

  @Override
  public boolean attend(byte[] chunk) {
    if (parts.isStopped()) {
      return true; // to be removed in the next round
    }
    return housekeeper.work() || archived(followedJobs.finish(chunk, true));
  }

  @Override
  public boolean follow(byte[] chunk) {
    return !parts.isStopped()
        && (archived(followedJobs.finish(chunk, false)) || followedJobs.follow(chunk));
  }

  @Override
  public boolean compress(byte[] chunk) {
    return !parts.isStopped() && archived(rolledJobs.work(chunk));
  }

  /** Retention is due after each archive. */
  private boolean archived(boolean worked) {
    if (worked) {
      parts.tally().pieces.incrementAndGet();
    }
    long now = parts.tally().archived.get();
    if (now != archivedBefore) {
      archivedBefore = now;
      housekeeper.settle();
    }
    return worked;
  }

  @Override
  public boolean isBusy() {
    return rolledJobs.isBusy();
  }

  @Override
  public double cpuShare() {
    return hurrying ? 1 : parts.settings().cpuShare();
  }

  @Override
  public long restNanos() {
    return Math.min(
        housekeeper.restNanos(), Math.min(followedJobs.restNanos(), rolledJobs.restNanos()));
  }

  @Override
  public void survived(Throwable t) {
    parts.tally().failures.incrementAndGet();
    rolledJobs.pause();
    rolledJobs.abandon();
    parts
        .reports()
        .error(
            "archive.worker",
            "The compressor met an unexpected failure and goes on; nothing is lost. To do: report"
                + " it, please.",
            t);
  }
}
