package io.spillway.internal.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The register of what the appenders of this JVM hold: log files, names of archives and spill
 * directories, and what a thread that outlived a stop still uses.
 *
 * <p>Concurrency: the register is guarded by this class's monitor. The methods of {@link Owned}
 * except {@code mayDelete} are called while it is held, so they must not block.
 */
public final class SpillOwners {
  private static final String DIRECTORY = "io.spillway.internal.spill.owned:";
  private static Owned newest; // a linked list, so that taking allocates nothing

  private SpillOwners() {}

  /** Something that an owner holds and another may request; its text names both. */
  public abstract static class Owned {
    private Owned next;

    /** Creates an entry that is not held. */
    protected Owned() {}

    /**
     * Returns whether this entry cannot be taken while another entry is held.
     *
     * @param other an entry that is held
     * @return false by default
     */
    protected boolean isExcludedBy(Owned other) {
      return false;
    }

    /** Called when this entry has been taken. */
    protected void taken() {}

    /**
     * Returns whether this entry is removed because another one has been taken.
     *
     * @param next the entry that has been taken
     * @return false by default
     */
    protected boolean yieldsTo(Owned next) {
      return false;
    }

    /**
     * Returns whether the owner may still be reading a file, to delete it by name afterwards.
     *
     * @param file an absolute path
     * @return false by default
     */
    protected boolean mayDelete(Path file) {
      return false;
    }

    /**
     * Returns whether this entry has ended without being released.
     *
     * @return false by default
     */
    protected boolean isOver() {
      return false;
    }
  }

  /**
   * Takes an entry, and removes the entries that yield to it.
   *
   * @param wanted held from now on, unless another entry excludes it
   * @return the entry that excludes it; null if it has been taken
   */
  public static synchronized Owned take(Owned wanted) {
    Owned next;
    for (Owned each = newest; each != null; each = next) {
      next = each.next;
      if (each.isOver()) {
        remove(each);
      }
    }
    for (Owned other = newest; other != null; other = other.next) {
      if (other != wanted && wanted.isExcludedBy(other)) {
        return other;
      }
    }
    remove(wanted);
    wanted.next = newest;
    newest = wanted;
    wanted.taken();
    for (Owned each = wanted.next; each != null; each = next) {
      next = each.next;
      if (each.yieldsTo(wanted)) {
        remove(each);
      }
    }
    return null;
  }

  /** Removes an entry, if it is in the list. */
  private static void remove(Owned owned) {
    Owned newer = null;
    Owned each = newest;
    while (each != null && each != owned) {
      newer = each;
      each = each.next;
    }
    if (each == null) {
      return;
    }
    if (newer == null) {
      newest = each.next;
    } else {
      newer.next = each.next;
    }
    each.next = null;
  }

  /**
   * Takes a spill directory within this JVM, also against copies of this class in other class
   * loaders: the entry is a system property, and {@code putIfAbsent} of those is atomic.
   *
   * @param directory its path
   * @return the entry; null if the directory is held already
   */
  public static Owned takeDirectory(Path directory) {
    Directory taken = new Directory(directory);
    if (System.getProperties().putIfAbsent(taken.key, "true") != null) {
      return null;
    }
    boolean listed = false;
    try {
      take(taken);
      listed = true;
    } finally {
      if (!listed) { // an OutOfMemoryError would leave it taken until the JVM ends
        release(taken);
      }
    }
    return taken;
  }

  private static final class Directory extends Owned {
    private final String key;

    Directory(Path path) {
      key = DIRECTORY + path;
    }

    @Override
    public String toString() {
      return "spill directory [" + key.substring(DIRECTORY.length()) + "]";
    }
  }

  /**
   * Releases an entry.
   *
   * @param owned an entry that was taken, or null
   */
  public static synchronized void release(Owned owned) {
    remove(owned);
    if (owned instanceof Directory directory) {
      System.getProperties().remove(directory.key);
    }
  }

  /**
   * Returns whether an owner may still be reading a file, to delete it by name afterwards.
   *
   * @param file an absolute path
   * @return true if so
   */
  public static boolean mayDelete(Path file) {
    for (Owned owned : all(Owned.class)) {
      if (owned.mayDelete(file)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the entries of one kind that are held.
   *
   * @param <T> the kind
   * @param kind its class
   * @return a new list
   */
  public static synchronized <T extends Owned> List<T> all(Class<T> kind) {
    List<T> found = new ArrayList<>();
    for (Owned owned = newest; owned != null; owned = owned.next) {
      if (kind.isInstance(owned) && !owned.isOver()) {
        found.add(kind.cast(owned));
      }
    }
    return found;
  }
}
