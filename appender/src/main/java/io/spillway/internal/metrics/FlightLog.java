package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import io.spillway.metrics.LossCause;
import java.nio.file.Path;

/**
 * Records what happens to one appender as events of a flight recording. Used by Spillway's own
 * threads only, never by a publisher. While the flight recorder is not in use, or if the run time
 * has no module {@code jdk.jfr}, nothing is recorded, and at most one class of that module is
 * loaded.
 *
 * <p>{@code used} is written once, after the event types are registered with the recorder, so that
 * no thread loads their classes when there is trouble.
 */
public final class FlightLog {
  static {
    AfterStart.prepare();
  }

  /** The start of something that takes time, for the method that records its end. */
  public interface Span {}

  /** The start of something that is not recorded. */
  public static final Span NOTHING = new Span() {};

  private static final boolean RECORDABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  private static volatile boolean used;

  private final String context;
  private final String appender;

  /**
   * Creates a log that records from now on if the recorder is in use, else as soon as it is found
   * to be.
   *
   * @param context the logger context, or null
   * @param appender the appender's name, or null
   */
  public FlightLog(Context context, String appender) {
    this.context = context == null ? null : context.getName();
    this.appender = appender;
    if (isWanted()) {
      use();
    }
  }

  /** Returns whether the recorder is in use and does not know Spillway's events yet. */
  static boolean isWanted() {
    return RECORDABLE && !used && JfrEvents.Use.isBegun();
  }

  /** Registers the events. May wait for the recorder, which may be writing to a disk that hangs. */
  static void use() {
    JfrEvents.makeKnown();
    used = true;
  }

  String context() {
    return context;
  }

  String appender() {
    return appender;
  }

  /**
   * Begins the time that a batch is in the sink.
   *
   * @return the value for {@link #endStall}
   */
  public Span beginStall() {
    return used ? JfrEvents.beginStall() : NOTHING;
  }

  /**
   * Records that the sink has returned.
   *
   * @param stall as returned by {@link #beginStall}
   * @param events number of events in the batch
   */
  public void endStall(Span stall, long events) {
    if (stall != NOTHING) {
      JfrEvents.endStall(this, stall, events);
    }
  }

  /**
   * Begins a spill episode: a batch is spilled after others went to memory.
   *
   * @return the value for {@link #endSpillEpisode}
   */
  public Span beginSpillEpisode() {
    return used ? JfrEvents.beginSpillEpisode() : NOTHING;
  }

  /**
   * Records a spill episode whose end is that the spill is empty or the appender stops.
   *
   * @param episode as returned by {@link #beginSpillEpisode}
   * @param events how many events were spilled
   * @param bytes how many bytes they took
   * @param emptied false if the appender stops and some events are still in the spill
   */
  public void endSpillEpisode(Span episode, long events, long bytes, boolean emptied) {
    if (episode != NOTHING) {
      JfrEvents.endSpillEpisode(this, episode, events, bytes, emptied);
    }
  }

  /**
   * Begins a rollover of the own log file.
   *
   * @return the value for {@link #endRollover}
   */
  public Span beginRollover() {
    return used ? JfrEvents.beginRollover() : NOTHING;
  }

  /**
   * Records a rollover that is done or has failed.
   *
   * @param rollover as returned by {@link #beginRollover}
   * @param file the active file
   * @param bytes length of the file before the rollover
   */
  public void endRollover(Span rollover, Path file, long bytes) {
    if (rollover != NOTHING) {
      JfrEvents.endRollover(this, rollover, file, bytes);
    }
  }

  /**
   * Begins the compression of a rolled file, or of the rest of a file that was followed.
   *
   * @return the value for {@link #endCompression}
   */
  public Span beginCompression() {
    return used ? JfrEvents.beginCompression() : NOTHING;
  }

  /**
   * Records a compression whose archive is complete under its name.
   *
   * @param compression as returned by {@link #beginCompression}
   * @param file the rolled file
   * @param archive the archive of that file
   * @param fileBytes length of the rolled file
   * @param archiveBytes length of the archive
   */
  public void endCompression(
      Span compression, Path file, Path archive, long fileBytes, long archiveBytes) {
    if (compression != NOTHING) {
      JfrEvents.endCompression(compression, file, archive, fileBytes, archiveBytes);
    }
  }

  /**
   * Records events that were dropped or lost since the last call.
   *
   * @param cause why
   * @param level of the events, if settings choose the cause; else null
   * @param events how many
   */
  public void loss(LossCause cause, String level, long events) {
    if (used) {
      JfrEvents.loss(this, cause, level, events);
    }
  }
}
