package io.spillway.internal.route;

import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.internal.disk.Owners;
import io.spillway.internal.spill.Spill;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The threads that stops have left behind, by the log file or the spill directory that they still
 * hold, and whether whoever takes these over, as after a reconfiguration, has to wait for them
 * before it delivers. Memory and spill keep what is logged meanwhile.
 *
 * <ul>
 *   <li>An ending saves what comes before everything new: it is waited for, but not for ever, since
 *       its disk may never answer.
 *   <li>A deliverer in a rollover may be in a policy of Logback's that compresses the file and then
 *       deletes it by its name: it is waited for, also by who archives.
 *   <li>A deliverer that is stuck in anything else is not: the new configuration may be the cure.
 *       But each costs a thread, and so no more than {@value #MOST_STUCK} are tried.
 * </ul>
 */
public final class Predecessors {
  private static final int MOST_STUCK = 8;
  private static final long PATIENCE_SECONDS = 60;

  private final List<Holder> before = new ArrayList<>();
  private final boolean any;
  private final long sinceNanos = System.nanoTime();

  private static final class Holder extends Owners.Owned {
    private final Path file;
    private final Path spillBase;
    private final Worker deliverer;
    private final Thread ending; // null once the stop has given up on the deliverer

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
   * What an appender holds on to, and its successor takes over.
   *
   * @param file that it writes, or null if that is not known
   * @param spill that it closes at its end, or null if it has none
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
   * Those that are there now.
   *
   * @param holding what is taken over
   */
  public Predecessors(Holding holding) {
    for (Holder holder : Owners.all(Holder.class)) {
      if (holder.shares(holding)) {
        before.add(holder);
      }
    }
    any = !before.isEmpty();
  }

  /**
   * Whether there were some, who may have moved what is open.
   *
   * @return true if so
   */
  boolean any() {
    return any;
  }

  /**
   * Whether to wait.
   *
   * @return for what, or null if delivery may begin
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
   * Whether somebody was not waited for any longer, though it may still hold older events.
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
   * What a stop has from its beginning to its end; made ahead, for to take it then needs no memory.
   *
   * @param holding what it holds
   * @param deliverer may still be in a rollover
   * @param ending the thread that does it
   * @return not taken yet
   */
  public static Owners.Owned saving(Holding holding, Worker deliverer, Thread ending) {
    return new Holder(holding, deliverer, ending);
  }

  /**
   * A stop gives up on a deliverer.
   *
   * @param holding what it may still use
   * @param deliverer calls {@link #gone} when it lets the file go
   */
  public static void leave(Holding holding, Worker deliverer) {
    Owners.take(new Holder(holding, deliverer, null)); // of no account once that is over
  }

  /**
   * It has let go.
   *
   * @param deliverer as passed, if it was
   */
  static void gone(Worker deliverer) {
    for (Holder holder : Owners.all(Holder.class)) {
      if (holder.deliverer == deliverer && holder.ending == null) {
        Owners.release(holder);
      }
    }
  }

  /** As far as its stack can tell; whatever the policy, Logback's appender calls it. */
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
