package io.spillway.compress;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;

/** The real files; before each operation a hook may fail it, hold it, or end the process. */
final class HookedFiles implements ArchiveFiles {
  /** Is told of each operation before it is done. */
  interface Hook {
    void before(long number, String operation, Path file) throws IOException;
  }

  private final ArchiveFiles real = new RealArchiveFiles();
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
  public FileState state(Path file) throws IOException {
    before("state", file);
    return real.state(file);
  }

  @Override
  public InputStream open(Path file) throws IOException {
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
  public PartFile create(Path file) throws IOException {
    before("create", file);
    PartFile part = real.create(file);
    return new PartFile() {
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
  public void dress(Path file, FileState as) throws IOException {
    before("dress", file);
    real.dress(file, as);
  }

  @Override
  public void force(Path file) throws IOException {
    before("force archive", file);
    real.force(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    before("rename", from);
    real.rename(from, to);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    before("force directory", directory);
    real.forceDirectory(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    before("delete", file);
    real.delete(file);
  }

  @Override
  public DirectoryStream<Path> list(Path directory) throws IOException {
    before("list", directory);
    return real.list(directory);
  }
}
