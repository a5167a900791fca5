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
 * Every file operation on the spill, on rolled files and on archives. Tests override it to fail an
 * operation, count it, hold it, or kill there. Links are never followed, an interrupt breaks
 * nothing off and is still there afterwards. Stateless.
 */
public class Disk {
  private static final Path OWN_PROCESS = Path.of("/proc/self/task"); // has the uid that it runs as
  private static final FileAttribute<?>[] NONE = {};
  private static final FileAttribute<?>[] OWNER_DIRECTORY = {permissions("rwx------")};
  private static final FileAttribute<?>[] OWNER_FILE = {permissions("rw-------")};
  private static final int ATTEMPTS = 3;
  private static final int LOCK_ATTEMPTS = 100;
  private static final long GIVE_BACK_NANOS = 10_000_000_000L;
  private static final long GIVE_BACK_PAUSE_NANOS = 10_000_000L;

  /** The file system itself. */
  public Disk() {}

  /**
   * Random, and known to nobody. From the kernel where it has a file of it, since {@code
   * SecureRandom} costs a start a hundred classes.
   *
   * @return all 64 bits
   */
  public static long randomLong() {
    try (InputStream random = new FileInputStream("/dev/urandom")) {
      byte[] bytes = random.readNBytes(Long.BYTES);
      if (bytes.length == Long.BYTES) {
        return ByteBuffer.wrap(bytes).getLong();
      }
    } catch (IOException none) {
      Thread.onSpinWait(); // another system
    }
    return new SecureRandom().nextLong();
  }

  /**
   * What a name stands for at one moment.
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
    /**
     * Whether both are the same regular file.
     *
     * @param other what another name stands for, or null
     * @return false if one of them is none
     */
    public boolean isSameFile(State other) {
      return other != null && other.regular && regular && key.equals(other.key);
    }
  }

  /** Something that is not ours has one of our names, and stays. */
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
   * Looks at a name.
   *
   * @param path any path
   * @return what the name stands for, or null if it is free
   * @throws IOException if that cannot be told
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

  /** Then nothing can have that name. */
  private static boolean isBelowFile(Path path) {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      if (Files.isRegularFile(above)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The identity of the file behind a name.
   *
   * @param path any path
   * @return {@link State#key}, or null if the name is free
   * @throws IOException if that cannot be told
   */
  public final Object key(Path path) throws IOException {
    State state = state(path);
    return state == null ? null : state.key();
  }

  /**
   * Whether a name is taken, be it by a dangling link. The exception of a look at a free name is
   * what takes time, so a file that is there is looked for without.
   *
   * @param path any path
   * @return false if it is free
   * @throws IOException if that cannot be told: what does not answer now may be there
   */
  public boolean exists(Path path) throws IOException {
    return path.toFile().exists() || state(path) != null;
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

  /**
   * How others can get at a directory that is there.
   *
   * @param directory its path
   * @return the rest of a sentence; null if they cannot
   * @throws IOException if that cannot be told
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
   * Whether something belongs to the user that this process runs as.
   *
   * @param path its path
   * @return true where that cannot be told
   * @throws IOException if it cannot be looked at
   */
  public boolean isOwn(Path path) throws IOException {
    return !supports(path, "unix")
        || !Files.exists(OWN_PROCESS)
        || uid(path).equals(uid(OWN_PROCESS));
  }

  /**
   * Whether something belongs to root, who may do as it likes in any case.
   *
   * @param path its path
   * @return false where there is no root
   * @throws IOException if it cannot be looked at
   */
  public boolean isRoots(Path path) throws IOException {
    return supports(path, "unix") && uid(path).equals(0);
  }

  private static Object uid(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
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

  /** A mount point whose file system is away is there for mkdir; what is wrong only stat says. */
  private static void requireDirectory(Path path, IOException taken) throws IOException {
    try {
      if (Files.readAttributes(path, BasicFileAttributes.class).isDirectory()) {
        return;
      }
    } catch (NoSuchFileException danglingLink) {
      throw taken; // the name is not free
    }
    throw taken;
  }

  /**
   * Creates one directory, with mode 0700.
   *
   * @param directory must not exist
   * @throws IOException if it does, or cannot be created
   */
  public void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory, supports(directory, "posix") ? OWNER_DIRECTORY : NONE);
  }

  /**
   * Creates an empty file with the platform's permissions, and missing directories, unless it is
   * there.
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
   * @return the file, to be read and written
   * @throws IOException if it does, or cannot be created; then nothing of it is left
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
      throw e; // it is not ours to delete
    } catch (IOException | RuntimeException | Error e) { // also for want of memory
      Files.deleteIfExists(path);
      throw e;
    } finally {
      giveBack(file);
    }
  }

  /**
   * Reads a file from its beginning. A link that takes the name at that very moment is not
   * followed.
   *
   * @param path a regular file
   * @return its bytes, to be closed; no interrupt closes it
   * @throws IOException if it is not there, is something else, or cannot be read
   */
  public InputStream newInputStream(Path path) throws IOException {
    requireRegular(path);
    return Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Opens a file for reading. Never waits, as the opening of a named pipe would.
   *
   * @param path a regular file
   * @return the file
   * @throws IOException if it is not there, is something else, or cannot be read
   */
  public DiskFile openForReading(Path path) throws IOException {
    return open(path, "r");
  }

  /**
   * Opens a file for reading and writing.
   *
   * @param path a regular file that has no second name elsewhere
   * @return the file
   * @throws IOException if it is not there, is something else, or cannot be written
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

  /** What follows a link: so the name has to stand for the same file before and after. */
  private DiskFile open(Path path, String mode) throws IOException {
    State before = requireRegular(path);
    DiskFile file = new OpenFile(path, mode);
    boolean same = false;
    try {
      same = before.isSameFile(requireRegular(path));
    } finally {
      if (!same) {
        giveBack(file);
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
   * Gives a file the permissions and the time of another.
   *
   * @param path the file; a link is not followed, and gets at most the time
   * @param from the other one
   * @throws IOException if that fails
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
   * Renames atomically, on one file system, never onto anything; creates missing directories.
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
    replace(from, to);
  }

  /**
   * Renames atomically, on one file system, onto a file that may be there.
   *
   * @param from exists
   * @param to in a directory that exists
   * @throws IOException if it cannot be renamed
   */
  public void replace(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE); // else Java copies across file systems
  }

  /**
   * Unlinks; a name already free is fine.
   *
   * @param path a file
   * @throws IOException if it stays
   */
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
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
   * Returns when a file that others wrote is on the disk.
   *
   * @param path a regular file
   * @throws IOException if it may not be
   */
  public void sync(Path path) throws IOException {
    try (DiskFile file = openForReading(path)) {
      file.sync();
    }
  }

  /**
   * Returns when the names in a directory are on the disk, so that they survive a power cut.
   *
   * @param directory exists and can be read
   * @return false if its file system has no way to do that
   * @throws IOException if they may not be
   */
  public boolean syncDirectory(Path directory) throws IOException {
    if (!supports(directory, "posix")) {
      return true; // Windows opens no directory and journals its names
    }
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted(); // it would close the channel
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return true;
        } catch (ClosedByInterruptException again) {
          interrupted = true;
        } catch (IOException e) {
          if (StorageFailures.isUnsupported(e)) {
            return false; // as vboxsf and 9p
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
   * Closes what a failure has left open.
   *
   * @param open as {@link #close} takes it
   */
  public static void giveBack(Closeable open) {
    try {
      close(open);
    } catch (IOException failed) {
      Thread.onSpinWait(); // it is closed all the same
    }
  }

  /**
   * Closes something that nobody else can close. Tries again while there is no memory for it, ten
   * seconds at most: what stays open stays so until the JVM ends.
   *
   * @param open may be closed more than once; null was not open
   * @throws IOException if that fails; it is closed all the same
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
   * Creates and locks a file for this process.
   *
   * @param path the lock file
   * @return what holds the lock until it is closed; null when another one holds it
   * @throws IOException if it cannot be created or locked
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
   * The previous owner may unlink the file between our open and our lock; then the lock is on a
   * file nobody else will ever see. So the name must stand for the same file before and after.
   */
  private Closeable lockUninterrupted(Path path) throws IOException {
    for (int attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      if (state(path) == null) {
        try {
          Files.createFile(path, supports(path, "posix") ? OWNER_FILE : NONE);
        } catch (FileAlreadyExistsException e) {
          continue; // another process was quicker
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
        continue; // its owner has just gone
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
          giveBack(channel);
        }
      }
      if (locked) {
        return channel;
      }
    }
    throw new FileSystemException(path.toString(), null, "keeps being replaced");
  }

  /**
   * A {@link RandomAccessFile}: no interrupt can close it, unlike a {@code FileChannel}. It
   * remembers where the descriptor stands, so that sequential access costs no seek.
   */
  private static final class OpenFile implements DiskFile {

    /** The run time takes native memory for as much as is read at once. */
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

    /** Where it stands is unknown from here on, until what follows has returned. */
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
