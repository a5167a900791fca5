package io.spillway.internal.sink;

import io.spillway.internal.disk.Failures;
import io.spillway.internal.disk.SpillFiles;
import io.spillway.internal.metrics.Reports;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * The active log file, written in whole chunks: after a write that fails, the file is cut back to
 * where it ended before, at once or before the next write. So no line is torn or doubled.
 *
 * <p>The file is a stream, not a channel, because an interrupt would close a channel for good.
 * Before each chunk one {@code stat} compares the open file with the file that the path names now,
 * because writes to a deleted file succeed and vanish; the same {@code stat} gives the length to
 * cut the file back to.
 *
 * <p>Concurrency: for one thread, except {@link #force} and {@link #failure}, which any thread may
 * call. {@code forcing} is held while the descriptor is forced and while it is replaced: if the
 * descriptor were closed during a sync, its number could belong to another file, whose sync would
 * pass for the sync of this one. A write does not take it.
 */
public class LogFile {
  private final boolean synced;
  private File file;
  private Path path; // of the file
  private FileOutputStream out; // null while the file is closed
  private Object openKey; // identity of the file that is or was open
  private long tornAt = -1; // where a part of a chunk begins that has to be cut off; -1: none
  private long length; // after the last whole chunk

  private final Object forcing = new Object();
  private final Set<Path> unforcedNames = new HashSet<>(); // directories, under forcing
  private volatile boolean unforced; // bytes were written since the last force began
  private volatile IOException failure; // the first force that failed, written under forcing

  /** If it is synced, what is written is also forced before a close, as at a rollover. */
  public LogFile(boolean synced) {
    this.synced = synced;
  }

  /** Names the file and opens it; if that fails, the next write tries again. */
  public void open(File name) throws IOException {
    close();
    file = name;
    path = Path.of(name.getPath());
    tornAt = -1;
    reopen();
  }

  public File file() {
    return file;
  }

  /** Returns the path of {@link #file}, whose {@code toPath} throws in some locales. */
  public Path path() {
    return path;
  }

  public long length() {
    return length;
  }

  /** Returns whether a part of a chunk is still to be cut off; the file must not be moved then. */
  boolean isTorn() {
    return tornAt >= 0;
  }

  /** Appends the first bytes of an array: all of them, or none once what is torn is cut off. */
  void write(byte[] bytes, int count) throws IOException {
    long start = lengthOfOpenFile();
    if (tornAt >= 0 && tornAt < start) {
      truncate(out, tornAt);
      start = tornAt;
    }
    tornAt = -1;
    try {
      out.write(bytes, 0, count);
    } catch (IOException | RuntimeException | Error e) {
      tornAt = start;
      try {
        truncate(out, start); // through the descriptor: the path may name another file by now
        tornAt = -1;
      } catch (IOException again) {
        e.addSuppressed(again); // the next write tries it once more
      }
      close(); // a fresh descriptor may work where this one does not
      throw e;
    }
    length = start + count;
    unforced = true;
  }

  /** Makes sure that the open file is the one that the path names, and returns its length. */
  private long lengthOfOpenFile() throws IOException {
    if (out != null) {
      try {
        BasicFileAttributes now = stat();
        if (Objects.equals(now.fileKey(), openKey)) {
          return now.size();
        }
      } catch (NoSuchFileException deleted) {
        openKey = null;
      }
      close();
    }
    return reopen();
  }

  private long reopen() throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) { // a link to one is as good
      Files.createDirectories(parent);
    }
    synchronized (forcing) {
      out = openToAppend();
    }
    BasicFileAttributes opened = stat();
    if (!Objects.equals(opened.fileKey(), openKey)) {
      tornAt = -1; // the torn chunk is in another file
      if (synced) {
        synchronized (forcing) {
          unforcedNames.add(parent); // the name of this file is likely to be new
        }
      }
    }
    openKey = opened.fileKey();
    return opened.size();
  }

  // What may fail; tests override these methods.

  FileOutputStream openToAppend() throws IOException {
    return new FileOutputStream(file, true);
  }

  BasicFileAttributes stat() throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class);
  }

  void truncate(FileOutputStream open, long size) throws IOException {
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    try {
      open.getChannel().truncate(size);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  void sync(FileOutputStream open) throws IOException {
    open.getFD().sync();
  }

  void syncDirectory(Path directory) throws IOException {
    new SpillFiles().forceDirectory(directory);
  }

  RandomAccessFile openToRead() throws IOException {
    return new RandomAccessFile(file, "r");
  }

  /** Returns whether the file ends without a line feed, but for a chunk that is to be cut off. */
  boolean endsInsideLine() throws IOException {
    try (RandomAccessFile in = openToRead()) {
      long end = tornAt >= 0 ? Math.min(tornAt, in.length()) : in.length();
      if (end == 0) {
        return false;
      }
      in.seek(end - 1);
      return in.read() != '\n';
    } catch (IOException e) {
      if (Files.isReadable(path)) {
        throw e;
      }
      return false; // missing, or only its writer may not read it
    }
  }

  /**
   * Forces what was written. Once it threw it always does: the system drops what it cannot write.
   */
  void force() throws IOException {
    synchronized (forcing) {
      if (failure != null) {
        throw failure;
      }
      try {
        boolean written = unforced;
        unforced = false; // before the sync: what is written meanwhile needs another one
        if (out != null && written) {
          sync(out);
        }
        for (Path directory : unforcedNames) {
          forceNames(directory);
        }
        unforcedNames.clear();
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }

  /** Forces the names in a directory, unless the directory is gone with them, as by retention. */
  private void forceNames(Path directory) throws IOException {
    try {
      syncDirectory(directory);
    } catch (IOException e) {
      if (!Failures.isGone(e)) {
        throw e;
      }
    }
  }

  /** Returns the first failure of a force or a close; null if all has worked. */
  IOException failure() {
    return failure;
  }

  /** Closes the file; the next write opens it again. */
  public void close() {
    synchronized (forcing) {
      if (out == null) {
        return;
      }
      try (FileOutputStream closed = out) {
        out = null;
        if (synced && unforced && failure == null) {
          unforced = false;
          sync(closed);
        }
      } catch (IOException e) { // a network file system may report failed writes only here
        failure = failure == null ? e : failure;
      }
    }
  }

  /** For headers and footers, which Logback writes; if it threw, Logback would stop for good. */
  public OutputStream stream(Reports reports) {
    return new OutputStream() {
      @Override
      public void write(int b) {
        write(new byte[] {(byte) b}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int count) {
        try {
          LogFile.this.write(Arrays.copyOfRange(bytes, offset, offset + count), count);
        } catch (IOException e) {
          String text =
              "Cannot write the encoder's header or footer to file [%s]: %s; no event is concerned."
                  + " To do: %s.";
          reports.warn(
              "header", text.formatted(file, Failures.reason(e, path), Failures.remedy(e, path)));
        }
      }

      @Override
      public void close() {
        LogFile.this.close();
      }
    };
  }
}
