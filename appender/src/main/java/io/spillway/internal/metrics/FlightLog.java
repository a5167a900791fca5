package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import io.spillway.metrics.LossCause;
import java.nio.file.Path;

/**
 * What happens to one appender, for a flight recording. Used by Spillway's own threads only, never
 * by a publisher. Where nobody has used the flight recorder yet, or the run time has no module
 * {@code jdk.jfr}, it records nothing, and of that module one class is loaded at most.
 *
 * <p>{@code used} is written once, after the events are known to the recorder, so that no thread
 * loads their classes when there is trouble.
 */
public final class FlightLog {
  static {
    AfterStart.prepare();
  }

  /** Something that takes time, from its beginning on. */
  public interface Span {}

  /** Nothing that is recorded. */
  public static final Span NOTHING = new Span() {};

  private static final boolean RECORDABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
  private static volatile boolean used;

  private final String context;
  private final String appender;

  /**
   * Records from now on if the recorder is in use, else as soon as it is found to be.
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

  /** Whether somebody uses the recorder, and its events are not known to it yet. */
  static boolean isWanted() {
    return RECORDABLE && !used && JfrEvents.Use.isBegun();
  }

  /** May wait for the recorder, which may be writing to a disk that stands still. */
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
   * A batch is given to the sink.
   *
   * @return for {@link #endStall}
   */
  public Span beginStall() {
    return used ? JfrEvents.beginStall() : NOTHING;
  }

  /**
   * The sink returned.
   *
   * @param stall as begun
   * @param events of the batch
   */
  public void endStall(Span stall, long events) {
    if (stall != NOTHING) {
      JfrEvents.endStall(this, stall, events);
    }
  }

  /**
   * A batch is spilled after others went to memory.
   *
   * @return for {@link #endSpillEpisode}
   */
  public Span beginSpillEpisode() {
    return used ? JfrEvents.beginSpillEpisode() : NOTHING;
  }

  /**
   * Nothing is left in the spill, or the appender stops.
   *
   * @param episode as begun
   * @param events that were spilled
   * @param bytes that they took
   * @param emptied false if the appender stops and some are still there
   */
  public void endSpillEpisode(Span episode, long events, long bytes, boolean emptied) {
    if (episode != NOTHING) {
      JfrEvents.endSpillEpisode(this, episode, events, bytes, emptied);
    }
  }

  /**
   * The own log file is about to be rolled over.
   *
   * @return for {@link #endRollover}
   */
  public Span beginRollover() {
    return used ? JfrEvents.beginRollover() : NOTHING;
  }

  /**
   * The rollover is done, or has failed.
   *
   * @param rollover as begun
   * @param file the active file
   * @param bytes its length before
   */
  public void endRollover(Span rollover, Path file, long bytes) {
    if (rollover != NOTHING) {
      JfrEvents.endRollover(this, rollover, file, bytes);
    }
  }

  /**
   * A rolled file is about to be compressed, or the rest of one that was followed.
   *
   * @return for {@link #endCompression}
   */
  public Span beginCompression() {
    return used ? JfrEvents.beginCompression() : NOTHING;
  }

  /**
   * The archive is whole under its name.
   *
   * @param compression as begun
   * @param file the rolled file
   * @param archive its archive
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
   * Events were dropped or lost since the last time.
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
