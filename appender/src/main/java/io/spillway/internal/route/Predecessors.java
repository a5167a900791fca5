package io.spillway.internal.route;

import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.internal.disk.SpillOwners;
import io.spillway.internal.spill.Spill;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The threads that earlier stops have left behind, by the log file or spill directory that they
 * still hold, and whether an appender that takes these over, as after a reconfiguration, has to
 * wait for them before it delivers. Memory and spill keep the events that are logged meanwhile.
 *
 * <ul>
 *   <li>An ending saves events that come before all new ones: the appender waits for it, but not
 *       for ever, since its disk may never answer.
 *   <li>A deliverer in a rollover may be in a policy of Logback that compresses the file and then
 *       deletes it by its name: the appender and the compressor wait for it.
 *   <li>For a deliverer that is stuck elsewhere the appender does not wait: the new configuration
 *       may be the cure. But each costs a thread, and so no more than {@value #MOST_STUCK} are
 *       tolerated.
 * </ul>
 */
public final class Predecessors {
  private static final int MOST_STUCK = 8;
  private static final long PATIENCE_SECONDS = 60;

  private final List<Holder> before = new ArrayList<>();
  private final boolean any;
  private final long sinceNanos = System.nanoTime();

  private static final class Holder extends SpillOwners.Owned {
    private final Path file;
    private final Path spillBase;
    private final Worker deliverer;
    private final Thread ending; // null for a deliverer that a stop has left behind

    Holder(Holding holding, Worker deliverer, Thread ending) {
      this.file = holding.fileKey();
      this.spillBase = holding.spillBase();
      this.deliverer = deliverer;
      this.ending = ending;
    }

    boolean isAlive() {
      return ending == null ? deliverer.isAlive() : ending.isAlive();
    }

    boolean shares(Holding other) {
      return (file != null && file.equals(other.fileKey()))
          || (spillBase != null && spillBase.equals(other.spillBase()));
    }

    @Override
    protected boolean mayDelete(Path path) {
      return path.equals(file) && deliverer.isAlive() && isRollingOver(deliverer);
    }

    @Override
    protected boolean isOver() {
      return ending == null && !deliverer.isAlive();
    }

    @Override
    public String toString() {
      return "file [" + file + "] and spill [" + spillBase + "], by a thread that a stop has left";
    }
  }

  /**
   * What an appender holds, and its successor takes over.
   *
   * @param file file that the appender writes, or null if that is not known
   * @param spill spill that it closes at its end, or null if it has none
   */
  public record Holding(Path file, Spill spill) {
    private Path fileKey() {
      return file == null ? null : file.toAbsolutePath().normalize();
    }

    private Path spillBase() {
      return spill == null ? null : spill.base();
    }
  }

  /**
   * Finds the threads that hold the file or the spill directory now.
   *
   * @param holding what the new appender takes over
   */
  public Predecessors(Holding holding) {
    for (Holder holder : SpillOwners.all(Holder.class)) {
      if (holder.shares(holding)) {
        before.add(holder);
      }
    }
    any = !before.isEmpty();
  }

  /**
   * Returns whether there were such threads, which may have renamed the open file.
   *
   * @return true if there was at least one
   */
  boolean any() {
    return any;
  }

  /**
   * Returns whether and why delivery has to wait.
   *
   * @return the reason as a message; null if delivery may begin
   */
  String reasonToWait() {
    int saving = 0;
    int rolling = 0;
    int stuck = 0;
    for (Iterator<Holder> holders = before.iterator(); holders.hasNext(); ) {
      Holder holder = holders.next();
      if (!holder.isAlive()) {
        holders.remove();
      } else if (holder.ending != null) {
        saving++;
      } else {
        stuck++;
        rolling += isRollingOver(holder.deliverer) ? 1 : 0;
      }
    }
    boolean patient = System.nanoTime() - sinceNanos < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    if (patient && saving > 0) {
      return "An earlier appender still saves its events, which come first; what is logged now waits"
          + " in memory and spill, for "
          + PATIENCE_SECONDS
          + " seconds at most.";
    }
    if (rolling > 0) {
      return "An earlier appender still rolls the file over; events wait in memory and spill until"
          + " it has finished.";
    }
    return stuck < MOST_STUCK
        ? null
        : stuck
            + " earlier appenders are stuck in the same sink; events wait in memory and spill until"
            + " one of them gets on. To do: see what it waits for, or restart the application.";
  }

  /**
   * Returns whether the wait for an ending has timed out, though it may still hold older events.
   *
   * @return true if so
   */
  boolean hasGivenUp() {
    for (Holder holder : before) {
      if (holder.ending != null && holder.isAlive()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Creates what a stop owns from its beginning to its end. It is made before the stop, because
   * taking it then needs no memory.
   *
   * @param holding what the stopped appender holds
   * @param deliverer deliverer that may still be in a rollover
   * @param ending thread that runs the ending
   * @return an object that is not taken yet
   */
  public static SpillOwners.Owned saving(Holding holding, Worker deliverer, Thread ending) {
    return new Holder(holding, deliverer, ending);
  }

  /**
   * Records that a stop leaves a deliverer behind.
   *
   * @param holding what the deliverer may still use
   * @param deliverer deliverer that calls {@link #gone} when it has left the file
   */
  public static void leave(Holding holding, Worker deliverer) {
    SpillOwners.take(new Holder(holding, deliverer, null)); // ignored once the deliverer has ended
  }

  /**
   * Removes the record of a deliverer that has left the file.
   *
   * @param deliverer as passed to {@link #leave}; another one has no effect
   */
  static void gone(Worker deliverer) {
    for (Holder holder : SpillOwners.all(Holder.class)) {
      if (holder.deliverer == deliverer && holder.ending == null) {
        SpillOwners.release(holder);
      }
    }
  }

  /** Searches the stack for Logback's appender, which calls rollover() of every policy. */
  private static boolean isRollingOver(Worker deliverer) {
    String appender = RollingFileAppender.class.getName();
    for (StackTraceElement frame : deliverer.thread().getStackTrace()) {
      if (frame.getMethodName().equals("rollover") && frame.getClassName().equals(appender)) {
        return true;
      }
    }
    return false;
  }
}
