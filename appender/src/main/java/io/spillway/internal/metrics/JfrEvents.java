package io.spillway.internal.metrics;

import io.spillway.internal.metrics.FlightLog.Span;
import io.spillway.metrics.LossCause;
import java.nio.file.Path;
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
 * The events of flight recordings, each with its description. Loaded only if the recorder is in
 * use.
 */
final class JfrEvents {
  private JfrEvents() {}

  /**
   * Registers the events before there is trouble: the first use of an event's class waits for the
   * recorder, which may be writing to a disk that hangs.
   */
  static void makeKnown() {
    new Stall();
    new SpillEpisode();
    new Rollover();
    new Compression();
    new Loss();
  }

  /** Ends an event, which sets its duration; returns whether to fill it in and commit it. */
  private static boolean ended(Event event) {
    event.end();
    return event.shouldCommit();
  }

  private static void commit(FlightLog log, AppenderEvent event) {
    event.context = log.context();
    event.appender = log.appender();
    event.commit();
  }

  static Span beginStall() {
    Stall stall = new Stall();
    stall.begin();
    return stall;
  }

  static void endStall(FlightLog log, Span stall, long events) {
    if (stall instanceof Stall event && ended(event)) {
      event.events = events;
      commit(log, event);
    }
  }

  static Span beginSpillEpisode() {
    SpillEpisode episode = new SpillEpisode();
    episode.begin();
    return episode;
  }

  static void endSpillEpisode(
      FlightLog log, Span episode, long events, long bytes, boolean emptied) {
    if (episode instanceof SpillEpisode event && ended(event)) {
      event.events = events;
      event.bytes = bytes;
      event.emptied = emptied;
      commit(log, event);
    }
  }

  static Span beginRollover() {
    Rollover rollover = new Rollover();
    rollover.begin();
    return rollover;
  }

  static void endRollover(FlightLog log, Span rollover, Path file, long bytes) {
    if (rollover instanceof Rollover event && ended(event)) {
      event.file = file.toString();
      event.bytes = bytes;
      commit(log, event);
    }
  }

  static Span beginCompression() {
    Compression compression = new Compression();
    compression.begin();
    return compression;
  }

  static void endCompression(
      Span compression, Path file, Path archive, long fileBytes, long archiveBytes) {
    if (compression instanceof Compression event && ended(event)) {
      event.file = file.toString();
      event.archive = archive.toString();
      event.fileBytes = fileBytes;
      event.archiveBytes = archiveBytes;
      event.commit();
    }
  }

  static void loss(FlightLog log, LossCause cause, String level, long events) {
    Loss loss = new Loss();
    if (loss.shouldCommit()) {
      loss.cause = cause.name();
      loss.level = level;
      loss.accepted = !cause.beforeAcceptance();
      loss.events = events;
      commit(log, loss);
    }
  }

  /** A class of its own, so that the check loads one class of {@code jdk.jfr} and no event. */
  static final class Use {
    private Use() {}

    /** Returns whether a recording has been made in this process; stays true. */
    static boolean isBegun() {
      return FlightRecorder.isInitialized();
    }
  }

  /** An event of one appender. A thread of Spillway commits it, so it has no stack trace. */
  @Category("Spillway")
  @StackTrace(false)
  abstract static class AppenderEvent extends Event implements FlightLog.Span {
    @Label("Context")
    @Description("Name of the logger context")
    String context;

    @Label("Appender")
    @Description("Name of the appender")
    String appender;
  }

  @Name("io.spillway.Stall")
  @Label("Stall")
  @Description(
      "The sink was busy with one batch for longer than the threshold; recorded when it returns")
  @Category("Spillway")
  @StackTrace(false)
  @Threshold("100 ms")
  static final class Stall extends AppenderEvent {
    @Label("Events")
    @Description("Events of the batch")
    long events;
  }

  @Name("io.spillway.SpillEpisode")
  @Label("Spill Episode")
  @Description(
      "One spill episode: from the first batch written to disk until the sink has taken all")
  @Category("Spillway")
  @StackTrace(false)
  static final class SpillEpisode extends AppenderEvent {
    @Label("Events")
    @Description("Events that went through the spill")
    long events;

    @Label("Bytes")
    @Description("Bytes of the batches on disk, without headers")
    @DataAmount
    long bytes;

    @Label("Emptied")
    @Description("Whether the sink took all of them; false if the appender stopped before")
    boolean emptied;
  }

  @Name("io.spillway.Rollover")
  @Label("Rollover")
  @Description("A rollover, successful or not, of the log file: close, rename, open")
  @Category("Spillway")
  @StackTrace(false)
  static final class Rollover extends AppenderEvent {
    @Label("File")
    @Description("The active log file")
    String file;

    @Label("Bytes")
    @Description("Length of the log file before")
    @DataAmount
    long bytes;
  }

  @Name("io.spillway.Compression")
  @Label("Compression")
  @Description("A rolled file became an archive in the background")
  @Category("Spillway")
  @StackTrace(false)
  static final class Compression extends Event implements FlightLog.Span {
    @Label("File")
    @Description("The rolled file")
    String file;

    @Label("Archive")
    @Description("The archive")
    String archive;

    @Label("File Bytes")
    @Description("Length of the rolled file")
    @DataAmount
    long fileBytes;

    @Label("Archive Bytes")
    @Description("Length of the archive")
    @DataAmount
    long archiveBytes;
  }

  @Name("io.spillway.Loss")
  @Label("Loss")
  @Description("Events were dropped or lost; summed up by cause, ten times a second at most")
  @Category("Spillway")
  @StackTrace(false)
  static final class Loss extends AppenderEvent {
    @Label("Cause")
    @Description("Name of the LossCause")
    String cause;

    @Label("Level")
    @Description("Level of the events, if settings chose to drop them; else none")
    String level;

    @Label("Accepted")
    @Description("Whether the events had been accepted; false if they were refused")
    boolean accepted;

    @Label("Events")
    @Description("Events since the last record of this cause")
    long events;
  }
}
