package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.Disk.State;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.metrics.FlightLog;
import io.spillway.internal.metrics.Reports;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Changes all names of one policy's rolled files and archives; no other class does. The order of
 * the renames, which is in this package's description, loses nothing wherever it is interrupted.
 * Tracks open files through their renames.
 *
 * <p>Concurrency: used by the compressor thread, except for {@link #stop} and methods that state
 * otherwise. A monitor is held round each step of renames, so that no name changes once {@link
 * #stop} has returned.
 */
final class NameWriter {
  // The thread works for all appenders of the JVM; the file's path identifies the appender.
  private static final FlightLog FLIGHT_LOG = new FlightLog(null, null);

  final Disk files;
  final RolledFiles policy;
  final ArchiveNames names;
  final Archiver.Settings settings;
  final Reports reports;
  final Backlog backlog;
  private final List<Tracked> open = new CopyOnWriteArrayList<>();
  private final Queue<Path> deletions = new ConcurrentLinkedQueue<>();
  private final Map<Path, Path> writing = new ConcurrentHashMap<>(); // parts, with their archives
  private final Object steps = new Object();
  private volatile boolean stopped; // set under steps
  private volatile boolean markInconsistent;
  private boolean told; // whether it was reported that names cannot be forced

  NameWriter(Disk files, RolledFiles policy, Archiver.Settings settings, Reports reports) {
    this.files = files;
    this.policy = policy;
    this.names = policy.names();
    this.settings = settings;
    this.reports = reports;
    this.backlog = new Backlog(Reports.NANO_TIME);
  }

  /** The time at which work on an archive began, for the figures and for a flight recording. */
  record Began(long nanos, FlightLog.Span span) {
    /** Returns a beginning at a time for the figures; the flight recording begins now. */
    static Began at(long nanos) {
      return new Began(nanos, FLIGHT_LOG.beginCompression());
    }

    /** Returns a beginning of work that compresses nothing, which is not recorded. */
    static Began unrecorded() {
      return new Began(System.nanoTime(), FlightLog.NOTHING);
    }
  }

  /** Thrown if another program has changed a file of the policy. */
  static final class ForeignChangeException extends IOException {
    private static final long serialVersionUID = 1;

    ForeignChangeException(String message) {
      super(message);
    }

    @Override
    public String toString() {
      return getMessage();
    }
  }

  /** Returns what an operator can do if a file cannot be archived, as a clause. */
  static String remedy(Throwable failure) {
    if (failure instanceof ForeignChangeException) {
      return "let no other program write to, compress, truncate, replace or rotate the file";
    }
    try {
      if (failure instanceof IOException io) {
        return StorageFailures.isNoRoom(io)
            ? StorageFailures.remedy(io)
            : "see that the file can be read, its archive's directory be written, and files be"
                + " opened (ulimit -n)";
      }
    } catch (Throwable ofText) {
      Thread.onSpinWait(); // the text of a foreign exception may throw
    }
    return "see that there is memory enough, and that the format of the archive works";
  }

  /**
   * A file that is worked on while it may be renamed: its stream stays on the same bytes, and
   * {@link #now} tells whether its name still stands for them.
   */
  final class Tracked implements Closeable {
    private volatile Path path; // null once it is discarded
    private volatile boolean waiting; // for its raw name
    private State opened;
    private InputStream in;

    private Tracked(Path path) {
      this.path = path;
    }

    Path path() {
      return path;
    }

    /** Records the rollover of a followed file. Also called by the thread that writes the log. */
    void rolled(Path to, boolean placed) {
      waiting = !placed;
      path = to;
    }

    /** Returns whether the file has no raw name yet. */
    boolean isWaiting() {
      return waiting;
    }

    /** Opens the file, which must be a regular one. */
    void open() throws IOException {
      State state = files.state(path);
      if (state == null) {
        throw new NoSuchFileException(path.toString());
      }
      if (!state.regular()) {
        throw new ForeignChangeException("[" + path + "] is not a regular file");
      }
      in = files.newInputStream(path);
      opened = state;
    }

    /** Reopens the file, to read it again from its beginning. */
    void rewind() throws IOException {
      InputStream read = in;
      in = null;
      closing(read);
      in = files.newInputStream(path);
    }

    /** Returns the state of the file when it was opened. */
    State opened() {
      return opened;
    }

    InputStream in() {
      return in;
    }

    /** Returns the file's current state, or null if its name stands for another file or none. */
    State now() throws IOException {
      Path name = path;
      State state = name == null ? null : files.state(name);
      return opened.isSameFile(state) ? state : null;
    }

    /**
     * Returns whether the name stands for the file and the file has changed since it was opened.
     */
    boolean isWrittenTo() throws IOException {
      State now = now();
      return now != null
          && (now.bytes() != opened.bytes() || !now.modified().equals(opened.modified()));
    }

    /** Ends the tracking and closes the file; a failure is reported and does no harm. */
    @Override
    public void close() {
      open.remove(this);
      InputStream ended = in;
      in = null;
      if (ended != null) {
        closing(ended);
      }
    }
  }

  boolean isStopped() {
    return stopped;
  }

  /** Stops all renames: no name changes after this method has returned. Called by any thread. */
  void stop() {
    synchronized (steps) {
      stopped = true;
    }
  }

  /**
   * Records that an Error, such as an OutOfMemoryError, interrupted a change of files, so that
   * there may be files that are not in the backlog. Called by any thread.
   */
  void markInconsistent() {
    markInconsistent = true;
  }

  /** Returns whether the directory must be searched for files that are not in the backlog. */
  boolean isInconsistent() {
    return markInconsistent;
  }

  /** Records that the directory is being searched. */
  void look() {
    markInconsistent = false;
  }

  /** Tracks a file that is to be opened later. Called by any thread. */
  Tracked track(Path file) {
    Tracked tracked = new Tracked(file);
    open.add(tracked);
    return tracked;
  }

  /** Tracks and opens an existing regular file. */
  Tracked open(Path file) throws IOException {
    Tracked tracked = track(file);
    try {
      tracked.open();
    } catch (IOException | RuntimeException | Error e) {
      tracked.close();
      throw e;
    }
    return tracked;
  }

  /**
   * Closes a resource; reports whatever that throws, even a foreign format's Error, so that the
   * caller goes on to close other resources.
   */
  void closing(Closeable closeable) {
    try {
      closeable.close();
    } catch (Throwable t) {
      reports.warn("archive.close", "Closing a file of the compressor failed: ", t, ".");
    }
  }

  /** Begins the archive of a raw name. */
  ArchiveWriter begin(Path part, Path raw, State from) throws IOException {
    writing.put(part, names.archiveOf(raw));
    return new ArchiveWriter(files, part, entryName(raw, from), settings);
  }

  /** Returns the name of a raw file inside its archive. */
  String entryName(Path raw, State from) {
    return policy.entryName(raw, from.modified().toInstant());
  }

  /** Returns whether an archive that was begun with an entry may be that of a raw name. */
  boolean isEntryOf(Path raw, String begun, State from) {
    return !ArchiveFormats.keepsName(settings.format()) || entryName(raw, from).equals(begun);
  }

  /** Returns whether a part is being written, not left by a crash. */
  boolean isWriting(Path part) {
    return writing.containsKey(part);
  }

  /** Returns whether an archive of this name is being written. */
  boolean isMaking(Path archive) {
    return writing.containsValue(archive);
  }

  /** Closes a writer, if it was created, and has its part deleted, unless that was published. */
  void end(ArchiveWriter writer, Path part, boolean published) {
    if (part == null) {
      return;
    }
    if (writer != null && !published) {
      closing(writer);
    }
    writing.remove(part);
    if (!published && mayBeThere(part)) { // its creation may have failed
      deletions.add(part);
    }
  }

  private boolean mayBeThere(Path part) {
    try {
      return files.exists(part);
    } catch (IOException e) {
      return true;
    }
  }

  /**
   * Gives a rolled file the raw name that its policy chooses. Forces the new directory, so that
   * content forced under the old name survives a power cut under the new one.
   */
  void place(RolledName rolled) throws IOException {
    Path directory = placed(rolled);
    if (directory != null && !directory.equals(rolled.path().getParent())) {
      files.syncDirectory(directory);
    }
  }

  private Path placed(RolledName rolled) throws IOException {
    synchronized (steps) {
      if (stopped || !files.exists(rolled.path())) {
        return null;
      }
      Path raw = policy.place(rolled);
      try {
        files.rename(rolled.path(), raw);
      } catch (AtomicMoveNotSupportedException otherFileSystem) {
        raw = names.staged(raw);
        if (raw == null) {
          throw otherFileSystem;
        }
        files.rename(rolled.path(), raw);
      }
      moved(rolled.path(), raw);
      if (names.isInPlace(raw)) {
        backlog.forget(raw);
        policy.published(names.archiveOf(raw));
      } else {
        backlog.found(raw, true, files.state(raw)); // it may not have been announced
      }
      return raw.getParent();
    }
  }

  /** Renames a file as a step of a shift, unless stopped. */
  void rename(Path from, Path to) throws IOException {
    synchronized (steps) {
      if (!stopped) {
        files.rename(from, to);
        moved(from, to);
      }
    }
  }

  private void moved(Path from, Path to) {
    for (Tracked file : open) {
      if (from.equals(file.path)) {
        file.path = to;
        file.waiting = false;
      }
    }
    backlog.moved(from, to);
  }

  /**
   * Gives the archive that the writer has made its name, and discards the rolled file.
   *
   * @param cut a truncated archive of the same name, to be replaced; null for none
   * @param as the state of the rolled file that was compressed
   * @return false if nothing was done, as the rolled file has changed or is active again, another
   *     program has written to the truncated archive, or this is stopped
   */
  boolean publish(Tracked raw, Tracked cut, ArchiveWriter writer, State as, Began began)
      throws IOException {
    writer.end();
    written(writer); // first: attributes are set by name
    copyAttributes(writer.part(), as);
    writer.seal();
    State written = name(raw, cut, writer);
    if (written == null) {
      return false;
    }
    retire(raw, as.bytes(), written, began);
    return true;
  }

  /** Returns the state of the part, after a check that no other file has replaced it. */
  private static State written(ArchiveWriter writer) throws IOException {
    State written = writer.written();
    if (written == null) {
      throw new ForeignChangeException(
          "["
              + writer.part()
              + "] was replaced, cut or removed by another program while it was written");
    }
    return written;
  }

  /**
   * Copies permissions and time; without them only the owner can read the archive, so a failure is
   * only reported.
   */
  private void copyAttributes(Path part, State as) {
    try {
      files.copyAttributes(part, as);
    } catch (IOException e) {
      reports.warn(
          "archive.attributes",
          "Archive [" + part + "] has not got its rolled file's permissions and time: " + e);
    }
  }

  /** Gives the part the archive's name; returns its state, or null if nothing was done. */
  private State name(Tracked raw, Tracked cut, ArchiveWriter writer) throws IOException {
    synchronized (steps) {
      State now = raw.now();
      if (now == null
          || stopped
          || now.bytes() != writer.position()
          || cut != null && cut.isWrittenTo()
          || !policy.take(raw.path())) {
        return null;
      }
      try {
        boolean replaced =
            cut != null && cut.now() != null && cut.path().equals(names.archiveOf(raw.path()));
        Path archive = replaced ? cut.path() : freeArchive(raw);
        State written = written(writer);
        if (replaced) {
          files.replace(writer.part(), archive);
          reportReplaced(archive, raw.path());
        } else {
          files.rename(writer.part(), archive);
        }
        return written;
      } finally {
        policy.release();
      }
    }
  }

  private void reportReplaced(Path archive, Path raw) {
    reports.warn(
        "archive.truncated",
        "Archive ["
            + archive
            + "] was cut short; it has been made again from its rolled file ["
            + raw
            + "], which is whole.");
  }

  private Path freeArchive(Tracked raw) throws IOException {
    if (files.state(names.archiveOf(raw.path())) != null) {
      moveAside(raw);
    }
    Path archive = names.archiveOf(raw.path());
    if (files.state(archive) != null) {
      throw new FileAlreadyExistsException(archive.toString());
    }
    return archive;
  }

  /**
   * Gives a rolled file another name, as that of its archive is taken, unless it is being written.
   */
  void setAside(Tracked raw) throws IOException {
    synchronized (steps) {
      if (!stopped && policy.take(raw.path())) {
        try {
          moveAside(raw);
        } finally {
          policy.release();
        }
      }
    }
  }

  private void moveAside(Tracked raw) throws IOException {
    Path from = raw.path();
    Path to = policy.aside(from);
    rename(from, to);
    reports.warn(
        "archive.taken",
        "The name of the archive of ["
            + from
            + "] is taken by another file, which stays as it is; the rolled file is now ["
            + to
            + "].");
  }

  /**
   * Discards the rolled file once its archive is on the disk under its name. Forces the directory
   * first: on two file systems nothing else keeps the order of the changes over a power cut.
   */
  void retire(Tracked raw, long length, State written, Began began) throws IOException {
    Path path = raw.path();
    Path archive = names.archiveOf(path);
    if (!files.syncDirectory(archive.getParent()) && !told) {
      told = true;
      reports.warn(
          "archive.directory",
          "Directory ["
              + archive.getParent()
              + "] cannot be forced to the disk, as its file system cannot do that: after a power"
              + " cut the newest archives may be missing. To do: have logs on a local disk, if"
              + " that matters.");
    }
    synchronized (steps) {
      State now = raw.now();
      State there = files.state(archive);
      if (now == null
          || now.bytes() != length
          || !written.isSameFile(there)
          || there.bytes() != written.bytes()) {
        return; // another program removed or cut a file: what is left is checked again
      }
      policy.published(archive);
      if (discard(path) == null) {
        return;
      }
    }
    try { // first: an archive that is counted is in a recording
      FLIGHT_LOG.endCompression(began.span(), path, archive, length, written.bytes());
    } finally {
      backlog.archived(length, written.bytes(), System.nanoTime() - began.nanos());
    }
  }

  /**
   * Renames a file that is not needed any more, to be deleted later; returns null if the file is
   * being written, or after a stop.
   */
  Path discard(Path file) throws IOException {
    synchronized (steps) {
      if (stopped || !policy.take(file)) {
        return null;
      }
      try {
        Path done = names.done(file);
        files.rename(file, done);
        for (Tracked each : open) {
          if (file.equals(each.path)) {
            each.path = null;
          }
        }
        backlog.forget(file);
        deletions.add(done);
        return done;
      } finally {
        policy.release();
      }
    }
  }

  boolean hasDeletions() {
    return !deletions.isEmpty();
  }

  /**
   * Returns the next file to delete, or null. Deletion is a separate step, as gigabytes take long.
   */
  Path nextDeletion() {
    return deletions.poll();
  }
}
