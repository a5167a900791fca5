package io.spillway.testkit;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import java.io.Closeable;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The real disk, with one operation, or all from one on, or all of a name failing; writes fail half
 * done. Before each operation a hook may do anything else: hold it, or end the process. Knows what
 * a power cut may take at each moment, where a file system forces no more than it is asked to.
 */
public final class FaultyDisk extends Disk {

  /** Is told of each operation before it is done; of a close, after it. */
  public interface Hook {
    void before(long number, String operation, Path path) throws IOException;
  }

  public final AtomicLong operations = new AtomicLong();
  public final AtomicLong bytesRead = new AtomicLong();
  public final AtomicLong syncsSucceeded = new AtomicLong();
  public final Set<String> failing = ConcurrentHashMap.newKeySet();
  public volatile String unreadable; // the beginning of a file's name
  public volatile long unreadableFrom = Long.MAX_VALUE; // of each file, for random access
  public volatile long unreadableTo;
  private final Disk real = new Disk();
  private final Set<Path> unforcedBytes = ConcurrentHashMap.newKeySet();
  private final Set<Path> unforcedNames = ConcurrentHashMap.newKeySet();
  private volatile Hook hook = (number, operation, path) -> {};
  private volatile long failAt = Long.MAX_VALUE;
  private volatile boolean forEver;
  private volatile long shortAt = Long.MAX_VALUE;

  public void failAt(long operation, boolean forEver) {
    this.forEver = forEver;
    failAt = operation;
  }

  /** No memory in that operation. */
  public void shortAt(long operation) {
    shortAt = operation;
  }

  /** What happens from now on. */
  public FaultyDisk hook(Hook next) {
    hook = next;
    return this;
  }

  public void heal() {
    failAt = Long.MAX_VALUE;
    failing.clear();
    unreadable = null;
    unreadableFrom = Long.MAX_VALUE;
  }

  /**
   * Files whose bytes, and files and directories whose names have not been forced since they
   * changed. A file that was put in the place of another before its bytes were forced stays here
   * under its old name.
   */
  public Set<Path> unforced() {
    Set<Path> all = new HashSet<>(unforcedBytes);
    all.addAll(unforcedNames);
    return all;
  }

  /** Counts anything else that may be in want of memory as an operation. */
  public void operation(String name) {
    fails(operations.incrementAndGet(), name);
  }

  private boolean fails(long operation, String name) {
    if (operation == shortAt) {
      throw new OutOfMemoryError("injected into " + name);
    }
    return failing.contains(name) || operation == failAt || (forEver && operation > failAt);
  }

  private void check(String name, Path path) throws IOException {
    long operation = operations.incrementAndGet();
    hook.before(operation, name, path);
    if (fails(operation, name)) {
      throw new IOException("Input/output error (injected into " + name + ")");
    }
  }

  @Override
  public State state(Path path) throws IOException {
    check("state", path);
    return real.state(path);
  }

  @Override
  public boolean exists(Path path) throws IOException {
    check("state", path);
    return real.exists(path);
  }

  @Override
  public DirectoryStream<Path> list(Path directory) throws IOException {
    check("list", directory);
    return real.list(directory);
  }

  @Override
  public void createParents(Path path) throws IOException {
    check("createParents", path);
    real.createParents(path);
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    check("createDirectory", directory);
    real.createDirectory(directory);
    unforcedNames.add(directory);
  }

  @Override
  public DiskFile create(Path path) throws IOException {
    check("create", path);
    DiskFile file = real.create(path);
    unforcedBytes.add(path);
    unforcedNames.add(path);
    return new FaultyFile(file, path, "close");
  }

  @Override
  public InputStream newInputStream(Path path) throws IOException {
    checkReadable(path);
    return new FaultyInput(real.newInputStream(path), path);
  }

  private void checkReadable(Path path) throws IOException {
    check("openForReading", path);
    if (unreadable != null && path.getFileName().toString().startsWith(unreadable)) {
      throw new IOException("Input/output error (injected into " + path + ")");
    }
  }

  @Override
  public DiskFile openForReading(Path path) throws IOException {
    checkReadable(path);
    return new FaultyFile(real.openForReading(path), path, "close source");
  }

  @Override
  public DiskFile openForWriting(Path path) throws IOException {
    check("openForWriting", path);
    return new FaultyFile(real.openForWriting(path), path, "close");
  }

  @Override
  public void copyAttributes(Path path, State from) throws IOException {
    check("copyAttributes", path);
    real.copyAttributes(path, from);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    check("rename", from);
    real.rename(from, to);
    moved(from, to);
  }

  @Override
  public void replace(Path from, Path to) throws IOException {
    check("replace", from);
    real.replace(from, to);
    moved(from, to);
  }

  private void moved(Path from, Path to) {
    unforcedBytes.remove(to);
    unforcedNames.remove(from);
    unforcedNames.add(to);
  }

  @Override
  public void delete(Path path) throws IOException {
    check("delete", path);
    real.delete(path);
    unforcedBytes.remove(path);
    unforcedNames.remove(path); // one that comes back is no loss
  }

  @Override
  public void sync(Path path) throws IOException {
    check("sync archive", path);
    unforcedBytes.remove(path); // first: others may write meanwhile
    real.sync(path);
  }

  @Override
  public boolean syncDirectory(Path directory) throws IOException {
    check("syncDirectory", directory);
    unforcedNames.removeIf(name -> directory.equals(name.getParent()));
    return real.syncDirectory(directory);
  }

  @Override
  public Closeable lock(Path path) throws IOException {
    check("lock", path);
    return real.lock(path);
  }

  private final class FaultyInput extends FilterInputStream {
    private final Path path;

    FaultyInput(InputStream in, Path path) {
      super(in);
      this.path = path;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      check("read", path);
      int count = in.read(bytes, offset, length);
      bytesRead.addAndGet(Math.max(0, count));
      return count;
    }

    @Override
    public void close() throws IOException {
      in.close();
      check("close source", path);
    }
  }

  private final class FaultyFile implements DiskFile {
    private final DiskFile file;
    private final Path path;
    private final String closing;
    private volatile boolean dropped; // what a sync that failed should have forced

    FaultyFile(DiskFile file, Path path, String closing) {
      this.file = file;
      this.path = path;
      this.closing = closing;
    }

    @Override
    public void read(long position, byte[] bytes, int offset, int length) throws IOException {
      check("read", path);
      if (position < unreadableTo && position + length > unreadableFrom) {
        throw new IOException("Input/output error (injected at " + unreadableFrom + ")");
      }
      bytesRead.addAndGet(length);
      file.read(position, bytes, offset, length);
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      int half = length / 2;
      file.write(position, bytes, offset, half);
      check("write", path);
      file.write(position + half, bytes, offset + half, length - half);
      unforcedBytes.add(path); // the half of a write that fails is nothing that anybody relies on
      if (failing.contains("afterWrite")) {
        throw new IOException("Input/output error (injected after the write)");
      }
    }

    @Override
    public long size() throws IOException {
      check("size", path);
      return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      check("truncate", path);
      file.truncate(size);
    }

    @Override
    public void sync() throws IOException {
      boolean fails = true;
      try {
        check("sync", path);
        fails = false;
      } finally {
        dropped |= fails;
      }
      if (!dropped) {
        unforcedBytes.remove(path);
      }
      file.sync();
      syncsSucceeded.incrementAndGet();
    }

    @Override
    public void close() throws IOException {
      file.close();
      check(closing, path);
    }
  }
}
