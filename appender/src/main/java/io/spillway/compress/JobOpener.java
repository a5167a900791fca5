package io.spillway.compress;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.locks.Lock;

/** Opens what a job works on, under the lock, so that names and files belong together. */
final class JobOpener {
  private final Parts parts;
  private final Publisher publisher;

  JobOpener(Parts parts, Publisher publisher) {
    this.parts = parts;
    this.publisher = publisher;
  }

  /** The work that a rolled file needs, or null if it must wait or has gone. */
  Job open(Path raw) throws IOException {
    Lock lock = parts.rolled().lock();
    lock.lock();
    try {
      if (parts.files().state(raw) == null || parts.rolled().isActive(raw)) {
        return null;
      }
      OpenFile open = openFile(raw);
      Path archive = parts.names().archiveOf(raw);
      if (isRegular(archive)) {
        return new Reconciliation(parts, publisher, open, openBeside(open, archive));
      }
      return new RolledJob(parts, publisher, open);
    } finally {
      lock.unlock();
    }
  }

  /** A comparison of the suspect with what it was made from, or null if there is none. */
  Job openSuspect() throws IOException {
    Lock lock = parts.rolled().lock();
    lock.lock();
    try {
      Path suspect = parts.rolled().suspect();
      Path source = parts.rolled().suspectSource();
      if (!isRegular(suspect) || !isRegular(source)) {
        return null;
      }
      OpenFile open = openFile(source);
      return new SuspectJob(parts, publisher, open, openBeside(open, suspect));
    } finally {
      lock.unlock();
    }
  }

  private boolean isRegular(Path file) throws IOException {
    FileState state = file == null ? null : parts.files().state(file);
    return state != null && state.regular();
  }

  /** Under the lock. */
  OpenFile openFile(Path file) throws IOException {
    return openFile(parts.tracked().track(file));
  }

  /** Under the lock; the path is not tracked any more if this fails. */
  OpenFile openFile(TrackedPath path) throws IOException {
    try {
      return OpenFile.open(parts.files(), path);
    } catch (IOException | RuntimeException | Error e) {
      parts.tracked().untrack(path);
      throw e;
    }
  }

  private OpenFile openBeside(OpenFile first, Path second) throws IOException {
    try {
      return openFile(second);
    } catch (IOException | RuntimeException | Error e) {
      Closing.release(parts, first);
      throw e;
    }
  }
}
