package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.disk.Owners;
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
 * <p>Concurrency: opened by one thread and closed after all others are gone. {@link #ensureAlive}
 * belongs to the writer; it stores {@code replacements} when it had to make the directory anew, and
 * the reader, which owns the cursor, looks at it before each save. Were it not volatile, the reader
 * might go on saving into a file nobody will ever find. Whoever forces names looks at it as well.
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

  /** A delivered segment was still there: whatever the cursor expects was not unlinked by us. */
  final boolean unlinksBehindCursor;

  private final Disk files;
  private final SpillListener listener;
  private boolean removable;
  private final Path base; // as configured: the directory, or the one above it
  private final Owners.Owned claim;
  private Closeable lock;
  private volatile Object lockKey; // the reader may look while the writer makes it anew
  private volatile int replacements;
  private volatile int namedReplacement = -1; // of replacements, whose own name is forced
  private int replacementsSeen;
  private boolean released; // all of it is given back
  private final String owner;
  private final boolean forced;
  private boolean ownerWritten; // before any thread starts, then writer only

  /** Leftovers not yet settled; reader only. */
  int leftoversOpen;

  /** Files set aside and not settled; reader only. */
  int asidesOpen;

  /** Of kept copies of damaged segments; reader only. */
  long corruptBytes;

  /** What was found in a directory once it was locked; the key is the lock file's. */
  private record Contents(
      SlotListing listing,
      Cursor cursor,
      Closeable lock,
      Object lockKey,
      boolean unlinksBehindCursor) {}

  private SpillSlot(
      SpillContext context, Path directory, int number, Owners.Owned claim, Contents contents) {
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
    unlinksBehindCursor = contents.unlinksBehindCursor;
    leftoversOpen = listing.segments().size();
    corruptBytes = listing.corruptBytes();
  }

  /** Takes the directory, or returns null when another owner, kind or format has it. */
  static SpillSlot open(SpillContext context, Path directory, int number) throws IOException {
    Disk files = context.files();
    SpillListener listener = context.listener();
    boolean created = create(files, directory);
    // Before its lock file is opened, because closing a second stream on that would drop the first
    // one's POSIX lock.
    Owners.Owned claim = Owners.takeDirectory(directory);
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
          tellExposure(files, listener, directory);
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
        Disk.giveBack(contents == null ? null : contents.cursor);
        Disk.giveBack(lock);
        Owners.release(claim);
      }
    }
  }

  /** Of a directory that was there: whoever made it may have opened it to others. */
  private static void tellExposure(Disk files, SpillListener listener, Path directory)
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
        // another process was quicker; what it made is looked at below
      }
    }
    Disk.State state = files.state(directory);
    if (state == null || !state.directory()) {
      throw new IOException(directory + " is not a directory (links are not followed)");
    }
    return false;
  }

  /** Null if it is another kind's, another owner's, or of a later format: nothing is changed. */
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
      files.delete(directory.resolve(Cursor.NAME)); // it stands for nothing
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
      boolean unlinksBehindCursor =
          position != null
              && !listing.segments().isEmpty()
              && listing.segments().get(0).number() <= position.segment();
      listing = listing.withoutSettled(files, listener, position, kind);
      contents = new Contents(listing, cursor, lock, lockKey, unlinksBehindCursor);
      return contents;
    } finally {
      if (contents == null) {
        Disk.giveBack(cursor);
      }
    }
  }

  /** What is written of an owner. */
  private static String cut(String owner) {
    byte[] bytes = owner.getBytes(StandardCharsets.UTF_8);
    return new String(bytes, 0, Math.min(bytes.length, MAX_OWNER_BYTES), StandardCharsets.UTF_8);
  }

  /** Null if there is none, as in directories of versions that wrote none, or after a power cut. */
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
   * Before the first segment, so that none is ever without; with a sync interval it is forced as
   * they are. One that is right is not written again: a crash in between would leave none.
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

  /** Where the sequence numbers of a new run begin: above all earlier ones, without a scan. */
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
    // Begins anew where numbers end: only within a run do they have to grow.
    return highest < SegmentFormat.MAX_NUMBER / 2
        ? highest + SegmentFormat.RUN_SEQUENCE_GAP
        : SegmentFormat.RUN_SEQUENCE_GAP;
  }

  List<SlotListing.Leftover> leftovers() {
    return listing.segments();
  }

  /** Of the leftovers, as the cursor has it. */
  long deliveredBytes() {
    Cursor.Position position = cursor.position();
    for (SlotListing.Leftover leftover : leftovers()) {
      if (position != null && position.segment() == leftover.number()) {
        return Math.min(position.offset(), leftover.counted()); // it may have been cut
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
   * Checks, before a segment is created, that the directory and the lock are still there and ours;
   * makes both anew if somebody removed them.
   */
  void ensureAlive() throws IOException {
    Path lockPath = directory.resolve(LOCK);
    if (isAlive()) {
      writeOwner();
      return;
    }
    ownerWritten = false;
    listener.failed(REPLACE, directory, new IOException(lockPath + " is gone"));
    files.createParents(base);
    createAgain(base);
    if (!directory.equals(base)) {
      createAgain(directory);
    }
    Closeable newLock = files.lock(lockPath);
    if (newLock == null) {
      throw new IOException(directory + " was removed and now belongs to another process");
    }
    Object newKey;
    try {
      newKey = files.key(lockPath);
    } catch (IOException | RuntimeException | Error e) { // also for want of memory
      Disk.giveBack(newLock); // else the next attempt finds it taken
      throw e;
    }
    Closeable oldLock = lock;
    lock = newLock;
    lockKey = newKey;
    replacements++; // the writer is its only writer
    if (oldLock != null) {
      listener.close(oldLock, lockPath);
    }
    writeOwner();
    listener.succeeded(REPLACE);
  }

  private void createAgain(Path removed) throws IOException {
    if (!create(files, removed)) {
      tellExposure(files, listener, removed); // somebody may have replaced it
    }
  }

  /**
   * Returns when the names in the directory are on the disk, and its own, without which they are
   * gone: the directory may be new, or of a run without a sync interval. Any thread.
   */
  void forceNames() throws IOException {
    forceOwnName();
    files.syncDirectory(directory);
  }

  /** Before what is in it counts as forced; it costs nothing once it has worked. Any thread. */
  void forceOwnName() throws IOException {
    int now = replacements; // first: it may be made anew meanwhile
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
    } catch (AccessDeniedException e) { // it stays so, and the spill is of more use than its name
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

  /** Whether the lock still has its name; writer only. */
  boolean isAlive() throws IOException {
    return lock != null && lockKey != null && lockKey.equals(files.key(directory.resolve(LOCK)));
  }

  /** Reader: makes the cursor anew if the directory was; true then. */
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

  /** Gives the directory up; an empty one leaves nothing behind. */
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
      listener.delete(files, directory.resolve(LOCK)); // while still locked: see Disk.lock
      if (removable) {
        removeDirectory();
      }
    }
    if (lock != null) {
      listener.close(lock, directory.resolve(LOCK));
      lock = null;
    }
    Owners.release(claim);
    released = true; // last: without memory for a step, all of them are done once more
  }

  /** Reader: whether the lock has become another file, whose owner has the names here. */
  boolean isAnothers() throws IOException {
    Object known = lockKey;
    Object now = files.key(directory.resolve(LOCK));
    return now != null && known != null && !now.equals(known);
  }

  private boolean isOurs() {
    try {
      return lockKey != null && lockKey.equals(files.key(directory.resolve(LOCK)));
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
