package io.spillway.internal.compress;

import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * The file operations of rollover and compression that change the disk, in one place so that a test
 * can fail each of them or stop the process there.
 */
public class ArchiveFiles {
  /** Returns whether a name is taken, be it by a link without target. */
  public boolean exists(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * Renames a file to a name that the caller knows to be free, and creates the directories of that
   * name. Across file systems the file is copied, then the original is deleted: a crash in between
   * leaves both.
   */
  public void rename(Path from, Path to) throws IOException {
    try {
      move(from, to);
    } catch (NoSuchFileException noDirectory) {
      Files.createDirectories(to.toAbsolutePath().getParent());
      move(from, to);
    }
  }

  private void move(Path from, Path to) throws IOException {
    try {
      Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException acrossFileSystems) {
      copy(from, to);
    }
  }

  private void copy(Path from, Path to) throws IOException {
    Path copy = to.resolveSibling(to.getFileName() + Archives.PART);
    try {
      Files.copy(
          from, copy, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
      try (FileChannel written = FileChannel.open(copy, StandardOpenOption.WRITE)) {
        force(written);
      }
      Files.move(copy, to, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(copy);
      throw e;
    }
    forceDirectory(to.toAbsolutePath().getParent());
    delete(from);
  }

  /** Deletes a file, if it is there. */
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /** Creates an unfinished archive in place of one that a crash has left. */
  FileChannel create(Path part) throws IOException {
    Files.createDirectories(part.toAbsolutePath().getParent());
    delete(part); // a link is not followed
    return FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** Writes all of the bytes at the end. */
  void write(FileChannel file, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  /** Forces a file to the disk, without its name. */
  void force(FileChannel file) throws IOException {
    file.force(true);
  }

  /** Forces the names in a directory to the disk, where the system can. */
  void forceDirectory(Path directory) throws IOException {
    new SpillFiles().forceDirectory(directory);
  }

  /** Gives an archive the time and mode of its rolled file, and its group where that is allowed. */
  void copyAttributes(Path from, Path to) throws IOException {
    try {
      PosixFileAttributes source = Files.readAttributes(from, PosixFileAttributes.class);
      PosixFileAttributeView target =
          Files.getFileAttributeView(to, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS);
      if (!source.group().equals(target.readAttributes().group())) {
        setGroup(target, source);
      }
      target.setPermissions(source.permissions());
    } catch (UnsupportedOperationException notPosix) {
      // Time is all there is to copy.
    }
    Files.setLastModifiedTime(to, Files.getLastModifiedTime(from));
  }

  private static void setGroup(PosixFileAttributeView target, PosixFileAttributes source) {
    try {
      target.setGroup(source.group());
    } catch (IOException notAllowed) {
      // The group of this process has to do.
    }
  }
}
