package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import io.spillway.metrics.LossCause;
import java.nio.file.Path;

/**
 * What happens to one appender, for a flight recording. Used by Spillway's own threads only, never
 * by a publisher. This one records nothing; {@link #of} has one that does, where the run time has
 * the module {@code jdk.jfr}.
 */
public class FlightLog {
  /** Records nothing. */
  public static final FlightLog NONE = new FlightLog();

  /** Something that takes time, from its beginning on. */
  public interface Span {}

  /** Nothing that is recorded. */
  public static final Span NOTHING = new Span() {};

  private static final boolean RECORDABLE = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  FlightLog() {}

  /**
   * A log for the flight recorder, if there is one.
   *
   * @param context the logger context, or null
   * @param appender name of the appender
   * @return {@link #NONE} in a run time without {@code jdk.jfr}
   */
  public static FlightLog of(Context context, String appender) {
    String name = context == null ? null : context.getName();
    return RECORDABLE ? new JfrFlightLog(name, appender) : NONE;
  }

  /**
   * A batch is given to the sink.
   *
   * @return for {@link #endStall}
   */
  public Span beginStall() {
    return NOTHING;
  }

  /**
   * The sink returned.
   *
   * @param stall as begun
   * @param events of the batch
   */
  public void endStall(Span stall, long events) {}

  /**
   * A batch is spilled after others went to memory.
   *
   * @return for {@link #endSpillEpisode}
   */
  public Span beginSpillEpisode() {
    return NOTHING;
  }

  /**
   * Nothing is left in the spill, or the appender stops.
   *
   * @param episode as begun
   * @param events that were spilled
   * @param bytes that they took
   * @param emptied false if the appender stops and some are still there
   */
  public void endSpillEpisode(Span episode, long events, long bytes, boolean emptied) {}

  /**
   * The own log file is about to be rolled over.
   *
   * @return for {@link #endRollover}
   */
  public Span beginRollover() {
    return NOTHING;
  }

  /**
   * The rollover is done, or has failed.
   *
   * @param rollover as begun
   * @param file the active file
   * @param bytes its length before
   */
  public void endRollover(Span rollover, Path file, long bytes) {}

  /**
   * A rolled file is about to be compressed, or the rest of one that was followed.
   *
   * @return for {@link #endCompression}
   */
  public Span beginCompression() {
    return NOTHING;
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
      Span compression, Path file, Path archive, long fileBytes, long archiveBytes) {}

  /**
   * Events were dropped or lost since the last time.
   *
   * @param cause why
   * @param events how many
   */
  public void loss(LossCause cause, long events) {}
}
