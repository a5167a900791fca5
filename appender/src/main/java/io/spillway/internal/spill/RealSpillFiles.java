package io.spillway.internal.spill;

import io.spillway.internal.disk.Directories;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** The file system itself. Stateless. */
final class RealSpillFiles implements SpillFiles {

  private static final Path OWN_PROCESS = Path.of("/proc/self/task"); // has the uid that it runs as
  private static final FileAttribute<?>[] NONE = {};
  private static final FileAttribute<?>[] OWNER_DIRECTORY = {permissions("rwx------")};
  private static final FileAttribute<?>[] OWNER_FILE = {permissions("rw-------")};

  private static FileAttribute<?> permissions(String mode) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
  }

  private static boolean supports(Path path, String view) {
    return path.getFileSystem().supportedFileAttributeViews().contains(view);
  }

  @Override
  public void createParents(Path directory) throws IOException {
    Path parent = directory.getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent);
    }
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    Files.createDirectory(directory, supports(directory, "posix") ? OWNER_DIRECTORY : NONE);
  }

  @Override
  public String exposure(Path directory) throws IOException {
    if (supports(directory, "posix")) {
      PosixFileAttributes attributes =
          Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      String mode = PosixFilePermissions.toString(attributes.permissions());
      if (!mode.endsWith("------")) {
        return "is open to other users (" + mode + "); to do: chmod 700";
      }
      if (Files.exists(OWN_PROCESS) && !uid(directory).equals(uid(OWN_PROCESS))) {
        return "belongs to another user (" + attributes.owner().getName() + "); to do: chown";
      }
    }
    return null;
  }

  private static Object uid(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public List<Path> list(Path directory) throws IOException {
    List<Path> paths = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      for (Path path : stream) {
        paths.add(path);
      }
    } catch (java.nio.file.DirectoryIteratorException e) {
      throw e.getCause();
    }
    return paths;
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public Type type(Path path) throws IOException {
    BasicFileAttributes attributes = attributes(path);
    if (attributes == null) {
      return Type.ABSENT;
    }
    return attributes.isRegularFile()
        ? Type.FILE
        : attributes.isDirectory() ? Type.DIRECTORY : Type.OTHER;
  }

  @Override
  public long size(Path path) throws IOException {
    BasicFileAttributes attributes = attributes(path);
    return attributes == null ? 0 : attributes.size();
  }

  @Override
  public Object key(Path path) throws IOException {
    BasicFileAttributes attributes = attributes(path);
    if (attributes == null) {
      return null;
    }
    // Windows has no file key; there an open file cannot be deleted, so any constant will do.
    return attributes.fileKey() == null ? path : attributes.fileKey();
  }

  @Override
  public SpillFile create(Path path) throws IOException {
    Files.createFile(path, supports(path, "posix") ? OWNER_FILE : NONE);
    SpillFile file = null;
    try {
      Object created = key(path);
      file = openForWriting(path);
      if (created == null || !created.equals(key(path)) || file.size() > 0) {
        throw new ObstructedException(path, "was replaced while it was created");
      }
      SpillFile opened = file;
      file = null;
      return opened;
    } catch (ObstructedException e) {
      throw e; // it is not ours to delete
    } catch (IOException e) {
      Files.deleteIfExists(path);
      throw e;
    } finally {
      if (file != null) {
        file.close();
      }
    }
  }

  @Override
  public SpillFile openForReading(Path path) throws IOException {
    requireRegular(path);
    return new RealSpillFile(path, "r");
  }

  @Override
  public SpillFile openForWriting(Path path) throws IOException {
    requireRegular(path);
    if (supports(path, "unix")
        && (Integer) Files.getAttribute(path, "unix:nlink", LinkOption.NOFOLLOW_LINKS) > 1) {
      throw new ObstructedException(path, "has a second hard link; remove this name");
    }
    return new RealSpillFile(path, "rw");
  }

  private void requireRegular(Path path) throws IOException {
    Type type = type(path);
    if (type == Type.ABSENT) {
      throw new NoSuchFileException(path.toString());
    }
    if (type != Type.FILE) {
      throw new ObstructedException(path, "is not a regular file; remove it");
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    Directories.force(directory);
  }

  @Override
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
    for (int attempt = 0; attempt < 100; attempt++) {
      if (type(path) == Type.ABSENT) {
        try {
          Files.createFile(path, supports(path, "posix") ? OWNER_FILE : NONE);
        } catch (java.nio.file.FileAlreadyExistsException e) {
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
          channel.close();
        }
      }
      if (locked) {
        return channel;
      }
    }
    throw new FileSystemException(path.toString(), null, "keeps being replaced");
  }
}
