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
 * The one that changes names: everything that one policy's rolled files and archives are called is
 * decided and renamed here, in an order that loses nothing wherever it is cut; the order is in this
 * package's description. Knows which files are open, and follows them through their renames.
 *
 * <p>Concurrency: the compressor's thread, but for {@link #stop} and for {@link #track}. A monitor
 * is held round each step of renames, so that no name changes once {@link #stop} has returned.
 */
final class NameWriter {
  // The thread works for all appenders of the JVM; the path of the file tells whose it is.
  private static final FlightLog FLIGHT_LOG = new FlightLog(null, null);

  final Disk files;
  final RolledFiles policy;
  final ArchiveNames names;
  final Archiver.Settings settings;
  final Reports reports;
  final Backlog backlog;
  private final List<Tracked> open = new CopyOnWriteArrayList<>();
  private final Queue<Path> rubbish = new ConcurrentLinkedQueue<>();
  private final Map<Path, Path> writing = new ConcurrentHashMap<>(); // parts, and of what archive
  private final Object steps = new Object();
  private volatile boolean stopped; // written under steps
  private volatile boolean unsure;
  private boolean told; // that names cannot be forced

  NameWriter(Disk files, RolledFiles policy, Archiver.Settings settings, Reports reports) {
    this.files = files;
    this.policy = policy;
    this.names = policy.names();
    this.settings = settings;
    this.reports = reports;
    this.backlog = new Backlog(Reports.NANO_TIME);
  }

  /** When work on an archive began, for the figures and for a flight recording. */
  record Began(long nanos, FlightLog.Span span) {
    /** The time for the figures; the recorder begins now. */
    static Began at(long nanos) {
      return new Began(nanos, FLIGHT_LOG.beginCompression());
    }

    /** Nothing is compressed. */
    static Began unrecorded() {
      return new Began(System.nanoTime(), FlightLog.NOTHING);
    }
  }

  /** Somebody else has done something to a file of ours. */
  static final class MeddledException extends IOException {
    private static final long serialVersionUID = 1;

    MeddledException(String message) {
      super(message);
    }

    @Override
    public String toString() {
      return getMessage();
    }
  }

  /** What an operator can do if a file cannot be archived; half a sentence. */
  static String remedy(Throwable failure) {
    if (failure instanceof MeddledException) {
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
      Thread.onSpinWait(); // of a format's exception, whose text is foreign code, too
    }
    return "see that there is memory enough, and that the format of the archive works";
  }

  /**
   * A file that is worked on, whatever it is called meanwhile: the stream stays on the same bytes,
   * and {@link #now} tells whether its name still stands for them.
   */
  final class Tracked implements Closeable {
    private volatile Path path; // null when it is gone or on its way out
    private volatile boolean waiting; // for its raw name
    private State opened;
    private InputStream in;

    private Tracked(Path path) {
      this.path = path;
    }

    Path path() {
      return path;
    }

    /** By the writer of the log: a file that is followed is rolled over. */
    void rolled(Path to, boolean placed) {
      waiting = !placed;
      path = to;
    }

    /** Whether it has no raw name yet. */
    boolean isWaiting() {
      return waiting;
    }

    /** The regular file that is there. */
    void open() throws IOException {
      State state = files.state(path);
      if (state == null) {
        throw new NoSuchFileException(path.toString());
      }
      if (!state.regular()) {
        throw new MeddledException("[" + path + "] is not a regular file");
      }
      in = files.newInputStream(path);
      opened = state;
    }

    /** To be read once more, from its beginning. */
    void rewind() throws IOException {
      InputStream read = in;
      in = null;
      closing(read);
      in = files.newInputStream(path);
    }

    /** As it was when it was opened. */
    State opened() {
      return opened;
    }

    InputStream in() {
      return in;
    }

    /** As its name shows it now, or null if its name stands for another file or none. */
    State now() throws IOException {
      Path name = path;
      State state = name == null ? null : files.state(name);
      return opened.isSameFile(state) ? state : null;
    }

    /** Whether its name still stands for it, and somebody has written to it since it was opened. */
    boolean isWrittenTo() throws IOException {
      State now = now();
      return now != null
          && (now.bytes() != opened.bytes() || !now.modified().equals(opened.modified()));
    }

    /** Not looked at any more; a failure here harms nothing but is told. */
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

  /** When this returns, no name changes any more. */
  void stop() {
    synchronized (steps) {
      stopped = true;
    }
  }

  /**
   * An Error, as for want of memory, has cut short what changes files: some may be there that
   * nobody knows of. Any thread.
   */
  void unsure() {
    unsure = true;
  }

  /** Whether the directory is to be looked through for that. */
  boolean isUnsure() {
    return unsure;
  }

  /** It is looked through now. */
  void look() {
    unsure = false;
  }

  /** A file that is to be opened later. Any thread. */
  Tracked track(Path file) {
    Tracked tracked = new Tracked(file);
    open.add(tracked);
    return tracked;
  }

  /** A regular file that is there, opened. */
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

  /** Whatever it throws, a foreign format's Error as well: what is to be closed with it is, too. */
  void closing(Closeable closeable) {
    try {
      closeable.close();
    } catch (Throwable t) {
      reports.warn("archive.close", "Closing a file of the compressor failed: ", t, ".");
    }
  }

  /** Begins an archive of a raw name. */
  ArchiveWriter begin(Path part, Path raw, State from) throws IOException {
    writing.put(part, names.archiveOf(raw));
    return new ArchiveWriter(files, part, entryName(raw, from), settings);
  }

  /** What a raw file is called inside of its archive. */
  String entryName(Path raw, State from) {
    return policy.entryName(raw, from.modified().toInstant());
  }

  /** Whether an archive that was begun with an entry may be that of a raw name. */
  boolean isEntryOf(Path raw, String begun, State from) {
    return !ArchiveFormats.keepsName(settings.format()) || entryName(raw, from).equals(begun);
  }

  /** Whether a part is no crash's. */
  boolean isWriting(Path part) {
    return writing.containsKey(part);
  }

  /** Whether an archive is being made of a raw file of this name. */
  boolean isMaking(Path archive) {
    return writing.containsValue(archive);
  }

  /** Frees a writer, if it came to one, and has its part deleted, unless that was published. */
  void end(ArchiveWriter writer, Path part, boolean published) {
    if (part == null) {
      return;
    }
    if (writer != null && !published) {
      closing(writer);
    }
    writing.remove(part);
    if (!published && mayBeThere(part)) { // which it is not if it could not be created
      rubbish.add(part);
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
   * Gives a rolled file the name that its policy chooses. What was forced to the disk under the one
   * name is there under the other.
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
        backlog.found(raw, true, files.state(raw)); // nobody may have told of it
      }
      return raw.getParent();
    }
  }

  /** One step of a shift. */
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
   * Publishes what the writer made of the rolled file, and takes that away.
   *
   * @param cut an archive of its name that was cut short, to be replaced; null for none
   * @param as the rolled file when all of it had been read
   * @return false if the rolled file is not any more what was compressed, or somebody writes to the
   *     archive that was cut short; then nothing is done
   */
  boolean publish(Tracked raw, Tracked cut, ArchiveWriter writer, State as, Began began)
      throws IOException {
    writer.end();
    written(writer); // first: attributes are given by name
    copyAttributes(writer.part(), as);
    writer.seal();
    State written = name(raw, cut, writer);
    if (written == null) {
      return false;
    }
    retire(raw, as.bytes(), written, began);
    return true;
  }

  /** The part; it alone may get the archive's name, as the rolled file goes for it. */
  private static State written(ArchiveWriter writer) throws IOException {
    State written = writer.written();
    if (written == null) {
      throw new MeddledException(
          "[" + writer.part() + "] was replaced, cut or removed by somebody while it was written");
    }
    return written;
  }

  /** Without them the archive is the owner's alone, which is no reason to do without it. */
  private void copyAttributes(Path part, State as) {
    try {
      files.copyAttributes(part, as);
    } catch (IOException e) {
      reports.warn(
          "archive.attributes",
          "Archive [" + part + "] has not got its rolled file's permissions and time: " + e);
    }
  }

  /** Returns the archive's identity, or null if the rolled file changed, or what it replaces. */
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
          tellReplaced(archive, raw.path());
        } else {
          files.rename(writer.part(), archive);
        }
        return written;
      } finally {
        policy.release();
      }
    }
  }

  private void tellReplaced(Path archive, Path raw) {
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

  /** The archive's name is taken: the rolled file gets another, unless it is being written. */
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
   * Takes the rolled file away once its archive is on the disk under its name. Forces the directory
   * first: on two file systems nothing else keeps the order over a power cut.
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
        return; // somebody took one of them away, or cut it: what is left is looked at again
      }
      policy.published(archive);
      if (discard(path) == null) {
        return;
      }
    }
    try { // who sees it counted finds it in a recording
      FLIGHT_LOG.endCompression(began.span(), path, archive, length, written.bytes());
    } finally {
      backlog.archived(length, written.bytes(), System.nanoTime() - began.nanos());
    }
  }

  /** Renames a file that has served; null if it is being written, or this is stopped. */
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
        rubbish.add(done);
        return done;
      } finally {
        policy.release();
      }
    }
  }

  boolean hasRubbish() {
    return !rubbish.isEmpty();
  }

  /**
   * What is deleted next, or null; deleting gigabytes takes a while, so it is a step of its own.
   */
  Path nextRubbish() {
    return rubbish.poll();
  }
}
