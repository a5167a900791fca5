package io.spillway.compress;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;

/**
 * Gives a written archive its name and takes the rolled file away, in an order that loses nothing
 * wherever it is cut; the steps are in this package's description. Worker thread only.
 */
final class Publisher {
  private final Parts parts;

  Publisher(Parts parts) {
    this.parts = parts;
  }

  /**
   * Publishes what the writer made of the rolled file.
   *
   * @param as the rolled file when all of it had been read
   * @return false if the rolled file is not any more what was compressed; then nothing is done
   */
  boolean publish(OpenFile raw, ArchiveWriter writer, FileState as, Began began)
      throws IOException {
    writer.end();
    dress(writer.part(), as);
    writer.seal();
    FileState written = name(raw, writer);
    if (written == null) {
      return false;
    }
    retire(raw, as.bytes(), written, began);
    return true;
  }

  /** Without them the archive is the owner's alone, which is no reason to keep it from him. */
  private void dress(Path part, FileState as) {
    try {
      parts.files().dress(part, as);
    } catch (IOException e) {
      parts
          .reports()
          .warn(
              "archive.attributes",
              "Archive [" + part + "] has not got its rolled file's permissions and time: " + e);
    }
  }

  /** Renames under the lock; returns the archive's identity, or null if the rolled file changed. */
  private FileState name(OpenFile raw, ArchiveWriter writer) throws IOException {
    parts.rolled().lock().lock();
    try {
      FileState now = raw.now();
      if (now == null
          || parts.isStopped()
          || now.bytes() != writer.position()
          || parts.rolled().isActive(raw.path().now())) {
        return null;
      }
      Path archive = freeArchive(raw);
      FileState written = parts.files().state(writer.part());
      parts.files().rename(writer.part(), archive);
      return written;
    } finally {
      parts.rolled().lock().unlock();
    }
  }

  private Path freeArchive(OpenFile raw) throws IOException {
    Path archive = parts.names().archiveOf(raw.path().now());
    if (parts.files().state(archive) == null) {
      return archive;
    }
    moveAside(raw);
    archive = parts.names().archiveOf(raw.path().now());
    if (parts.files().state(archive) != null) {
      throw new FileAlreadyExistsException(archive.toString());
    }
    return archive;
  }

  /** Under the lock. */
  void moveAside(OpenFile raw) throws IOException {
    Path from = raw.path().now();
    Path to = parts.rolled().moveAside(from);
    parts.tracked().moved(from, to);
    parts.backlog().moved(from, to);
    parts
        .reports()
        .warn(
            "archive.taken",
            "The name of the archive of ["
                + from
                + "] is taken by another file, which stays as it is; the rolled file is now ["
                + to
                + "].");
  }

  /**
   * Takes the rolled file away once its archive is on the disk under its name. Forces the directory
   * first and without the lock: a rollover may be waiting for it, and on two file systems nothing
   * else keeps the order over a power cut.
   */
  void retire(OpenFile raw, long length, FileState written, Began began) throws IOException {
    Path path;
    Path archive;
    boolean moved;
    do {
      Path directory = parts.names().archiveOf(raw.path().now()).getParent();
      parts.files().forceDirectory(directory);
      parts.rolled().lock().lock();
      try {
        FileState now = raw.now();
        path = raw.path().now();
        archive = parts.names().archiveOf(path);
        if (now == null
            || parts.isStopped()
            || now.bytes() != length
            || !written.isSameFile(parts.files().state(archive))) {
          return; // somebody took one of them away: what is left is looked at again
        }
        moved = !archive.getParent().equals(directory);
        if (!moved) {
          discard(path);
        }
      } finally {
        parts.rolled().lock().unlock();
      }
    } while (moved);
    parts.tally().archived(length, written.bytes(), System.nanoTime() - began.nanos());
    began.end(path, archive, length, written.bytes());
  }

  /** Under the lock: the file has served. */
  Path discard(Path file) throws IOException {
    Path done = parts.names().done(file);
    parts.files().rename(file, done);
    parts.tracked().dropped(file);
    parts.backlog().forget(file);
    parts.rubbish().accept(done);
    return done;
  }
}
