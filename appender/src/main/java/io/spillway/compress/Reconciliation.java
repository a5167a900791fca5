package io.spillway.compress;

import io.spillway.compress.ArchiveComparison.Outcome;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A rolled file and the archive of its name are both there, as after a crash: finds out which of
 * them is to go. Does what {@link ArchiveComparison} says; when in doubt, both stay.
 */
final class Reconciliation implements Job {
  private final Parts parts;
  private final Publisher publisher;
  private final OpenFile raw;
  private final OpenFile archive;
  private final ArchiveComparison comparison;
  private final Began began = Began.unrecorded(System.nanoTime());

  Reconciliation(Parts parts, Publisher publisher, OpenFile raw, OpenFile archive) {
    this.parts = parts;
    this.publisher = publisher;
    this.raw = raw;
    this.archive = archive;
    this.comparison = new ArchiveComparison(raw, archive, parts.settings().format());
  }

  @Override
  public TrackedPath path() {
    return raw.path();
  }

  @Override
  public boolean step(byte[] chunk) throws IOException {
    if (raw.path().isDropped()) {
      return false;
    }
    Outcome outcome = comparison.step(chunk);
    if (outcome == null) {
      return true;
    }
    if (outcome == Outcome.SAME && isOnDisk()) {
      publisher.retire(raw, raw.opened().bytes(), archive.opened(), began);
    } else {
      part(outcome);
    }
    return false;
  }

  /** A failed force is never repeated: the second one may succeed without having written. */
  private boolean isOnDisk() {
    Path path = archivePath();
    try {
      parts.files().force(path);
      return true;
    } catch (IOException e) {
      parts
          .reports()
          .warn(
              "archive.force",
              "Archive [" + path + "] cannot be forced to the disk and is made again: " + e);
      return false;
    }
  }

  private Path archivePath() {
    return parts.names().archiveOf(raw.path().now());
  }

  /** Either the archive goes, or the rolled file takes another name. */
  private void part(Outcome outcome) throws IOException {
    parts.rolled().lock().lock();
    try {
      Path path = archivePath();
      FileState found = parts.files().state(path);
      if (raw.now() == null || parts.isStopped() || !archive.opened().isSameFile(found)) {
        return; // one of them was moved or taken away meanwhile: looked at again
      }
      if (outcome == Outcome.DIFFERENT) {
        publisher.moveAside(raw);
        return;
      }
      publisher.discard(path);
      parts
          .reports()
          .warn(
              "archive.truncated",
              "Archive ["
                  + path
                  + "] was cut short; its rolled file ["
                  + raw.path().now()
                  + "] is whole and is compressed again.");
    } finally {
      parts.rolled().lock().unlock();
    }
  }

  @Override
  public void close() {
    parts.tracked().untrack(raw.path());
    parts.tracked().untrack(archive.path());
    Closing.close(parts, comparison);
  }
}
