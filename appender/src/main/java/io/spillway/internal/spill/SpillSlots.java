package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The slots of one open spill: its own slot, and those of ended owners whose leftovers it takes
 * over.
 *
 * @param own the slot where this run writes
 * @param adopted other slots with leftovers
 * @param context what all parts of the spill share
 * @param base the configured directory, that of slot 0
 */
record SpillSlots(SpillSlot own, List<SpillSlot> adopted, SpillContext context, Path base)
    implements Closeable {

  static final int MAX_SUBDIRECTORY = 64;

  static SpillSlots open(SpillContext context) throws IOException {
    Path base = context.config().directory().toAbsolutePath().normalize();
    return take(context, real(context.files(), base));
  }

  /** Resolves links in parents, an administrator's choice; the directory must not be a link. */
  private static Path real(Disk files, Path base) throws IOException {
    if (files.state(base) == null) {
      files.createParents(base);
    }
    Path parent = base.getParent();
    return parent == null ? base : parent.toRealPath().resolve(base.getFileName());
  }

  private static SpillSlots take(SpillContext context, Path base) throws IOException {
    SpillListener listener = context.listener();
    int number = 0;
    SpillSlot own = null;
    IOException failure = null;
    FileSystemException obstacle = null;
    try {
      own = SpillSlot.open(context, base, 0);
    } catch (Disk.ObstructedException | AccessDeniedException e) {
      obstacle = e;
    }
    while (own == null && number < MAX_SUBDIRECTORY) {
      number++;
      try {
        own = SpillSlot.open(context, slotPath(base, number), number);
      } catch (IOException e) {
        failure = e;
      }
    }
    if (own == null && failure != null) {
      throw obstacle == null ? failure : obstacle;
    }
    if (own == null) {
      throw new IOException("it and its subdirectories 1 to " + MAX_SUBDIRECTORY + " are in use");
    }
    if (obstacle != null) {
      String what =
          obstacle.getReason() == null
              ? obstacle.getFile() + " may not be used by this user"
              : obstacle.getMessage();
      listener.warning("obstacle", what + "; a subdirectory is used until then");
    }
    if (number > 0) {
      listener.notice("taken", base + " is taken, this spill uses its subdirectory " + number);
    }
    SpillSlots slots = null;
    boolean complete = false;
    try {
      slots = new SpillSlots(own, new ArrayList<>(), context, base);
      slots.adopt(number + 1, slots.adopted); // every lower number was found taken
      complete = true;
      return slots;
    } finally {
      if (!complete) { // otherwise they stay locked until the JVM ends
        Disk.closeQuietly(slots == null ? own : slots);
      }
    }
  }

  /** Releases all slots. */
  @Override
  public void close() {
    for (int i = 0; i < adopted.size(); i++) {
      adopted.get(i).close();
    }
    own.close();
  }

  /** Takes over the slots from a number on that have leftovers and no owner. */
  private void adopt(int from, List<SpillSlot> into) {
    for (int each = from; each <= MAX_SUBDIRECTORY; each++) {
      SpillSlot slot = each == own.number ? null : adopt(each);
      if (slot != null) {
        boolean added = false;
        try {
          into.add(slot);
          added = true;
        } finally {
          if (!added) {
            Disk.closeQuietly(slot);
          }
        }
      }
    }
  }

  /** Takes over the leftovers that other owners have released since the last call. */
  List<SpillSlot> adoptReleased() {
    List<SpillSlot> released = new ArrayList<>();
    boolean complete = false;
    try {
      adopt(0, released);
      adopted.addAll(released);
      complete = true;
      return released;
    } finally {
      for (int i = 0; !complete && i < released.size(); i++) {
        Disk.closeQuietly(released.get(i)); // otherwise it stays locked until the JVM ends
      }
    }
  }

  /** Takes over a slot; returns null if it has an owner, or no leftovers. */
  private SpillSlot adopt(int each) {
    Disk files = context.files();
    Path path = slotPath(base, each);
    try {
      Disk.State state = files.state(path);
      if (state == null
          || !state.directory()
          || SlotListing.read(files, path, new SpillListener()).isEmpty()) {
        return null;
      }
      SpillSlot slot = SpillSlot.open(context, path, each);
      if (slot != null && slot.listing.isEmpty()) {
        closeEmpty(slot);
        return null;
      }
      return slot;
    } catch (IOException e) {
      context.listener().onFailure("adopt the leftovers", path, e);
      return null;
    }
  }

  private static void closeEmpty(SpillSlot slot) {
    boolean closed = false;
    try {
      slot.close(slot.listing.settled().isEmpty());
      closed = true;
    } finally {
      if (!closed) {
        Disk.closeQuietly(slot);
      }
    }
  }

  static Path slotPath(Path base, int number) {
    return number == 0 ? base : base.resolve(Integer.toString(number));
  }

  /** Returns all slots by number: each owner took the lowest slot that was free. */
  List<SpillSlot> all() {
    List<SpillSlot> all = new ArrayList<>(adopted);
    all.add(own);
    all.sort(null);
    return all;
  }
}
