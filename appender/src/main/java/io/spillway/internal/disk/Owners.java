package io.spillway.internal.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Who has which log file, names of archives and spill directory in this JVM, and what a thread that
 * outlived a stop still uses. One register, which tells what is left behind.
 *
 * <p>Concurrency: all of it under this class's monitor, in which the methods of {@link Owned} are
 * called as well: they wait for nothing.
 */
public final class Owners {
  private static final String DIRECTORY = "io.spillway.internal.spill.owned:";
  private static Owned newest; // linked by themselves: to take one needs no memory

  private Owners() {}

  /** Something that one has, and another may want. Its text says what and whose. */
  public abstract static class Owned {
    private Owned next;

    /** Something that nobody has. */
    protected Owned() {}

    /**
     * Whether it cannot be had while somebody else has something.
     *
     * @param other what somebody has
     * @return false by default
     */
    protected boolean isExcludedBy(Owned other) {
      return false;
    }

    /** It is had now. */
    protected void taken() {}

    /**
     * Whether it is taken away by what somebody else has got now.
     *
     * @param next what nothing excludes
     * @return false by default
     */
    protected boolean yieldsTo(Owned next) {
      return false;
    }

    /**
     * Whether its owner may be about to delete a file by its name, which it is still reading.
     *
     * @param file absolute
     * @return false by default
     */
    protected boolean mayDelete(Path file) {
      return false;
    }

    /**
     * Whether it has ended without being given back.
     *
     * @return false by default
     */
    protected boolean isOver() {
      return false;
    }
  }

  /**
   * Takes something, and takes from others what yields to it.
   *
   * @param wanted is had from now on, unless it is excluded
   * @return what excludes it; null if nothing does
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

  /** Nothing, if it is not there. */
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
   * Makes a directory this JVM's: also against what other class loaders have made of this class,
   * since that is kept in the system properties, and {@code putIfAbsent} there is atomic.
   *
   * @param directory its path
   * @return null if somebody has it
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
      if (!listed) { // for want of memory: or nobody could take it before the JVM ends
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
   * Gives something back.
   *
   * @param owned what was taken, or null
   */
  public static synchronized void release(Owned owned) {
    remove(owned);
    if (owned instanceof Directory directory) {
      System.getProperties().remove(directory.key);
    }
  }

  /**
   * Whether somebody may be about to delete a file by its name.
   *
   * @param file absolute
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
   * All of one kind that somebody has.
   *
   * @param <T> the kind
   * @param kind its class
   * @return a copy
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
