package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import io.spillway.metrics.LossCause;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * Records what happens to one appender as events of a flight recording. Used by Spillway's own
 * threads only, never by a log call. Where the run time has no module {@code jdk.jfr} nothing is
 * recorded and none of its classes is loaded; while the recorder is not in use, one is.
 */
public final class FlightEvents {
  /** The beginning of something that takes time; one of the methods records its end. */
  public interface Span {
    /** The sink has returned from a batch of so many events. */
    default void stalled(long events) {}

    /** A number of events were spilled; the spill is empty, or the appender stops before it is. */
    default void spilled(long events, long bytes, boolean emptied) {}

    /** A rollover of the file, which had so many bytes, is done or has failed. */
    default void rolledOver(String file, long bytes) {}

    /** The archive of a rolled file is complete under its name. */
    default void compressed(String file, String archive, long fileBytes, long archiveBytes) {}
  }

  private static final Span NOTHING = new Span() {};
  private static final boolean RECORDABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private final String context;
  private final String appender;

  public FlightEvents(Context context, String appender) {
    this.context = context == null ? null : context.getName();
    this.appender = appender;
  }

  private static boolean isUsed() {
    return RECORDABLE && FlightRecorder.isInitialized();
  }

  /** Begins a batch in the sink. */
  public Span stall() {
    return isUsed() ? Jfr.begun(this, new Jfr.Stall()) : NOTHING;
  }

  /** Begins a spill episode: the first append to an empty spill. */
  public Span spill() {
    return isUsed() ? Jfr.begun(this, new Jfr.SpillEpisode()) : NOTHING;
  }

  /** Begins a rollover. */
  public Span rollover() {
    return isUsed() ? Jfr.begun(this, new Jfr.Rollover()) : NOTHING;
  }

  /** Begins the compression of a rolled file. */
  public static Span compression() {
    return isUsed() ? Jfr.begun(null, new Jfr.Compression()) : NOTHING;
  }

  /** Records events that were dropped or lost since the last call. */
  void lost(LossCause cause, long events) {
    if (isUsed()) {
      Jfr.lost(this, cause, events);
    }
  }

  /** Makes the events; not loaded, nor are their types, before the recorder is in use. */
  static final class Jfr {
    private Jfr() {}

    /** Takes an interface: the verifier would load an event type to compare it with a class. */
    static Span begun(FlightEvents log, Span span) {
      if (span instanceof OfAppender event) {
        event.context = log.context;
        event.appender = log.appender;
      }
      ((Event) span).begin();
      return span;
    }

    static void lost(FlightEvents log, LossCause cause, long events) {
      Loss loss = new Loss();
      loss.context = log.context;
      loss.appender = log.appender;
      loss.cause = cause.name();
      loss.accepted = !cause.beforeAcceptance();
      loss.events = events;
      loss.commit();
    }

    /** A thread of Spillway commits it, so it has no stack trace. */
    @Category("Spillway")
    @StackTrace(false)
    abstract static class Timed extends Event implements Span {}

    /** An event of one appender. */
    abstract static class OfAppender extends Timed {
      String context;
      String appender;
    }

    @Name("io.spillway.Stall")
    @Label("Stall")
    @Description("The sink was busy with one batch for 100 ms or more, the threshold")
    @Threshold("100 ms")
    static final class Stall extends OfAppender {
      long events;

      @Override
      public void stalled(long inBatch) {
        events = inBatch;
        commit();
      }
    }

    @Name("io.spillway.SpillEpisode")
    @Label("Spill Episode")
    @Description("From the first append to an empty spill until it is empty again")
    static final class SpillEpisode extends OfAppender {
      long events;
      @DataAmount long bytes;
      boolean emptied;

      @Override
      public void spilled(long spilledEvents, long spilledBytes, boolean all) {
        events = spilledEvents;
        bytes = spilledBytes;
        emptied = all;
        commit();
      }
    }

    @Name("io.spillway.Rollover")
    @Label("Rollover")
    @Description("A rollover of the log file, successful or not")
    static final class Rollover extends OfAppender {
      String file;
      @DataAmount long bytes;

      @Override
      public void rolledOver(String active, long length) {
        file = active;
        bytes = length;
        commit();
      }
    }

    @Name("io.spillway.Compression")
    @Label("Compression")
    @Description("A rolled file became an archive in the background")
    static final class Compression extends Timed {
      String file;
      String archive;
      @DataAmount long fileBytes;
      @DataAmount long archiveBytes;

      @Override
      public void compressed(String rolled, String made, long rolledLength, long madeLength) {
        file = rolled;
        archive = made;
        fileBytes = rolledLength;
        archiveBytes = madeLength;
        commit();
      }
    }

    @Name("io.spillway.Loss")
    @Label("Loss")
    @Description("Events dropped or lost for one cause in about a second")
    static final class Loss extends OfAppender {
      String cause;
      boolean accepted;
      long events;
    }
  }
}
