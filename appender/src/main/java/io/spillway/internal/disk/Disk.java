package io.spillway.internal.disk;

import java.io.Closeable;
import java.io.EOFException;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * All file operations on the spill, on rolled files and on archives. Tests override methods to make
 * an operation fail, to count it, to block it, or to kill the process in it. A file name that is a
 * link is never followed. An interrupt cancels no operation, and the thread stays interrupted.
 * Stateless and thread-safe.
 */
public class Disk {
  private static final Path OWN_PROCESS = Path.of("/proc/self/task"); // has the process's uid
  private static final FileAttribute<?>[] NONE = {};
  private static final FileAttribute<?>[] OWNER_DIRECTORY = {permissions("rwx------")};
  private static final FileAttribute<?>[] OWNER_FILE = {permissions("rw-------")};
  private static final int ATTEMPTS = 3;
  private static final int LOCK_ATTEMPTS = 100;
  private static final long GIVE_BACK_NANOS = 10_000_000_000L;
  private static final long GIVE_BACK_PAUSE_NANOS = 10_000_000L;

  /** Creates a disk that works on the real file system. */
  public Disk() {}

  /**
   * Returns a random number that cannot be predicted. It is read from {@code /dev/urandom} where
   * that exists, because {@code SecureRandom} loads a hundred classes at the start.
   *
   * @return a number of which all 64 bits are random
   */
  public static long randomLong() {
    try (InputStream random = new FileInputStream("/dev/urandom")) {
      byte[] bytes = random.readNBytes(Long.BYTES);
      if (bytes.length == Long.BYTES) {
        return ByteBuffer.wrap(bytes).getLong();
      }
    } catch (IOException none) {
      Thread.onSpinWait(); // no such device
    }
    return new SecureRandom().nextLong();
  }

  /**
   * What a name stood for when it was read.
   *
   * @param regular false for directories, links and devices, which take the name but are not files
   *     of Spillway
   * @param directory whether it is a directory itself, not a link to one
   * @param key the file's identity, which a rename does not change
   * @param bytes the file's length
   * @param modified time of the last write
   * @param permissions POSIX permissions; null where the file system has none
   */
  public record State(
      boolean regular,
      boolean directory,
      Object key,
      long bytes,
      FileTime modified,
      Set<PosixFilePermission> permissions) {
    /**
     * Returns whether both states are of the same regular file.
     *
     * @param other the state of another name, or null
     * @return false if one of the two is not a regular file
     */
    public boolean isSameFile(State other) {
      return other != null && other.regular && regular && key.equals(other.key);
    }
  }

  /** Thrown if a name stands for something other than expected, which is left as it is. */
  public static final class ObstructedException extends FileSystemException {
    private static final long serialVersionUID = 1;

    ObstructedException(Path path, String reason) {
      super(path.toString(), null, reason);
    }
  }

  private static FileAttribute<?> permissions(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  private static boolean supports(Path path, String view) {
    return path.getFileSystem().supportedFileAttributeViews().contains(view);
  }

  /**
   * Reads what a name stands for, without following a link.
   *
   * @param path any path
   * @return the state, or null if the name is free
   * @throws IOException if the state cannot be read
   */
  public State state(Path path) throws IOException {
    boolean posix = supports(path, "posix");
    Class<? extends BasicFileAttributes> type =
        posix ? PosixFileAttributes.class : BasicFileAttributes.class;
    BasicFileAttributes found;
    try {
      found = Files.readAttributes(path, type, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException free) {
      return null;
    } catch (FileSystemException e) {
      if (isBelowFile(path)) {
        return null;
      }
      throw e;
    }
    Set<PosixFilePermission> permissions =
        posix ? ((PosixFileAttributes) found).permissions() : null;
    // Windows has no file key; an open file cannot be replaced there, so creation time suffices.
    Object key = found.fileKey() == null ? found.creationTime() : found.fileKey();
    return new State(
        found.isRegularFile(),
        found.isDirectory(),
        key,
        found.size(),
        found.lastModifiedTime(),
        permissions);
  }

  /** Returns whether a parent exists and is no directory, so that nothing can have the name. */
  private static boolean isBelowFile(Path path) {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      if (Files.exists(above)) {
        return !Files.isDirectory(above);
      }
    }
    return false;
  }

  /**
   * Returns the identity of the file that a name stands for.
   *
   * @param path any path
   * @return {@link State#key}, or null if the name is free
   * @throws IOException if the state cannot be read
   */
  public final Object key(Path path) throws IOException {
    State state = state(path);
    return state == null ? null : state.key();
  }

  /**
   * Returns whether a name is taken, even by a dangling link. Calls {@code File.exists} first,
   * which for an existing file is cheaper than reading its attributes.
   *
   * @param path any path
   * @return false if the name is free
   * @throws IOException if the file system does not answer; the name may be taken
   */
  public boolean exists(Path path) throws IOException {
    return path.toFile().exists() || state(path) != null;
  }

  /**
   * Returns whether entries of a directory can be renamed.
   *
   * @param directory its path
   * @return false for an immutable directory, even if the process runs as root
   */
  public boolean isWritable(Path directory) {
    return Files.isWritable(directory);
  }

  /**
   * Describes how other users have access to an existing directory.
   *
   * @param directory its path
   * @return the predicate of a sentence, with the remedy; null if they have no access
   * @throws IOException if the attributes cannot be read
   */
  public String exposure(Path directory) throws IOException {
    if (supports(directory, "posix")) {
      PosixFileAttributes attributes =
          Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      String mode = PosixFilePermissions.toString(attributes.permissions());
      if (!mode.endsWith("------")) {
        return "is open to other users (" + mode + "); to do: chmod 700";
      }
      if (!isOwn(directory)) {
        return "belongs to another user (" + attributes.owner().getName() + "); to do: chown";
      }
    }
    return null;
  }

  /**
   * Returns whether a file belongs to the user that this process runs as.
   *
   * @param path its path
   * @return true also where this cannot be determined
   * @throws IOException if the owner cannot be read
   */
  public boolean isOwn(Path path) throws IOException {
    return !supports(path, "unix")
        || !Files.exists(OWN_PROCESS)
        || uid(path).equals(uid(OWN_PROCESS));
  }

  /**
   * Returns whether a file belongs to root, which has access in any case.
   *
   * @param path its path
   * @return false where there is no root
   * @throws IOException if the owner cannot be read
   */
  public boolean isOwnedByRoot(Path path) throws IOException {
    return supports(path, "unix") && uid(path).equals(0);
  }

  private static Object uid(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Lists a directory entry by entry, so that a large one needs no more memory.
   *
   * @param directory its path
   * @return the entries; closed by the caller
   * @throws IOException if it cannot be listed
   */
  public DirectoryStream<Path> list(Path directory) throws IOException {
    return Files.newDirectoryStream(directory);
  }

  /**
   * Creates the directories above a path that are missing, with the platform's permissions.
   *
   * @param path any path
   * @throws IOException if one cannot be created
   */
  public void createParents(Path path) throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    if (parent == null || Files.isDirectory(parent)) {
      return;
    }
    try {
      Files.createDirectories(parent);
    } catch (FileAlreadyExistsException taken) {
      requireDirectory(parent, taken);
    }
  }

  /**
   * Throws if the path is no directory. If the file system of a mount point is unavailable, mkdir
   * reports only that the name exists; the cause comes from stat.
   */
  private static void requireDirectory(Path path, IOException taken) throws IOException {
    try {
      if (Files.readAttributes(path, BasicFileAttributes.class).isDirectory()) {
        return;
      }
    } catch (NoSuchFileException danglingLink) {
      throw taken; // the link takes the name
    }
    throw taken;
  }

  /**
   * Creates one directory, with mode 0700.
   *
   * @param directory must not exist
   * @throws IOException if the directory exists or cannot be created
   */
  public void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory, supports(directory, "posix") ? OWNER_DIRECTORY : NONE);
  }

  /**
   * Creates an empty file with the platform's permissions, and its missing directories, unless the
   * file exists.
   *
   * @param path its path
   * @throws IOException if it cannot be created
   */
  public void createEmpty(Path path) throws IOException {
    for (int attempt = 1; !exists(path); attempt++) {
      try {
        createParents(path);
        Files.createFile(path);
      } catch (NoSuchFileException e) { // its directory was empty, and has just been removed
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  /**
   * Creates a file, with mode 0600.
   *
   * @param path must not exist
   * @return the file, open for reading and writing
   * @throws IOException if the path exists or cannot be created; no created file is left
   */
  public DiskFile create(Path path) throws IOException {
    Files.createFile(path, supports(path, "posix") ? OWNER_FILE : NONE);
    DiskFile file = null;
    try {
      Object created = key(path);
      file = openForWriting(path);
      if (created == null || !created.equals(key(path)) || file.size() > 0) {
        throw new ObstructedException(path, "was replaced while it was created");
      }
      DiskFile opened = file;
      file = null;
      return opened;
    } catch (ObstructedException e) {
      throw e; // the file is another program's
    } catch (IOException | RuntimeException | Error e) { // also after an OutOfMemoryError
      Files.deleteIfExists(path);
      throw e;
    } finally {
      closeQuietly(file);
    }
  }

  /**
   * Reads a file from its beginning. A link that takes the name after the check is not followed.
   *
   * @param path a regular file
   * @return the bytes; closed by the caller, and by no interrupt
   * @throws IOException if the path is not a regular file, or cannot be read
   */
  public InputStream newInputStream(Path path) throws IOException {
    requireRegular(path);
    return Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Opens a file for reading. Never blocks, as opening a named pipe would.
   *
   * @param path a regular file
   * @return the file
   * @throws IOException if the path is not a regular file, or cannot be read
   */
  public DiskFile openForReading(Path path) throws IOException {
    return open(path, "r");
  }

  /**
   * Opens a file for reading and writing.
   *
   * @param path a regular file without a second hard link
   * @return the file
   * @throws IOException if the path is not such a file, or cannot be written
   */
  public DiskFile openForWriting(Path path) throws IOException {
    requireRegular(path);
    if (supports(path, "unix")
        && (Integer) Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS) > 1) {
      throw new ObstructedException(
          path,
          "has a second hard link; put a copy in its place (cp -p, then mv), or remove the other"
              + " link if nobody needs it");
    }
    return open(path, "rw");
  }

  /**
   * Opens a file. {@code RandomAccessFile} follows links, so the name must stand for the same
   * regular file before and after.
   */
  private DiskFile open(Path path, String mode) throws IOException {
    State before = requireRegular(path);
    DiskFile file = new OpenFile(path, mode);
    boolean same = false;
    try {
      same = before.isSameFile(requireRegular(path));
    } finally {
      if (!same) {
        closeQuietly(file);
      }
    }
    if (!same) {
      throw new ObstructedException(path, "was replaced while it was opened");
    }
    return file;
  }

  private State requireRegular(Path path) throws IOException {
    State state = state(path);
    if (state == null) {
      throw new NoSuchFileException(path.toString());
    }
    if (!state.regular()) {
      throw new ObstructedException(path, "is not a regular file; remove it");
    }
    return state;
  }

  /**
   * Sets the permissions and the time of a file to those of another file.
   *
   * @param path the file; a link is not followed, and gets at most the time
   * @param from the state of the other file
   * @throws IOException if an attribute cannot be set
   */
  public void copyAttributes(Path path, State from) throws IOException {
    Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .setTimes(from.modified(), null, null); // first: some file systems have no chmod
    if (from.permissions() != null && supports(path, "posix")) {
      Files.getFileAttributeView(path, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
          .setPermissions(from.permissions());
    }
  }

  /**
   * Renames a file atomically within a file system, never onto another; creates directories.
   *
   * @param from an existing file
   * @param to a free name
   * @throws IOException if {@code to} is taken, or the file cannot be renamed
   */
  public void rename(Path from, Path to) throws IOException {
    if (exists(to)) {
      throw new FileAlreadyExistsException(to.toString()); // rename(2) would replace it
    }
    createParents(to);
    replace(from, to);
  }

  /**
   * Renames a file atomically within a file system, replacing a file that has the name.
   *
   * @param from an existing file
   * @param to a name in an existing directory
   * @throws IOException if the file cannot be renamed
   */
  public void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE); // not a copy across file systems
  }

  /**
   * Deletes a file; does nothing if the name is free.
   *
   * @param path a file
   * @throws IOException if the file cannot be deleted
   */
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  /**
   * Removes a directory if it is empty.
   *
   * @param directory its path
   * @return false if the directory is not empty, or does not exist
   * @throws IOException if the directory is empty and cannot be removed
   */
  public boolean removeIfEmpty(Path directory) throws IOException {
    try {
      return Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException inUse) {
      return false;
    }
  }

  /**
   * Forces to the disk a file that may have been written by other programs.
   *
   * @param path a regular file
   * @throws IOException if the content may not be on the disk
   */
  public void sync(Path path) throws IOException {
    try (DiskFile file = openForReading(path)) {
      file.sync();
    }
  }

  /**
   * Forces the names in a directory to the disk, so that they survive a power cut.
   *
   * @param directory exists and can be read
   * @return false if the file system does not support that
   * @throws IOException if the names may not be on the disk
   */
  public boolean syncDirectory(Path directory) throws IOException {
    if (!supports(directory, "posix")) {
      return true; // Windows cannot open a directory, and journals names
    }
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted(); // an interrupt would close the channel
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return true;
        } catch (ClosedByInterruptException again) {
          interrupted = true;
        } catch (IOException e) {
          if (StorageFailures.isUnsupported(e)) {
            return false; // such as vboxsf and 9p
          }
          throw e;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Closes a resource after a failure, and ignores a failure of the close.
   *
   * @param open a resource, or null, as for {@link #close}
   */
  public static void closeQuietly(Closeable open) {
    try {
      close(open);
    } catch (IOException failed) {
      Thread.onSpinWait(); // the resource is closed all the same
    }
  }

  /**
   * Closes a resource that only the caller can close. After an {@code OutOfMemoryError} the close
   * is repeated for up to ten seconds, because the resource would stay open until the JVM ends.
   *
   * @param open a resource that may be closed repeatedly, or null
   * @throws IOException if the close fails; the resource is closed all the same
   */
  public static void close(Closeable open) throws IOException {
    boolean done = open == null;
    for (long since = System.nanoTime(); !done; ) {
      try {
        open.close();
        done = true;
      } catch (OutOfMemoryError noMemory) {
        LockSupport.parkNanos(GIVE_BACK_PAUSE_NANOS);
        done = System.nanoTime() - since >= GIVE_BACK_NANOS;
      }
    }
  }

  /**
   * Creates a lock file and locks it for the caller.
   *
   * @param path the lock file
   * @return holds the lock until it is closed; null if the lock is held already
   * @throws IOException if the file cannot be created or locked
   */
  public Closeable lock(Path path) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      return lockUninterrupted(path);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Checks that the name stands for the same file before and after the lock: the previous owner may
   * delete the file between open and lock, and the lock would be on a file that no process can
   * find.
   */
  private Closeable lockUninterrupted(Path path) throws IOException {
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      if (state(path) == null) {
        try {
          Files.createFile(path, supports(path, "posix") ? OWNER_FILE : NONE);
        } catch (FileAlreadyExistsException e) {
          continue; // another process has created it
        }
      }
      requireRegular(path);
      Object before = key(path);
      FileChannel channel;
      try {
        channel =
            FileChannel.open(
                path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      } catch (NoSuchFileException e) {
        continue; // its owner has just deleted it
      }
      boolean locked = false;
      try {
        if (channel.tryLock() == null) {
          return null;
        }
        locked = before != null && before.equals(key(path));
      } catch (OverlappingFileLockException e) {
        return null;
      } finally {
        if (!locked) {
          closeQuietly(channel);
        }
      }
      if (locked) {
        return channel;
      }
    }
    throw new FileSystemException(path.toString(), null, "keeps being replaced");
  }

  /**
   * A file on a {@link RandomAccessFile}, which no interrupt can close, unlike a {@code
   * FileChannel}. The position of the descriptor is remembered, so sequential access needs no seek.
   */
  private static final class OpenFile implements DiskFile {

    /** Most bytes of one read; the JDK allocates native memory for the whole length of a read. */
    private static final int CHUNK = 1 << 20;

    private final RandomAccessFile file;
    private long descriptorPosition;

    OpenFile(Path path, String mode) throws IOException {
      try {
        file = new RandomAccessFile(path.toFile(), mode);
      } catch (FileNotFoundException e) {
        boolean allowed = Files.isReadable(path) && (mode.equals("r") || Files.isWritable(path));
        throw Files.exists(path) && !allowed ? new AccessDeniedException(path.toString()) : e;
      }
    }

    @Override
    public synchronized void read(long position, byte[] bytes, int offset, int length)
        throws IOException {
      seek(position);
      for (int done = 0; done < length; ) {
        int count = file.read(bytes, offset + done, Math.min(CHUNK, length - done));
        if (count < 0) {
          throw new EOFException();
        }
        done += count;
      }
      descriptorPosition = position + length;
    }

    @Override
    public synchronized void write(long position, byte[] bytes, int offset, int length)
        throws IOException {
      seek(position);
      file.write(bytes, offset, length);
      descriptorPosition = position + length;
    }

    /** Moves the descriptor; its position is unknown until the following access has returned. */
    private void seek(long position) throws IOException {
      boolean there = position == descriptorPosition;
      descriptorPosition = -1;
      if (!there) {
        file.seek(position);
      }
    }

    @Override
    public long size() throws IOException {
      return file.length();
    }

    @Override
    public synchronized void truncate(long size) throws IOException {
      descriptorPosition = -1;
      file.setLength(size);
    }

    @Override
    public void sync() throws IOException {
      file.getFD().sync();
    }

    @Override
    public void close() throws IOException {
      Disk.close(file);
    }
  }
}
