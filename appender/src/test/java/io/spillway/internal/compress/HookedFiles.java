package io.spillway.internal.compress;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** The real files; before each operation a hook may fail it, hold it, or end the process. */
final class HookedFiles extends ArchiveFiles {
  /** Is told of each operation before it is done. */
  interface Hook {
    void before(long number, String operation, Path file) throws IOException;
  }

  private final ArchiveFiles real = new ArchiveFiles();
  private final AtomicLong operations = new AtomicLong();
  private volatile Hook hook = (number, operation, file) -> {};

  /** What happens from now on. */
  HookedFiles hook(Hook next) {
    hook = next;
    return this;
  }

  long operations() {
    return operations.get();
  }

  private void before(String operation, Path file) throws IOException {
    hook.before(operations.incrementAndGet(), operation, file);
  }

  @Override
  public State state(Path file) throws IOException {
    before("state", file);
    return real.state(file);
  }

  @Override
  InputStream open(Path file) throws IOException {
    before("open", file);
    return new FilterInputStream(real.open(file)) {
      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        before("read", file);
        return in.read(bytes, offset, length);
      }

      @Override
      public void close() throws IOException {
        in.close();
        before("close source", file);
      }
    };
  }

  @Override
  Part create(Path file) throws IOException {
    before("create", file);
    Part part = real.create(file);
    return new Part() {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        int half = length / 2;
        part.write(bytes, offset, half);
        before("write", file);
        part.write(bytes, offset + half, length - half);
      }

      @Override
      void force() throws IOException {
        before("force", file);
        part.force();
      }

      @Override
      public void close() throws IOException {
        part.close();
        before("close", file);
      }
    };
  }

  @Override
  void copyAttributes(Path file, State from) throws IOException {
    before("attributes", file);
    real.copyAttributes(file, from);
  }

  @Override
  void force(Path file) throws IOException {
    before("force archive", file);
    real.force(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    before("rename", from);
    real.rename(from, to);
  }

  @Override
  void forceDirectory(Path directory) throws IOException {
    before("force directory", directory);
    real.forceDirectory(directory);
  }

  @Override
  void delete(Path file) throws IOException {
    before("delete", file);
    real.delete(file);
  }

  @Override
  public DirectoryStream<Path> list(Path directory) throws IOException {
    before("list", directory);
    return real.list(directory);
  }
}
