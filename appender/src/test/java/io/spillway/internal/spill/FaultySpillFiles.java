package io.spillway.internal.spill;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The real files, with one operation, or all from one on, failing; writes fail half done. */
final class FaultySpillFiles implements SpillFiles {

  private final SpillFiles real = new RealSpillFiles();
  final AtomicLong operations = new AtomicLong();
  final AtomicLong bytesRead = new AtomicLong();
  final AtomicLong syncsSucceeded = new AtomicLong();
  final Set<String> failing = ConcurrentHashMap.newKeySet();
  volatile String unreadable; // the beginning of a file's name
  private volatile long failAt = Long.MAX_VALUE;
  private volatile boolean forEver;
  private volatile long shortAt = Long.MAX_VALUE;

  void failAt(long operation, boolean forEver) {
    this.forEver = forEver;
    failAt = operation;
  }

  /** No memory in that operation. */
  void shortAt(long operation) {
    shortAt = operation;
  }

  void heal() {
    failAt = Long.MAX_VALUE;
    failing.clear();
    unreadable = null;
  }

  /** Counts anything else that may be in want of memory as an operation. */
  void operation(String name) {
    fails(name);
  }

  private boolean fails(String name) {
    long operation = operations.incrementAndGet();
    if (operation == shortAt) {
      throw new OutOfMemoryError("injected into " + name);
    }
    return failing.contains(name) || operation == failAt || (forEver && operation > failAt);
  }

  private void check(String name) throws IOException {
    if (fails(name)) {
      throw new IOException("Input/output error (injected into " + name + ")");
    }
  }

  @Override
  public void createParents(Path directory) throws IOException {
    check("createParents");
    real.createParents(directory);
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    check("createDirectory");
    real.createDirectory(directory);
  }

  @Override
  public String exposure(Path directory) throws IOException {
    return real.exposure(directory); // it only warns
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    check("list");
    return real.list(directory);
  }

  @Override
  public Type type(Path path) throws IOException {
    check("type");
    return real.type(path);
  }

  @Override
  public long size(Path path) throws IOException {
    check("size");
    return real.size(path);
  }

  @Override
  public Object key(Path path) throws IOException {
    check("key");
    return real.key(path);
  }

  @Override
  public SpillFile create(Path path) throws IOException {
    check("create");
    return new FaultyFile(real.create(path));
  }

  @Override
  public SpillFile openForReading(Path path) throws IOException {
    check("openForReading");
    if (unreadable != null && path.getFileName().toString().startsWith(unreadable)) {
      throw new IOException("Input/output error (injected into " + path + ")");
    }
    return new FaultyFile(real.openForReading(path));
  }

  @Override
  public SpillFile openForWriting(Path path) throws IOException {
    check("openForWriting");
    return new FaultyFile(real.openForWriting(path));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    check("rename");
    real.rename(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    check("delete");
    real.delete(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    check("syncDirectory");
    real.syncDirectory(directory);
  }

  @Override
  public Closeable lock(Path path) throws IOException {
    check("lock");
    return real.lock(path);
  }

  private final class FaultyFile implements SpillFile {
    private final SpillFile file;

    FaultyFile(SpillFile file) {
      this.file = file;
    }

    @Override
    public void read(long position, byte[] bytes, int offset, int length) throws IOException {
      check("read");
      bytesRead.addAndGet(length);
      file.read(position, bytes, offset, length);
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      if (fails("write")) {
        file.write(position, bytes, offset, length / 2);
        throw new IOException("No space left on device (injected)");
      }
      if (failing.contains("afterWrite")) {
        file.write(position, bytes, offset, length);
        throw new IOException("Input/output error (injected after the write)");
      }
      file.write(position, bytes, offset, length);
    }

    @Override
    public long size() throws IOException {
      check("size");
      return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      check("truncate");
      file.truncate(size);
    }

    @Override
    public void sync() throws IOException {
      check("sync");
      file.sync();
      syncsSucceeded.incrementAndGet();
    }

    @Override
    public void close() throws IOException {
      boolean failed = fails("close");
      file.close();
      if (failed) {
        throw new IOException("Input/output error (injected into close)");
      }
    }
  }
}
