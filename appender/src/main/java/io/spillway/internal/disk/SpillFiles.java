package io.spillway.internal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Every file operation of the spill, and its clocks: tests override methods to make one fail. Files
 * have mode 0600, directories 0700, and a link in place of a file is never followed. Stateless and
 * thread-safe.
 */
public class SpillFiles {
  private static final FileAttribute<?>[] NONE = {};
  private static final FileAttribute<?>[] DIRECTORY = {mode("rwx------")};
  private static final FileAttribute<?>[] FILE = {mode("rw-------")};
  private static final Set<OpenOption> CREATE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
  private static final Set<OpenOption> OPEN =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> READ =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  /** An open file. Each access names its position, and no interrupt closes the file. */
  public interface OpenFile extends Closeable {
    /** Reads until the buffer is full or the file ends. Returns the number of bytes read. */
    int read(ByteBuffer into, long position) throws IOException;

    /** Writes all that remains in the buffer. */
    void write(ByteBuffer from, long position) throws IOException;

    /** Cuts the file. */
    void truncate(long size) throws IOException;

    /** Forces the content to the disk; others may write meanwhile. */
    void force() throws IOException;
  }

  private static FileAttribute<?> mode(String permissions) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  static FileAttribute<?>[] fileMode(Path path) {
    return isPosix(path) ? FILE : NONE;
  }

  /** Returns a monotonic time in nanoseconds. */
  public long nanoTime() {
    return System.nanoTime();
  }

  /** Returns the wall clock in milliseconds. */
  public long currentTimeMillis() {
    return System.currentTimeMillis();
  }

  /** Creates a directory with mode 0700. Returns whether it was missing. */
  public boolean createDirectory(Path directory) throws IOException {
    if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    Path parent = directory.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(directory, isPosix(directory) ? DIRECTORY : NONE);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
        throw new NotDirectoryException(directory.toString());
      }
    }
    return true;
  }

  /** Returns how other users have access to a directory, as a predicate; null if they have none. */
  public String exposure(Path directory) throws IOException {
    if (!isPosix(directory)) {
      return null;
    }
    String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(directory));
    return mode.endsWith("------")
        ? null
        : "is open to other users (" + mode + "). To do: chmod 700";
  }

  /** Removes a directory if it is empty. */
  public void removeIfEmpty(Path directory) throws IOException {
    try {
      Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException e) {
      return; // something else is kept there
    }
  }

  /** Lists the names in a directory. */
  public String[] list(Path directory) throws IOException {
    String[] names = directory.toFile().list();
    if (names == null) {
      throw new IOException("[" + directory + "] cannot be listed");
    }
    return names;
  }

  /** Locks a directory for the caller. Returns the lock; null if another owner has it. */
  public DirectoryLock lock(Path directory) throws IOException {
    return DirectoryLock.take(directory);
  }

  /** Creates a file, open for reading and writing; fails if the name is taken, by a link too. */
  public OpenFile create(Path path) throws IOException {
    return new ChannelFile(path, CREATE, OPEN, fileMode(path));
  }

  /** Opens a file for reading and writing. */
  public OpenFile open(Path path) throws IOException {
    return new ChannelFile(path, OPEN, OPEN, NONE);
  }

  /** Opens a file for reading alone. */
  public OpenFile openToRead(Path path) throws IOException {
    return new ChannelFile(path, READ, READ, NONE);
  }

  /** Returns whether a name is taken, by a dangling link too, or the file system fails. */
  public boolean exists(Path path) {
    return !Files.notExists(path, LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the length of a regular file, -1 for a link, a directory or a device. */
  public long size(Path path) throws IOException {
    BasicFileAttributes found =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return found.isRegularFile() ? found.size() : -1;
  }

  /** Renames a file within its directory, onto another one if that exists. */
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Deletes a file, if it exists. */
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  /** Forces the names in a directory to the disk. */
  public void forceDirectory(Path directory) throws IOException {
    if (!isPosix(directory)) {
      return; // Windows cannot open a directory, and journals names
    }
    try (OpenFile opened =
        new ChannelFile(directory, Set.of(StandardOpenOption.READ), READ, NONE)) {
      opened.force();
    } catch (IOException e) {
      if (!Failures.isUnsupported(e)) { // such as vboxsf and 9p
        throw e;
      }
    }
  }

  /** Returns the bytes that this process may still use; all if the directory is missing. */
  public long usableSpace(Path directory) {
    long usable = directory.toFile().getUsableSpace();
    return usable == 0 && !Files.exists(directory) ? Long.MAX_VALUE : usable;
  }

  /** Returns whether two existing paths are on one file system, as far as that can be found out. */
  public boolean isSameStore(Path one, Path other) {
    try {
      return one.getFileSystem().supportedFileAttributeViews().contains("unix")
          ? Files.getAttribute(one, "unix:dev").equals(Files.getAttribute(other, "unix:dev"))
          : Files.getFileStore(one).equals(Files.getFileStore(other));
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * A file on a {@code FileChannel}: with direct buffers its positional reads and writes allocate
   * nothing, where a {@code RandomAccessFile} calls malloc for more than 8 KB. A channel is closed
   * when a thread in it is interrupted, for other threads as well. So the interrupt waits until the
   * operation is over, and one that arrives within costs a new channel and the operation again:
   * positional operations can be repeated.
   */
  private static final class ChannelFile implements OpenFile {
    private final Path path;
    private final Set<OpenOption> again;
    private volatile FileChannel channel;
    private volatile boolean closed;

    ChannelFile(
        Path path, Set<OpenOption> first, Set<OpenOption> again, FileAttribute<?>... attributes)
        throws IOException {
      this.path = path;
      this.again = again;
      channel = FileChannel.open(path, first, attributes);
    }

    /** One operation, which may be repeated. */
    private interface Operation {
      void run(FileChannel channel) throws IOException;
    }

    private void uninterrupted(Operation operation) throws IOException {
      boolean interrupted = Thread.interrupted();
      try {
        while (true) {
          FileChannel used = channel;
          try {
            operation.run(used);
            return;
          } catch (ClosedChannelException e) {
            interrupted |= Thread.interrupted();
            reopen(used, e);
          }
        }
      } finally {
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }

    private synchronized void reopen(FileChannel used, ClosedChannelException e)
        throws IOException {
      if (closed) {
        throw e;
      }
      if (channel == used) {
        channel = FileChannel.open(path, again);
      }
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
      int start = into.position();
      uninterrupted(
          from -> {
            int count = 0;
            while (into.hasRemaining() && count >= 0) {
              count = from.read(into, position + into.position() - start);
            }
          });
      return into.position() - start;
    }

    @Override
    public void write(ByteBuffer from, long position) throws IOException {
      int start = from.position();
      uninterrupted(
          to -> {
            while (from.hasRemaining()) {
              to.write(from, position + from.position() - start);
            }
          });
    }

    @Override
    public void truncate(long size) throws IOException {
      uninterrupted(of -> of.truncate(size));
    }

    @Override
    public void force() throws IOException {
      uninterrupted(of -> of.force(false)); // fdatasync: with the length, without times
    }

    @Override
    public synchronized void close() throws IOException {
      closed = true;
      channel.close();
    }
  }
}
