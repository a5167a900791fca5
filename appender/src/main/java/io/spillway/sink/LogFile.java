package io.spillway.sink;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;

/**
 * The active log file, written in whole chunks: a chunk is in the file, or the file is as it was,
 * or the rest of the chunk follows at the next attempt. No torn and no doubled line either way.
 *
 * <p>A stream, not a channel: an interrupt would close a channel for good. Before each chunk one
 * {@code stat} compares the open file with what the path names now, because writes to a deleted
 * file succeed and vanish; the same {@code stat} gives the length to go back to. Not thread-safe.
 */
public final class LogFile {
  private File file;
  private FileOutputStream out;
  private Object openKey;
  private byte[] torn; // the failed chunk, if part of it could not be cut off
  private long tornStart; // where that part begins
  private long goodLength; // after the last whole chunk

  /** No file yet. */
  public LogFile() {}

  /**
   * Names the file and tries to open it, creating missing directories.
   *
   * @param name path of the file; the next {@link #write} tries again if this fails
   * @throws IOException if it cannot be opened
   */
  public void open(File name) throws IOException {
    close();
    file = name;
    torn = null;
    reopen();
  }

  /**
   * The file that is written now.
   *
   * @return its path
   */
  public File file() {
    return file;
  }

  /**
   * Appends a chunk. After an exception, call again with the same chunk: if its torn beginning
   * could not be cut off, only the rest is written.
   *
   * @param chunk all of it is written
   * @throws IOException if it could not be written; the file ends where it ended before, or {@link
   *     #isTorn}
   */
  public void write(byte[] chunk) throws IOException {
    long length = lengthOfOpenFile();
    if (torn != null && (torn != chunk || length < tornStart)) {
      cutOff(tornStart); // something else comes next, so the torn part has to go first
      length = Math.min(length, tornStart);
    }
    long start = torn == null ? length : tornStart;
    int written = (int) (length - start);
    try {
      out.write(chunk, written, chunk.length - written);
      torn = null;
      goodLength = start + chunk.length;
    } catch (IOException e) {
      repair(chunk, start);
      throw e;
    }
  }

  /**
   * How long the file is after the last successful write.
   *
   * @return bytes
   */
  public long length() {
    return goodLength;
  }

  /**
   * Whether the file ends with a part of the chunk that was written last, waiting for the rest.
   *
   * @return true if so: the file must not be rolled over now
   */
  public boolean isTorn() {
    return torn != null;
  }

  /** The length of the file, after making sure that it is open and still the one its path names. */
  private long lengthOfOpenFile() throws IOException {
    if (out != null) {
      try {
        BasicFileAttributes now = Files.readAttributes(path(), BasicFileAttributes.class);
        if (Objects.equals(now.fileKey(), openKey)) {
          return now.size();
        }
      } catch (NoSuchFileException deleted) {
        openKey = null;
      }
      close();
      torn = null; // it is gone with the old file
    }
    reopen();
    return Files.size(path());
  }

  private void reopen() throws IOException {
    Path parent = path().toAbsolutePath().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      Files.createDirectories(parent);
    }
    out = new FileOutputStream(file, true);
    Object key = Files.readAttributes(path(), BasicFileAttributes.class).fileKey();
    if (!Objects.equals(key, openKey)) {
      torn = null; // it is in another file
    }
    openKey = key;
  }

  /** Cuts a partly written chunk off, or remembers how much of it is there. */
  private void repair(byte[] chunk, long start) {
    torn = chunk;
    tornStart = start;
    try {
      cutOff(start);
      close(); // a fresh descriptor may work where this one does not
    } catch (IOException e) {
      if (!out.getChannel().isOpen()) {
        close();
      }
    }
  }

  /** Through the open descriptor, since the path may name another file by now. */
  private void cutOff(long length) throws IOException {
    Thread.interrupted(); // it would close the channel
    out.getChannel().truncate(length);
    torn = null;
  }

  /**
   * Whether the file holds something and does not end with a line feed, as after a crash in a
   * write.
   *
   * @return true if so; false also if it cannot be told
   */
  public boolean endsInsideLine() {
    try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
      long length = in.length();
      if (length == 0) {
        return false;
      }
      in.seek(length - 1);
      return in.read() != '\n';
    } catch (IOException e) {
      return false;
    }
  }

  /** Closes the file; the next write opens it again. */
  public void close() {
    if (out == null) {
      return;
    }
    try {
      out.close();
    } catch (IOException e) {
      openKey = null; // every write has returned already, so nothing is lost with the descriptor
    } finally {
      out = null;
    }
  }

  private Path path() {
    return file.toPath();
  }
}
