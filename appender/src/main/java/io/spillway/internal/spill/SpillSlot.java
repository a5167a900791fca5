package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.disk.SpillOwners;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * One directory that this spill owns, with its segments, cursor and lock.
 *
 * <p>Concurrency: opened by one thread and closed after all others have ended. {@link #ensureAlive}
 * belongs to the writer; it stores {@code replacements} when it had to create the directory again,
 * and the reader, which owns the cursor, checks that field before each save. If the field were not
 * volatile, the reader might go on saving into a file that has no name any more. Threads that force
 * names check the field as well.
 */
final class SpillSlot implements Closeable, Comparable<SpillSlot> {

  static final String LOCK = "lock";
  static final String OWNER = "owner";
  private static final int MAX_OWNER_BYTES = 4096;
  private static final int MAX_HEADERS = 64;

  private static final String REPLACE = "recreate the spill directory";

  final Path directory;
  final int number; // of the subdirectory; 0 for the directory itself
  final SlotListing listing;
  final Cursor cursor;

  /** A segment up to the cursor was still there: then Spillway unlinked none after it. */
  final boolean segmentAtCursorFound;

  private final Disk files;
  private final SpillListener listener;
  private boolean removable;
  private final Path base; // the configured directory: this one, or its parent
  private final SpillOwners.Owned claim;
  private Closeable lock;
  private volatile Object lockKey; // the reader may read it while the writer creates the lock again
  private volatile int replacements;
  private volatile int namedReplacement = -1; // value of replacements when the own name was forced
  private int replacementsSeen;
  private boolean released; // set when everything is closed
  private final String owner;
  private final boolean forced;
  private boolean ownerWritten; // written before any thread starts, then by the writer only

  /** Number of leftovers not yet settled; reader only. */
  int leftoversOpen;

  /** Number of files set aside and not settled; reader only. */
  int asidesOpen;

  /** Size of the kept copies of damaged segments; reader only. */
  long corruptBytes;

  /** The contents of a directory, read after it was locked; the key is that of the lock file. */
  private record Contents(
      SlotListing listing,
      Cursor cursor,
      Closeable lock,
      Object lockKey,
      boolean segmentAtCursorFound) {}

  private SpillSlot(
      SpillContext context,
      Path directory,
      int number,
      SpillOwners.Owned claim,
      Contents contents) {
    files = context.files();
    listener = context.listener();
    owner = context.config().owner();
    forced = context.config().syncIntervalNanos() > 0;
    this.directory = directory;
    this.number = number;
    base = number > 0 ? directory.getParent() : directory;
    this.claim = claim;
    lock = contents.lock;
    lockKey = contents.lockKey;
    listing = contents.listing;
    cursor = contents.cursor;
    segmentAtCursorFound = contents.segmentAtCursorFound;
    leftoversOpen = listing.segments().size();
    corruptBytes = listing.corruptBytes();
  }

  /** Takes the directory, or returns null if it has another owner, kind or format. */
  static SpillSlot open(SpillContext context, Path directory, int number) throws IOException {
    Disk files = context.files();
    SpillListener listener = context.listener();
    boolean created = create(files, directory);
    // The claim comes before the lock file is opened, because closing a second stream on that
    // file would drop the POSIX lock of the first one.
    SpillOwners.Owned claim = SpillOwners.takeDirectory(directory);
    if (claim == null) {
      return null;
    }
    Closeable lock = null;
    Contents contents = null;
    SpillSlot slot = null;
    try {
      lock = files.lock(directory.resolve(LOCK));
      if (lock != null) {
        if (!created) {
          reportExposure(files, listener, directory);
        }
        contents = contents(context, directory, lock);
        if (contents != null) {
          slot = new SpillSlot(context, directory, number, claim, contents);
          slot.removable = created || number > 0;
        }
      } else {
        listener.inUse(directory);
      }
      return slot;
    } finally {
      if (slot == null) {
        Disk.closeQuietly(contents == null ? null : contents.cursor);
        Disk.closeQuietly(lock);
        SpillOwners.release(claim);
      }
    }
  }

  /** Warns if a directory that existed is open to other users. */
  private static void reportExposure(Disk files, SpillListener listener, Path directory)
      throws IOException {
    String exposure = files.exposure(directory);
    if (exposure != null) {
      listener.warning(
          "exposed " + directory,
          "The spill directory ["
              + directory
              + "] "
              + exposure
              + ". Until then others may read events there, or plant some.");
    }
  }

  private static boolean create(Disk files, Path directory) throws IOException {
    if (files.state(directory) == null) {
      try {
        files.createDirectory(directory);
        return true;
      } catch (FileAlreadyExistsException e) {
        // another process created it first; its type is checked below
      }
    }
    Disk.State state = files.state(directory);
    if (state == null || !state.directory()) {
      throw new IOException(directory + " is not a directory (links are not followed)");
    }
    return false;
  }

  /** Returns the contents; null, without any change, for another kind, owner or later format. */
  private static Contents contents(SpillContext context, Path directory, Closeable lock)
      throws IOException {
    Disk files = context.files();
    SpillListener listener = context.listener();
    SpillKind kind = context.config().kind();
    String owner = context.config().owner();
    SlotListing listing = SlotListing.read(files, directory, listener);
    boolean laterCursor = Cursor.isLater(files, directory);
    if ((laterCursor && !listing.isEmpty()) || listing.isLater(files)) {
      listener.warning(
          "later " + directory,
          "A later version of Spillway has left events in ["
              + directory
              + "] that this one cannot read: left alone, they wait for it. To do: start the later"
              + " version until it has delivered them, or, if nobody needs them, delete that"
              + " directory.");
      return null;
    }
    SegmentFormat.SegmentHeader oldest = null;
    for (SlotListing.Leftover leftover : listing.segments()) {
      oldest = SegmentFormat.header(files, leftover);
      if (oldest != null) {
        break;
      }
    }
    if (oldest != null && oldest.kind() != kind) {
      listener.warning(
          "kind " + directory,
          "["
              + directory
              + "] holds leftovers of kind "
              + oldest.kind()
              + " that this appender cannot deliver: left alone, they wait (EVENTS for a"
              + " SpillwayAppender, BYTES for a SpillwayRollingFileAppender). To do: start once with"
              + " the appender of before, or, if nobody needs them, delete that directory.");
      return null;
    }
    if (listing.highestNumber() > SegmentFormat.MAX_OLD_NUMBER) {
      listener.notice(
          "numbers " + directory, directory + " has no segment numbers left: left alone");
      return null;
    }
    String written = readOwner(files, directory);
    if (owner != null && written != null && !written.equals(cut(owner)) && !listing.isEmpty()) {
      listener.warning(
          "owner " + directory,
          directory
              + " holds leftovers of another owner ["
              + written.replace('\n', ' ').trim()
              + "]: left alone, they wait for it. This one is ["
              + owner.replace('\n', ' ').trim()
              + "]. To do: nothing if the other one starts again; if it was renamed, delete "
              + directory.resolve(OWNER)
              + " and restart, and they are delivered here.");
      return null;
    }
    listing.deleteUnfinished(files, listener);
    if (laterCursor) {
      files.delete(directory.resolve(Cursor.NAME)); // no segment belongs to it
    }
    Object lockKey = files.key(directory.resolve(LOCK));
    Cursor cursor = Cursor.open(files, directory, listener, context.nanoClock());
    Contents contents = null;
    try {
      Cursor.Position position = cursor.position();
      if (position == null && !listing.segments().isEmpty()) {
        listener.notice(
            "cursor " + directory, "no usable cursor in " + directory + ": all of it comes again");
      }
      boolean segmentAtCursorFound =
          position != null
              && !listing.segments().isEmpty()
              && listing.segments().get(0).number() <= position.segment();
      listing = listing.withoutSettled(files, listener, position, kind);
      contents = new Contents(listing, cursor, lock, lockKey, segmentAtCursorFound);
      return contents;
    } finally {
      if (contents == null) {
        Disk.closeQuietly(cursor);
      }
    }
  }

  /** Returns the part of an owner's name that fits into the file. */
  private static String cut(String owner) {
    byte[] bytes = owner.getBytes(StandardCharsets.UTF_8);
    return new String(bytes, 0, Math.min(bytes.length, MAX_OWNER_BYTES), StandardCharsets.UTF_8);
  }

  /** Returns the owner; null if not written, as by early versions or after a power cut. */
  static String readOwner(Disk files, Path directory) throws IOException {
    Path path = directory.resolve(OWNER);
    if (files.state(path) == null) {
      return null;
    }
    try (DiskFile file = files.openForReading(path)) {
      byte[] bytes = new byte[(int) Math.min(MAX_OWNER_BYTES, file.size())];
      file.read(0, bytes, 0, bytes.length);
      String owner = new String(bytes, StandardCharsets.UTF_8);
      return owner.isEmpty() || owner.indexOf('\0') >= 0 ? null : owner;
    } catch (NoSuchFileException e) {
      return null; // removed meanwhile
    }
  }

  /**
   * Writes the owner file before the first segment, so that no segment is without it; with a sync
   * interval the file is forced, as segments are. A file that is right is not written again: a
   * crash in between would leave none.
   */
  void writeOwner() throws IOException {
    if (owner == null || ownerWritten) {
      return;
    }
    Path path = directory.resolve(OWNER);
    if (isOwnerWritten()) {
      if (forced) {
        files.sync(path);
      }
    } else {
      byte[] bytes = owner.getBytes(StandardCharsets.UTF_8);
      files.delete(path);
      try (DiskFile file = files.create(path)) {
        file.write(0, bytes, 0, Math.min(bytes.length, MAX_OWNER_BYTES));
        if (forced) {
          file.sync();
        }
      }
    }
    ownerWritten = true;
  }

  private boolean isOwnerWritten() throws IOException {
    try {
      return cut(owner).equals(readOwner(files, directory));
    } catch (Disk.ObstructedException e) {
      return false; // planted since the directory was opened
    }
  }

  /** Returns where the sequence of a new run begins: above all earlier ones, without a scan. */
  long nextRunSequence() {
    Cursor.Position position = cursor.position();
    long highest = position == null ? 0 : position.sequence();
    List<SlotListing.Leftover> leftovers = leftovers();
    int oldest = Math.max(0, leftovers.size() - MAX_HEADERS);
    for (int i = leftovers.size() - 1; i >= oldest; i--) {
      SegmentFormat.SegmentHeader header = SegmentFormat.header(files, leftovers.get(i));
      if (header != null) {
        highest = Math.max(highest, header.firstSequence());
        break;
      }
    }
    // Begins again at the end of the number range: sequences have to grow only within a run.
    return highest < SegmentFormat.MAX_NUMBER / 2
        ? highest + SegmentFormat.RUN_SEQUENCE_GAP
        : SegmentFormat.RUN_SEQUENCE_GAP;
  }

  List<SlotListing.Leftover> leftovers() {
    return listing.segments();
  }

  /** Returns how many bytes of the leftovers are delivered, as the cursor states. */
  long deliveredBytes() {
    Cursor.Position position = cursor.position();
    for (SlotListing.Leftover leftover : leftovers()) {
      if (position != null && position.segment() == leftover.number()) {
        return Math.min(position.offset(), leftover.counted()); // the file may be truncated
      }
    }
    return 0;
  }

  long leftoverBytes() {
    long bytes = 0;
    for (SlotListing.Leftover leftover : leftovers()) {
      bytes += leftover.counted();
    }
    return bytes;
  }

  /**
   * Checks, before a segment is created, that the directory and the lock still exist and belong to
   * this spill; creates both again if they were removed, and reports that.
   */
  void ensureAlive() throws IOException {
    if (!isAlive()) {
      ownerWritten = false;
      boolean directoryCreated;
      try {
        directoryCreated = recreate();
      } catch (IOException e) {
        listener.failed(REPLACE, directory, e);
        throw e;
      }
      listener.recreated(
          REPLACE,
          "removed " + directory,
          (directoryCreated ? "The spill directory [" + directory : "The file [" + lockPath())
              + "] was removed while in use. It has been created again. To do: find out what has"
              + " removed it, and leave the files of a running appender alone.");
    }
    writeOwner();
  }

  /** Creates the directory, if it is missing, and the lock; returns whether it was missing. */
  private boolean recreate() throws IOException {
    files.createParents(base);
    boolean created = createAgain(base);
    if (!directory.equals(base)) {
      created = createAgain(directory);
    }
    Closeable newLock = files.lock(lockPath());
    if (newLock == null) {
      throw new IOException(directory + " was removed and now belongs to another process");
    }
    Object newKey;
    try {
      newKey = files.key(lockPath());
    } catch (IOException | RuntimeException | Error e) { // also an OutOfMemoryError
      Disk.closeQuietly(newLock); // otherwise the next attempt finds it locked
      throw e;
    }
    Closeable oldLock = lock;
    lock = newLock;
    lockKey = newKey;
    replacements++; // no other thread writes it
    if (oldLock != null) {
      listener.close(oldLock, lockPath());
    }
    return created;
  }

  private boolean createAgain(Path removed) throws IOException {
    boolean created = create(files, removed);
    if (!created) {
      reportExposure(files, listener, removed); // another process may have created it
    }
    return created;
  }

  /** Returns the path of the file that is locked. */
  Path lockPath() {
    return directory.resolve(LOCK);
  }

  /**
   * Forces the names in the directory to the disk, and the name of the directory, without which
   * they would be lost: the directory may be new, or of a run without a sync interval. Any thread.
   */
  void forceNames() throws IOException {
    forceOwnName();
    files.syncDirectory(directory);
  }

  /**
   * Forces the name of the directory to the disk, before its contents count as forced; returns at
   * once if that has succeeded before. Any thread.
   */
  void forceOwnName() throws IOException {
    int now = replacements; // read first: the directory may be created again meanwhile
    if (namedReplacement != now) {
      forceName(directory);
      if (!directory.equals(base)) {
        forceName(base);
      }
      namedReplacement = now;
    }
  }

  private void forceName(Path named) throws IOException {
    Path parent = named.getParent();
    try {
      if (parent != null) {
        files.syncDirectory(parent);
      }
    } catch (AccessDeniedException e) { // permanent; the spill is useful without it
      listener.warning(
          "name " + named,
          "The directory ["
              + parent
              + "] cannot be read, so that the name of the spill directory ["
              + named
              + "] cannot be forced to the disk: a power cut soon after the directory was made may"
              + " take it. To do: let this user read that directory.");
    }
  }

  /** Returns whether the lock file still has its name; writer only. */
  boolean isAlive() throws IOException {
    return lock != null && lockKey != null && lockKey.equals(files.key(lockPath()));
  }

  /**
   * Reader: closes the cursor file if the directory was created again, so that the next save
   * creates it again as well; returns true then.
   */
  boolean followReplacement() {
    int now = replacements;
    if (now == replacementsSeen) {
      return false;
    }
    replacementsSeen = now;
    cursor.fileLost();
    return true;
  }

  @Override
  public int compareTo(SpillSlot other) {
    return Integer.compare(number, other.number);
  }

  @Override
  public void close() {
    close(false);
  }

  /** Releases the directory; an empty one leaves no file behind. */
  void close(boolean empty) {
    if (released) {
      return;
    }
    cursor.close();
    if (empty && isOurs()) {
      listener.delete(files, directory.resolve(Cursor.NAME));
      if (asidesOpen == 0) {
        listener.delete(files, directory.resolve(OWNER));
      }
      listener.delete(files, lockPath()); // while still locked: see Disk.lock
      if (removable) {
        removeDirectory();
      }
    }
    if (lock != null) {
      listener.close(lock, lockPath());
      lock = null;
    }
    SpillOwners.release(claim);
    released = true; // last: after an OutOfMemoryError the next call repeats all steps
  }

  /** Reader: returns whether another owner has replaced the lock file and has the names here. */
  boolean isReplaced() throws IOException {
    Object known = lockKey;
    Object now = files.key(lockPath());
    return now != null && known != null && !now.equals(known);
  }

  private boolean isOurs() {
    try {
      return lockKey != null && lockKey.equals(files.key(lockPath()));
    } catch (IOException e) {
      listener.onFailure("look at the lock", directory, e);
      return false;
    }
  }

  private void removeDirectory() {
    try {
      Disk.State state = files.state(directory);
      if (state != null && state.directory()) {
        files.removeIfEmpty(directory);
      }
    } catch (IOException e) {
      listener.onFailure("remove", directory, e);
    }
  }
}
