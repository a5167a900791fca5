package io.spillway.compress;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file being read, whatever it is called meanwhile: the stream stays on the same bytes, and
 * {@link #now} tells whether its name still stands for them.
 */
final class OpenFile implements Closeable {
  private final ArchiveFiles files;
  private final TrackedPath path;
  private final FileState opened;
  private final InputStream in;

  private OpenFile(ArchiveFiles files, TrackedPath path, FileState opened, InputStream in) {
    this.files = files;
    this.path = path;
    this.opened = opened;
    this.in = in;
  }

  /** Under the lock, so that no rename of ours comes between the look and the opening. */
  static OpenFile open(ArchiveFiles files, TrackedPath path) throws IOException {
    Path name = path.now();
    FileState state = files.state(name);
    if (state == null) {
      throw new NoSuchFileException(name.toString());
    }
    if (!state.regular()) {
      throw new FileSystemException(name.toString(), null, "is not a regular file");
    }
    return new OpenFile(files, path, state, files.open(name));
  }

  TrackedPath path() {
    return path;
  }

  /** As it was when it was opened. */
  FileState opened() {
    return opened;
  }

  /** As its name shows it now, or null if its name stands for another file or none. */
  FileState now() throws IOException {
    FileState state = path.isDropped() ? null : files.state(path.now());
    return opened.isSameFile(state) ? state : null;
  }

  InputStream in() {
    return in;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
