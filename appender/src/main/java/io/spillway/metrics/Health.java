package io.spillway.metrics;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Whether an appender does its work, for a readiness probe or an alert.
 *
 * <ul>
 *   <li>{@code DOWN}: the appender is not started, or in the last ten seconds it lost or refused
 *       events for a reason that may hit any event ({@code QUEUE_FULL}, {@code STOPPED}, {@code
 *       SINK_FAILED}, {@code NOT_SAVED}, {@code EVICTED}; {@code ENCODE_FAILED} while the encoder
 *       does not return).
 *   <li>{@code DEGRADED}: no events are lost, or only certain ones, but something needs care: the
 *       appender spills; no started appender is nested; the sink has kept one batch for {@value
 *       #STALL_SECONDS} s or more, has failed in the last ten seconds, or has lost what was in the
 *       log file; the ring is full or log calls wait for room in it; log calls return without the
 *       acknowledgement that they wait for; the spill is nearly full, is failing or is missing; a
 *       thread of the appender has failed in the last ten seconds or is stuck in code that is not
 *       Spillway's; {@value #MANY_ARCHIVES} or more rolled files wait to be compressed, without
 *       those that {@code maxRandomDelay} puts off; or a file could not be archived, or archives
 *       for the archive listener not be found, more than once in a row.
 *   <li>{@code UP}: none of these.
 * </ul>
 *
 * @param status the worst of the findings
 * @param reason every finding, each with its cause and what to do; the worst first; empty if {@code
 *     UP}
 */
public record Health(Status status, String reason) {
  /** Seconds in the sink from which on a batch makes the appender {@code DEGRADED}. */
  public static final long STALL_SECONDS = 5;

  /**
   * Number of due rolled files from which on the appender is {@code DEGRADED}. Fewer files wait now
   * and then in normal operation.
   */
  public static final long MANY_ARCHIVES = 3;

  private static final double NEARLY_FULL = 0.8;

  /** The state of an appender, from good to bad. */
  public enum Status {
    /** The appender does its work. */
    UP,
    /** The appender does its work, but something needs care, as described at {@link Health}. */
    DEGRADED,
    /** The appender is not started, or loses events for a reason that may hit any event. */
    DOWN
  }

  /** The health of an appender that was never started, or that has been stopped. */
  public static final Health NOT_STARTED =
      new Health(
          Status.DOWN,
          "The appender is not started. To do: unless it has been stopped, see Logback's status"
              + " messages, which name the reason, such as a wrong setting.");

  /**
   * Returns the health of an appender.
   *
   * @param now the figures of the appender
   * @return the status and its reasons
   */
  public static Health of(Snapshot now) {
    if (!now.started()) {
      return NOT_STARTED;
    }
    List<String> reasons = new ArrayList<>(losses(now.losing(), true));
    Status status = reasons.isEmpty() ? Status.DEGRADED : Status.DOWN;
    if (now.workers().stuck() > 0 && now.losing().contains(LossCause.ENCODE_FAILED)) {
      status = Status.DOWN; // the encoder may be stuck, which hits every event
    }
    reasons.addAll(losses(now.losing(), false));
    addWorkers(now, reasons);
    addPressure(now, reasons);
    addAcknowledgements(now, reasons);
    addSpill(now, reasons);
    if (now.archives().backlogFiles() >= MANY_ARCHIVES) {
      reasons.add(
          now.archives().backlogFiles()
              + " rolled files wait to be compressed and take room. To do: if ArchiveFailures grows,"
              + " look at the status messages, the archives' directory and its disk; else raise"
              + " compressionCpuShare or lower compressionLevel.");
    }
    if (!now.archives().failing().isEmpty()) {
      reasons.add(
          "Rolled files cannot be archived in ["
              + now.archives().failing()
              + "] and take room; it is tried again. To do: see that this directory can be created"
              + " and written, that its disk has room and is healthy, and what the status message"
              + " says.");
    }
    return reasons.isEmpty()
        ? new Health(Status.UP, "")
        : new Health(status, String.join(" ", reasons));
  }

  private static List<String> losses(Set<LossCause> losing, boolean general) {
    return new TreeSet<>(losing)
        .stream()
            .filter(cause -> cause.isGeneral() == general)
            .map(cause -> "Events are being lost (" + cause + "). To do: " + cause.remedy() + ".")
            .toList();
  }

  private static void addWorkers(Snapshot now, List<String> reasons) {
    if (now.workers().stuck() > 0) {
      reasons.add(
          now.workers().stuck()
              + " threads were replaced because code of an encoder, converter or toString() does not"
              + " return. To do: take a thread dump and see what [spillway-drainer-...] waits for.");
    }
    if (now.workers().failing()) {
      reasons.add(
          "A thread failed unexpectedly and went on, or another took over; "
              + now.workers().failures()
              + " times so far. To do: see the status message; if memory is short, give the JVM more.");
    }
  }

  private static void addPressure(Snapshot now, List<String> reasons) {
    long stalled = TimeUnit.NANOSECONDS.toSeconds(now.sink().stallNanos());
    if (stalled >= STALL_SECONDS) {
      reasons.add(
          "The sink has not returned for "
              + stalled
              + " s. To do: see what it waits for (disk, network, compression in a rollover).");
    }
    if (now.sink().missing()) {
      reasons.add(
          "No started appender is nested: events wait for one for 10 seconds, then they are lost"
              + " (SINK_FAILED). To do: attach one, or see the status messages of the one attached for"
              + " why it has stopped or not started.");
    }
    if (now.sink().failing()) {
      reasons.add(
          "The nested appender, the log file or a rolling or triggering policy fails; "
              + now.sink().failures()
              + " times so far. To do: see the status message, which names it.");
    }
    boolean droppingHeavy =
        now.blocked().heavy() && now.losing().contains(LossCause.QUEUE_FULL); // slots may be free
    if (now.ring().share() >= 1 || now.blocked().waiting() > 0 || droppingHeavy) {
      reasons.add("Log calls wait, or events are dropped. " + ringFull(now));
    }
  }

  /**
   * Returns why the ring is full, and what to do: either neither memory nor spill takes what leaves
   * the ring, or the drainer does not empty the ring fast enough.
   *
   * @param now the figures of the appender
   * @return some sentences; the first says so if large events fill the ring
   */
  public static String ringFull(Snapshot now) {
    return now.blocked().heavy()
        ? ("Large messages or stack traces wait in the ring, which takes as many as fill an eighth of the heap: more"
                + " heap takes more of them. ")
            .concat(whatHoldsItUp(now))
        : whatHoldsItUp(now);
  }

  private static String whatHoldsItUp(Snapshot now) {
    boolean writable = now.spilling().usable() && !now.spilling().failing();
    boolean memoryHasRoom = now.memory().share() < NEARLY_FULL && !now.workers().held();
    boolean spillHasRoom =
        writable
            && !now.workers().held()
            && !now.sink().failing() // on a full disk the log goes first, the spill waits
            && now.spill().share() < NEARLY_FULL;
    if (memoryHasRoom || spillHasRoom) {
      return "The ring is full though memory or spill have room: the drainer, the one thread that"
          + " encodes events, does not keep up. To do: log less, or give it a cheaper encoder or"
          + " more CPU; a larger queueSize helps with bursts.";
    }
    if (!writable) {
      return "The ring is full because the spill cannot be written, and memory is full, or would let new"
          + " events overtake those in the spill. To do: see the status message that names the file;"
          + " see to it that spillDirectory is a directory and no link, that this process can create"
          + " files in it, and that its disk has room and is healthy. Then find what holds up the"
          + " sink.";
    }
    return "The ring is full because memory and spill take nothing more. To do: find what holds up"
        + " the sink and the spill's disk, or raise maxSpillSize.";
  }

  private static void addAcknowledgements(Snapshot now, List<String> reasons) {
    if (now.acknowledged().missing()) {
      reasons.add(
          "Log calls return without the acknowledgement that they wait for; "
              + now.acknowledged().missed()
              + " so far. To do: see the status message; then the disk of spillDirectory, or raise"
              + " acknowledgeTimeout.");
    }
  }

  private static void addSpill(Snapshot now, List<String> reasons) {
    if (!now.spilling().usable()) {
      reasons.add(
          "There is no spill, so memory alone takes what the sink does not. To do: see to it that"
              + " spillDirectory can be created and written; it is tried again every second.");
    }
    if (now.spilling().failing()) {
      reasons.add(
          "Operations on spill files fail. To do: check the space and health of the disk of"
              + " spillDirectory.");
    }
    if (now.spill().share() >= NEARLY_FULL) {
      reasons.add(
          "The spill holds "
              + now.spill().used()
              + " of "
              + now.spill().capacity()
              + " bytes. To do: find what holds up the sink, or raise maxSpillSize.");
    }
    if (now.spilling().active()) {
      reasons.add(
          "The sink is behind and events go to the spill. To do: nothing if it catches up; else make"
              + " the sink faster or log less.");
    }
  }
}
