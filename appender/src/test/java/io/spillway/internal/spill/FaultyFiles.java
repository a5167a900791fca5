package io.spillway.internal.spill;

import io.spillway.internal.disk.DirectoryLock;
import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The real files, with the Nth operation, or all from it on, or all of a name failing; a write that
 * fails is half done. Its clock goes on only when it is told to.
 */
final class FaultyFiles extends SpillFiles {
  /** Is told of each operation before it is done. */
  interface Hook {
    void before(String operation, Path path) throws IOException;
  }

  private static final int SMALL = 64;

  final AtomicLong operations = new AtomicLong();
  final AtomicLong nanos = new AtomicLong();
  final Set<String> failing = ConcurrentHashMap.newKeySet();
  final Set<String> done = ConcurrentHashMap.newKeySet();
  volatile String text = "Input/output error";
  volatile Hook hook = (operation, path) -> {};
  volatile long usable = -1; // the real one
  volatile boolean rival; // has the lock
  private volatile long failAt = Long.MAX_VALUE;
  private volatile boolean forEver;

  void failAt(long operation, boolean always) {
    forEver = always;
    failAt = operation;
  }

  void heal() {
    failAt = Long.MAX_VALUE;
    failing.clear();
  }

  void elapse(long millis) {
    nanos.addAndGet(millis * 1_000_000);
  }

  private void check(String name, Path path) throws IOException {
    long operation = operations.incrementAndGet();
    done.add(name);
    hook.before(name, path);
    if (failing.contains(name) || operation == failAt || (forEver && operation > failAt)) {
      throw new IOException(text + " (injected into " + name + ")");
    }
  }

  @Override
  public long nanoTime() {
    return nanos.get();
  }

  @Override
  public long currentTimeMillis() {
    return 1_764_000_000_000L;
  }

  @Override
  public boolean createDirectory(Path directory) throws IOException {
    check("createDirectory", directory);
    return super.createDirectory(directory);
  }

  @Override
  public void removeIfEmpty(Path directory) throws IOException {
    check("removeIfEmpty", directory);
    super.removeIfEmpty(directory);
  }

  @Override
  public String[] list(Path directory) throws IOException {
    check("list", directory);
    return super.list(directory);
  }

  @Override
  public DirectoryLock lock(Path directory) throws IOException {
    check("lock", directory);
    return rival ? null : super.lock(directory);
  }

  @Override
  public OpenFile create(Path path) throws IOException {
    check("create", path);
    return new FaultyFile(super.create(path), path);
  }

  @Override
  public OpenFile open(Path path) throws IOException {
    check("open", path);
    return new FaultyFile(super.open(path), path);
  }

  @Override
  public OpenFile openToRead(Path path) throws IOException {
    check("openToRead", path);
    return new FaultyFile(super.openToRead(path), path);
  }

  @Override
  public long size(Path path) throws IOException {
    check("size", path);
    return super.size(path);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    check("rename", from);
    super.rename(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    check("delete", path);
    super.delete(path);
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    check("forceDirectory", directory);
    super.forceDirectory(directory);
  }

  @Override
  public long usableSpace(Path directory) {
    return usable < 0 ? super.usableSpace(directory) : usable;
  }

  private final class FaultyFile implements OpenFile {
    private final OpenFile file;
    private final Path path;

    FaultyFile(OpenFile file, Path path) {
      this.file = file;
      this.path = path;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      check("read", path);
      return file.read(into, position);
    }

    @Override
    public void write(ByteBuffer from, long position) throws IOException {
      boolean mark = position == SegmentFormat.MARK_AT;
      int half = from.remaining() / 2;
      if (half > SMALL) { // a mark, a seal, a header are written or not
        file.write(from.duplicate().limit(from.position() + half), position);
      }
      check(mark ? "mark" : "write", path);
      file.write(from, position);
      if (failing.contains("afterWrite") && !mark) {
        throw new IOException(text + " (injected behind a write)");
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      check("truncate", path);
      file.truncate(size);
    }

    @Override
    public void force() throws IOException {
      check("force", path);
      file.force();
    }

    @Override
    public void close() throws IOException {
      file.close();
      check("close", path);
    }
  }
}
