package io.spillway.internal.compress;

import io.spillway.internal.disk.Directories;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Every file operation on rolled files and archives, so that tests can fail it, count it, hold it,
 * or kill there. Stateless.
 */
public class ArchiveFiles {
  private static final FileAttribute<?>[] NONE = {};
  private static final FileAttribute<?>[] OWNER_ONLY = {
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
  };
  private static final int ATTEMPTS = 3;

  /** The file system itself. */
  public ArchiveFiles() {}

  /**
   * What a name stands for at one moment; links are not followed.
   *
   * @param regular false for directories, links and devices: the name is taken, the file not ours
   * @param directory itself, not a link to one
   * @param key the file's identity, the same under every name it is moved to
   * @param bytes its length
   * @param modified when it was written last
   * @param permissions null where the file system has none
   */
  public record State(
      boolean regular,
      boolean directory,
      Object key,
      long bytes,
      FileTime modified,
      Set<PosixFilePermission> permissions) {
    boolean isSameFile(State other) {
      return other != null && other.regular && regular && key.equals(other.key);
    }
  }

  /** A new file being written, on a plain stream: an interrupt would close a channel for good. */
  abstract static class Part extends OutputStream {
    @Override
    public final void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public abstract void write(byte[] bytes, int offset, int length) throws IOException;

    /** Returns when what was written is on the disk. */
    abstract void force() throws IOException;
  }

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /**
   * Looks at a name.
   *
   * @param file any path
   * @return what the name stands for, or null if it is free
   * @throws IOException if that cannot be told
   */
  public State state(Path file) throws IOException {
    boolean posix = isPosix(file);
    Class<? extends BasicFileAttributes> type =
        posix ? PosixFileAttributes.class : BasicFileAttributes.class;
    BasicFileAttributes found;
    try {
      found = Files.readAttributes(file, type, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException free) {
      return null;
    }
    Set<PosixFilePermission> permissions =
        posix ? ((PosixFileAttributes) found).permissions() : null;
    // Windows has no file key; there an open file cannot be replaced, so its birth will do.
    Object key = found.fileKey() == null ? found.creationTime() : found.fileKey();
    return new State(
        found.isRegularFile(),
        found.isDirectory(),
        key,
        found.size(),
        found.lastModifiedTime(),
        permissions);
  }

  /**
   * Whether a name is taken, be it by a dangling link. The exception of a look at a free name is
   * what takes time, so a file that is there is looked for without.
   *
   * @param file any path
   * @return false if it is free
   */
  public boolean exists(Path file) {
    return file.toFile().exists() || Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Whether entries of a directory can be renamed.
   *
   * @param directory its path
   * @return false for an immutable one even to root
   */
  public boolean isWritable(Path directory) {
    return Files.isWritable(directory);
  }

  /** Opens a regular file for reading. */
  InputStream open(Path file) throws IOException {
    requireRegular(file);
    return new FileInputStream(file.toFile());
  }

  /** To open a named pipe is to wait for its other end. */
  private void requireRegular(Path file) throws IOException {
    State state = state(file);
    if (state == null) {
      throw new NoSuchFileException(file.toString());
    }
    if (!state.regular()) {
      throw new FileSystemException(file.toString(), null, "is not a regular file");
    }
  }

  /** Creates a file that must not exist, readable by its owner only, and missing directories. */
  Part create(Path file) throws IOException {
    createParents(file);
    Files.createFile(file, isPosix(file) ? OWNER_ONLY : NONE);
    FileOutputStream out = new FileOutputStream(file.toFile());
    return new Part() {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
      }

      @Override
      void force() throws IOException {
        out.getFD().sync();
      }

      @Override
      public void close() throws IOException {
        out.close();
      }
    };
  }

  /**
   * Creates an empty file and missing directories, unless it is there.
   *
   * @param file its path
   * @throws IOException if it cannot be created
   */
  public void createEmpty(Path file) throws IOException {
    for (int attempt = 1; !exists(file); attempt++) {
      try {
        createParents(file);
        Files.createFile(file);
      } catch (NoSuchFileException e) { // its directory was empty, and has just been removed
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static void createParents(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent);
    }
  }

  /** Gives a file the permissions and the time of another. */
  void copyAttributes(Path file, State from) throws IOException {
    if (from.permissions() != null && isPosix(file)) {
      Files.setPosixFilePermissions(file, from.permissions());
    }
    Files.setLastModifiedTime(file, from.modified());
  }

  /** Returns when a file that others wrote is on the disk. */
  void force(Path file) throws IOException {
    requireRegular(file);
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      open.getFD().sync();
    }
  }

  /**
   * Renames atomically, on one file system; creates missing directories.
   *
   * @param from exists
   * @param to must be free
   * @throws IOException if it is taken, or cannot be renamed
   */
  public void rename(Path from, Path to) throws IOException {
    if (exists(to)) {
      throw new FileAlreadyExistsException(to.toString()); // rename(2) would replace it
    }
    createParents(to);
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE); // else Java copies across file systems
  }

  /** Returns when the names in a directory are on the disk. */
  void forceDirectory(Path directory) throws IOException {
    Directories.force(directory);
  }

  /** Unlinks; a name already free is fine. */
  void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /**
   * Removes a directory if it is empty.
   *
   * @param directory its path
   * @return false if it stays, or is none
   * @throws IOException if it is empty and cannot be removed
   */
  public boolean removeIfEmpty(Path directory) throws IOException {
    try {
      return Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException inUse) {
      return false;
    }
  }

  /**
   * Lists a directory as it goes, however large it is.
   *
   * @param directory its path
   * @return its entries, to be closed
   * @throws IOException if it cannot be listed
   */
  public DirectoryStream<Path> list(Path directory) throws IOException {
    return Files.newDirectoryStream(directory);
  }
}
