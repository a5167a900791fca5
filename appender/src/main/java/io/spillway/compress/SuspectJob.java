package io.spillway.compress;

import io.spillway.compress.ArchiveComparison.Outcome;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Stock Logback compresses the active file itself for fixed windows and deletes it afterwards; when
 * it is killed in between, its archive holds what the active file begins with, and would be kept
 * beside the whole. Removes such an archive; anything else stays.
 */
final class SuspectJob implements Job {
  private final Parts parts;
  private final Publisher publisher;
  private final OpenFile active;
  private final OpenFile archive;
  private final ArchiveComparison comparison;

  SuspectJob(Parts parts, Publisher publisher, OpenFile active, OpenFile archive) {
    this.parts = parts;
    this.publisher = publisher;
    this.active = active;
    this.archive = archive;
    this.comparison = new ArchiveComparison(active, archive, parts.settings().format());
  }

  @Override
  public TrackedPath path() {
    return archive.path();
  }

  @Override
  public boolean step(byte[] chunk) throws IOException {
    Outcome outcome = comparison.step(chunk);
    if (outcome == null) {
      return true;
    }
    if (outcome != Outcome.DIFFERENT && comparison.comparedBytes() > 0) {
      discard();
    }
    return false;
  }

  private void discard() throws IOException {
    parts.rolled().lock().lock();
    try {
      Path suspect = parts.rolled().suspect();
      Path source = parts.rolled().suspectSource();
      if (parts.isStopped() || !isAt(suspect, archive) || !isAt(source, active)) {
        return; // moved out of sight: the content is in the archives twice, which harms nobody
      }
      publisher.discard(suspect);
      parts
          .reports()
          .warn(
              "archive.suspect",
              "Archive ["
                  + suspect
                  + "] was left by an interrupted rollover; all of it is still in ["
                  + source
                  + "], so it is removed.");
    } finally {
      parts.rolled().lock().unlock();
    }
  }

  private boolean isAt(Path path, OpenFile file) throws IOException {
    return path != null && file.opened().isSameFile(parts.files().state(path));
  }

  @Override
  public void close() {
    parts.tracked().untrack(active.path());
    parts.tracked().untrack(archive.path());
    Closing.close(parts, comparison);
  }
}
