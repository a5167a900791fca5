package io.spillway.internal.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;

/**
 * One owner of a directory: a lock on its file {@code lock} against other processes, a system
 * property against this one, copies of this class in other class loaders included. The property
 * comes first: POSIX gives up a process's lock when the process closes any descriptor of the file.
 */
public final class DirectoryLock implements Closeable {
  /** Name of the lock file. */
  public static final String NAME = "lock";

  private static final String PROPERTY = "io.spillway.internal.spill.owned:";
  private static final Set<OpenOption> OPTIONS =
      Set.of(
          StandardOpenOption.CREATE,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          LinkOption.NOFOLLOW_LINKS);

  private final String property;
  private final Path file;
  private FileChannel channel; // null once closed

  private DirectoryLock(String property, Path file, FileChannel channel) {
    this.property = property;
    this.file = file;
    this.channel = channel;
  }

  /** Takes the lock of a directory. Returns the lock; null if another owner has it. */
  static DirectoryLock take(Path directory) throws IOException {
    String property = PROPERTY + directory.toRealPath();
    if (System.getProperties().putIfAbsent(property, "true") != null) {
      return null;
    }
    Path file = directory.resolve(NAME);
    FileChannel channel = null;
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    try {
      channel = lock(file);
    } finally {
      if (channel == null) {
        System.getProperties().remove(property);
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return channel == null ? null : new DirectoryLock(property, file, channel);
  }

  /**
   * Returns null, for the caller to try again, also if the name has another file afterwards: an
   * owner that leaves deletes the file, and a lock on that is one that no other process can find.
   */
  private static FileChannel lock(Path file) throws IOException {
    FileChannel channel = FileChannel.open(file, OPTIONS, SpillFiles.fileMode(file));
    boolean kept = false;
    try {
      Object before = key(file);
      kept = channel.tryLock() != null && before.equals(key(file));
    } catch (NoSuchFileException | OverlappingFileLockException taken) {
      return null; // deleted by its owner, or locked by something else in this JVM
    } finally {
      if (!kept) {
        channel.close();
      }
    }
    return kept ? channel : null;
  }

  private static Object key(Path file) throws IOException {
    BasicFileAttributes found =
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    return found.fileKey() == null ? found.creationTime() : found.fileKey();
  }

  /** Deletes the lock file, before the lock is given back. */
  public void delete() throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public synchronized void close() throws IOException {
    if (channel != null) {
      FileChannel open = channel;
      channel = null;
      try {
        open.close();
      } finally {
        System.getProperties().remove(property);
      }
    }
  }
}
