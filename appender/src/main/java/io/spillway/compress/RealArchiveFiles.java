package io.spillway.compress;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
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
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The file system itself. Stateless. */
final class RealArchiveFiles implements ArchiveFiles {
  private static final FileAttribute<?>[] NONE = {};
  private static final FileAttribute<?>[] OWNER_ONLY = {
    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
  };

  private static boolean isPosix(Path path) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  @Override
  public FileState state(Path file) throws IOException {
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
    return new FileState(
        found.isRegularFile(),
        found.isDirectory(),
        key,
        found.size(),
        found.lastModifiedTime(),
        permissions);
  }

  @Override
  public InputStream open(Path file) throws IOException {
    FileState state = state(file);
    if (state == null) {
      throw new NoSuchFileException(file.toString());
    }
    if (!state.regular()) {
      throw new FileSystemException(file.toString(), null, "is not a regular file");
    }
    return new FileInputStream(file.toFile());
  }

  @Override
  public PartFile create(Path file) throws IOException {
    createParents(file);
    Files.createFile(file, isPosix(file) ? OWNER_ONLY : NONE);
    FileOutputStream out = new FileOutputStream(file.toFile());
    return new PartFile() {
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

  private static void createParents(Path file) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent);
    }
  }

  @Override
  public void dress(Path file, FileState as) throws IOException {
    if (as.permissions() != null && isPosix(file)) {
      Files.setPosixFilePermissions(file, as.permissions());
    }
    Files.setLastModifiedTime(file, as.modified());
  }

  @Override
  public void force(Path file) throws IOException {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "r")) {
      open.getFD().sync();
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(to.toString()); // rename(2) would replace it
    }
    createParents(to);
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE); // else Java copies across file systems
  }

  @Override
  public void forceDirectory(Path directory) throws IOException {
    Directories.force(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  @Override
  public DirectoryStream<Path> list(Path directory) throws IOException {
    return Files.newDirectoryStream(directory);
  }
}
