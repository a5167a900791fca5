package io.spillway.internal.sink;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.metrics.Reports;
import java.io.EOFException;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The active log file, written in whole chunks. After a write, the chunk is in the file, or the
 * file is as it was before, or the next attempt writes the rest of the chunk. So no line is torn or
 * doubled.
 *
 * <p>The file is a stream, not a channel, because an interrupt would close a channel for good.
 * Before each chunk one {@code stat} compares the open file with the file that the path names now,
 * because writes to a deleted file succeed and vanish; the same {@code stat} gives the length to
 * cut the file back to.
 *
 * <p>Concurrency: for one thread, except {@link #force}, which another thread may call meanwhile.
 * {@code forcing} is held while the descriptor is forced and while it is replaced: if the
 * descriptor were closed during a sync, its number could belong to another file, whose sync would
 * pass for the sync of this one. {@code written} guards the checksums of what has been written
 * since the last sync; no disk operation holds it, so that a chunk does not wait for a sync.
 */
public class LogFile {
  private static final int COPY_BYTES = 1 << 16;
  private static final int TYPE_MODE = 0170000;
  private static final int PIPE_MODE = 0010000;

  private final Disk files; // creates directories and forces names
  private File file;
  private Path path; // of the file
  private FileOutputStream out;
  private Object openKey;
  private byte[] torn; // the failed chunk, if part of it could not be cut off
  private long tornStart; // where that chunk begins
  private volatile long goodLength; // length after the last whole chunk

  private final Object forcing = new Object();
  private boolean forcedOnClose; // set before the first open
  private final Set<Path> unforcedNames = new HashSet<>(); // directories, under forcing
  private boolean doubtful; // under forcing: a sync failed, and the next would claim success
  private boolean movedInDoubt; // under forcing: the file got another name while doubtful

  private final List<Doubt> closedInDoubt = new ArrayList<>(); // under forcing
  private volatile boolean lost; // written under forcing

  /** A failed sync did not write bytes that cannot be read back: only the spill has them. */
  private static final class LostException extends IOException {
    private static final long serialVersionUID = 1;

    LostException(String what) {
      super(what);
    }
  }

  private volatile IOException closeFailure;
  private final Object written = new Object();
  private final List<Span> unforced = new ArrayList<>(); // under written

  /** Bytes that were written one after the other, and not forced since. */
  private static final class Span {
    private final long start;
    private final CRC32C crc = new CRC32C();
    private long end;
    private boolean closed; // a sync has begun since; later bytes begin another span

    Span(long start) {
      this.start = start;
      this.end = start;
    }
  }

  /** A file that was closed before its spans could be forced. Its descriptor survives a rename. */
  private record Doubt(RandomAccessFile file, List<Span> spans) {}

  /** Creates a log file; {@link #open} names and opens it. */
  public LogFile() {
    this(new Disk());
  }

  LogFile(Disk files) {
    this.files = files;
  }

  /**
   * Sets whether to force what is written before the file is closed, as at a rollover, and to keep
   * track of what {@link #force} has to force. Called before the first {@link #open} of a start.
   * Forgets what an earlier start left in doubt, since the spill delivers that again.
   *
   * @param wanted default: false
   */
  public void forcedOnClose(boolean wanted) {
    synchronized (forcing) {
      forcedOnClose = wanted;
      doubtful = false;
      movedInDoubt = false;
      lost = false;
      forced(closeSpans());
      for (Doubt doubt : closedInDoubt) {
        Disk.closeQuietly(doubt.file()); // the spill delivers its bytes again
      }
      closedInDoubt.clear();
    }
  }

  /**
   * Names the file and tries to open it, creating missing directories.
   *
   * @param name path of the file; if opening it fails, the next {@link #write} tries again
   * @throws IOException if it cannot be opened
   */
  public void open(File name) throws IOException {
    close();
    file = name;
    path = FilePaths.path(name.getPath());
    torn = null;
    reopen();
  }

  /**
   * Returns the file that is written now.
   *
   * @return the file as it was named
   */
  public File file() {
    return file;
  }

  /**
   * Returns the path of the file that is written now. For use in place of {@code file().toPath()},
   * which throws if the locale cannot encode the name.
   *
   * @return the path of the file that the name stands for
   */
  public Path path() {
    return path;
  }

  /**
   * Appends a chunk. After an exception, the caller repeats the call with the same chunk: if its
   * torn beginning could not be cut off, only the rest is written.
   *
   * @param chunk all of it is written
   * @throws IOException if the chunk could not be written; the file ends where it ended before, or
   *     {@link #isTorn}
   */
  public void write(byte[] chunk) throws IOException {
    long length = lengthOfOpenFile();
    if (torn != null && (torn != chunk || length < tornStart)) {
      cutOff(tornStart); // another chunk comes next, so the torn part has to go first
      length = Math.min(length, tornStart);
    }
    long start = torn == null ? length : tornStart;
    int written = (int) (length - start);
    try {
      out.write(chunk, written, chunk.length - written);
      torn = null;
      goodLength = start + chunk.length;
      if (forcedOnClose) {
        unforced(start, chunk);
      }
    } catch (IOException | RuntimeException | Error e) {
      repair(chunk, start);
      throw e;
    }
  }

  /**
   * Returns the length of the file after the last successful write.
   *
   * @return bytes
   */
  public long length() {
    return goodLength;
  }

  /**
   * Returns whether the file ends with a part of the last chunk, whose rest is still to be written.
   *
   * @return true if so; the file must not be rolled over then
   */
  public boolean isTorn() {
    return torn != null;
  }

  /** Makes sure that the open file is the one that the path names, and returns its length. */
  private long lengthOfOpenFile() throws IOException {
    if (out != null) {
      try {
        BasicFileAttributes now = Files.readAttributes(path, BasicFileAttributes.class);
        if (Objects.equals(now.fileKey(), openKey)) {
          return now.size();
        }
      } catch (NoSuchFileException deleted) {
        openKey = null;
      }
      close();
      torn = null; // the torn part is gone with the old file
    }
    reopen();
    return Files.size(path);
  }

  private void reopen() throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    files.createParents(path);
    requireNoPipe();
    synchronized (forcing) {
      out = openToAppend();
      Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
      if (!Objects.equals(key, openKey)) {
        torn = null; // the torn part is in another file
        movedInto(parent); // the name of this file is likely to be new
        movedInDoubt |= doubtful;
      }
      openKey = key;
    }
  }

  FileOutputStream openToAppend() throws IOException {
    return new FileOutputStream(file, true);
  }

  RandomAccessFile openToRead() throws IOException {
    requireNoPipe();
    return new RandomAccessFile(file, "r");
  }

  /**
   * Throws if the path names a named pipe, because opening a pipe waits for its reader. Devices do
   * not hold up an open, nor does the pipe that is this process's own output, whose only name is
   * the one in /proc.
   */
  private void requireNoPipe() throws IOException {
    if (!Files.exists(path)
        || !Files.readAttributes(path, BasicFileAttributes.class).isOther()
        || !path.getFileSystem().supportedFileAttributeViews().contains("unix")
        || ((Integer) Files.getAttribute(path, "unix:mode") & TYPE_MODE) != PIPE_MODE) {
      return;
    }
    try {
      path.toRealPath();
    } catch (NoSuchFileException unnamed) {
      return;
    }
    throw new FileSystemException(
        file.toString(), null, "is a named pipe, which may have no reader; remove it");
  }

  private void unforced(long start, byte[] chunk) {
    synchronized (written) {
      Span last = unforced.isEmpty() ? null : unforced.get(unforced.size() - 1);
      if (last == null || last.closed || last.end != start) {
        last = new Span(start);
        unforced.add(last);
      }
      last.crc.update(chunk, 0, chunk.length);
      last.end += chunk.length;
    }
  }

  /** Closes and returns the spans written so far. */
  private List<Span> closeSpans() {
    synchronized (written) {
      for (Span span : unforced) {
        span.closed = true;
      }
      return List.copyOf(unforced);
    }
  }

  /**
   * Notes that a name in a directory has changed; the name is forced with the file.
   *
   * @param directory null for none
   */
  public void movedInto(Path directory) {
    if (forcedOnClose && directory != null) {
      synchronized (forcing) {
        unforcedNames.add(directory);
      }
    }
  }

  /**
   * Returns when all bytes for which {@link #write} has returned are on the disk, with the names
   * that lead to them. May be called from any thread.
   *
   * @throws IOException if they are not, as far as can be told; a later call writes what is in
   *     doubt once more, since the system drops the pages that it could not write and then reports
   *     no failure. Each call throws once something {@link #hasLost is lost}, but forces the rest
   */
  public void force() throws IOException {
    synchronized (forcing) {
      IOException failure = forceClosed();
      List<Span> spans = closeSpans();
      try {
        if (doubtful) {
          writeAgain(spans);
        } else if (out != null && !spans.isEmpty()) {
          out.getFD().sync();
        }
        doubtful = false;
      } catch (IOException e) {
        doubtful |= !spans.isEmpty();
        throw e;
      }
      forced(spans);
      for (Iterator<Path> names = unforcedNames.iterator(); names.hasNext(); names.remove()) {
        forceNames(names.next());
      }
      if (failure != null) {
        throw failure;
      }
      if (lost) {
        throw new LostException("its disk has lost what was written to it");
      }
    }
  }

  /** Forces the names in a directory, unless the directory is gone with them, as by retention. */
  private void forceNames(Path directory) throws IOException {
    try {
      files.syncDirectory(directory);
    } catch (IOException e) {
      if (!StorageFailures.isGone(e)) {
        throw e;
      }
    }
  }

  private void forced(List<Span> spans) {
    synchronized (written) {
      unforced.removeAll(spans);
    }
  }

  /**
   * Returns whether bytes that were written are no longer in the file, as after its disk was
   * replaced or the file was cut back. Only the spill has these bytes then, and must keep them
   * until the next start. May be called from any thread.
   *
   * @return true until the next start
   */
  public boolean hasLost() {
    return lost;
  }

  /**
   * Returns whether the file may get another name: no bytes of it wait to be written again.
   *
   * @return true also if bytes of it are lost
   */
  public boolean mayMove() {
    synchronized (forcing) {
      return !doubtful;
    }
  }

  /** Writes spans again, through the path, since the descriptor can only append. */
  private void writeAgain(List<Span> spans) throws IOException {
    Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    if (movedInDoubt || !Objects.equals(key, openKey)) {
      lost = true; // these bytes went with a file that has no name here
      movedInDoubt = false;
      if (out != null) {
        out.getFD().sync(); // what was written after the lost bytes
      }
      return;
    }
    requireNoPipe();
    try (RandomAccessFile again = new RandomAccessFile(file, "rw")) {
      writeAgain(again, spans);
    }
  }

  private void writeAgain(RandomAccessFile file, List<Span> spans) throws IOException {
    for (Span span : spans) {
      try {
        writeAgain(file, span);
      } catch (LostException | EOFException cutBack) {
        lost = true; // other spans may still be in the file
      }
    }
    file.getFD().sync();
  }

  /** Forces all files closed in doubt, even if one fails. Returns the last failure, or null. */
  private IOException forceClosed() {
    IOException failure = null;
    for (Iterator<Doubt> left = closedInDoubt.iterator(); left.hasNext(); ) {
      Doubt doubt = left.next();
      try {
        writeAgain(doubt.file(), doubt.spans());
        left.remove();
        doubt.file().close();
      } catch (IOException e) {
        failure = e;
      }
    }
    return failure;
  }

  /** Keeps a descriptor of a file that is about to be closed and moved, to write it again. */
  private void keepInDoubt() {
    List<Span> spans = closeSpans();
    if (spans.isEmpty() || movedInDoubt) {
      return;
    }
    try {
      Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
      if (Objects.equals(key, openKey)) {
        closedInDoubt.add(new Doubt(new RandomAccessFile(file, "rw"), spans));
        synchronized (written) {
          unforced.removeAll(spans);
        }
        doubtful = false;
      }
    } catch (IOException e) {
      // the next force writes the spans again, or finds another file and reports them as lost
      doubtful = true;
    }
  }

  private static void writeAgain(RandomAccessFile file, Span span) throws IOException {
    CRC32C crc = new CRC32C();
    byte[] buffer = new byte[COPY_BYTES];
    for (long at = span.start; at < span.end; ) {
      int length = (int) Math.min(buffer.length, span.end - at);
      file.seek(at);
      file.readFully(buffer, 0, length);
      crc.update(buffer, 0, length);
      file.seek(at);
      file.write(buffer, 0, length);
      at += length;
    }
    if (crc.getValue() != span.crc.getValue()) {
      throw new LostException(
          "its bytes " + span.start + " to " + span.end + " do not read as they were written");
    }
  }

  /** Cuts a partly written chunk off, or remembers it so that the next write can go on with it. */
  private void repair(byte[] chunk, long start) {
    torn = chunk;
    tornStart = start;
    try {
      cutOff(start);
    } catch (IOException e) {
      Thread.onSpinWait(); // the next write cuts it off, or writes the rest
    }
    close(); // a fresh descriptor may work where this one does not
  }

  /** Cuts through the open descriptor, since the path may name another file by now. */
  private void cutOff(long length) throws IOException {
    boolean interrupted = Thread.interrupted(); // an interrupt would close the channel
    try {
      out.getChannel().truncate(length);
      torn = null;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns whether the file holds something and does not end with a line feed, as after a crash
   * during a write.
   *
   * @return true if so; false also if the file cannot be read and will not be readable later
   * @throws IOException if the file cannot be read now, but may be later
   */
  public boolean endsInsideLine() throws IOException {
    try (RandomAccessFile in = openToRead()) {
      long length = in.length();
      if (length == 0) {
        return false;
      }
      in.seek(length - 1);
      return in.read() != '\n';
    } catch (IOException e) {
      if (StorageFailures.isPassing(e)) {
        throw e;
      }
      return false;
    }
  }

  /** Closes the file; the next write opens it again. */
  public void close() {
    synchronized (forcing) {
      if (out == null) {
        return;
      }
      if (forcedOnClose) {
        forceLast();
      }
      try {
        out.close();
      } catch (IOException e) {
        if (!forcedOnClose) { // otherwise the bytes are forced, or in doubt
          closeFailure = e; // a network file system may report failed writes only here
        }
      } finally {
        out = null;
      }
    }
  }

  /**
   * Returns why a file could not be closed since the last call.
   *
   * @return null if no close has failed
   */
  IOException takeCloseFailure() {
    IOException failure = closeFailure;
    if (failure != null) {
      closeFailure = null;
    }
    return failure;
  }

  /** Forces the file before its close. What fails stays in doubt, which {@link #force} reports. */
  private void forceLast() {
    try {
      force();
    } catch (IOException e) {
      keepInDoubt();
    }
  }

  /**
   * Returns a stream to the file for Logback's appender classes, which write headers and footers.
   *
   * @param reports reports failures
   * @return a stream that never throws, because Logback would stop the appender for good
   */
  public OutputStream stream(Reports reports) {
    return new View(reports);
  }

  private final class View extends OutputStream {
    private final Reports reports;

    View(Reports reports) {
      this.reports = reports;
    }

    @Override
    public void write(int b) {
      write(new byte[] {(byte) b});
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      write(Arrays.copyOfRange(bytes, offset, offset + length));
    }

    @Override
    public void write(byte[] bytes) {
      try {
        LogFile.this.write(bytes);
      } catch (IOException e) {
        reports.failure(
            "header",
            "Cannot write the encoder's header or footer to file ["
                + file
                + "]; no event is concerned. To do: "
                + StorageFailures.remedy(e)
                + ".",
            e);
      }
    }

    @Override
    public void close() {
      LogFile.this.close();
    }
  }
}
