package io.spillway.internal.metrics;

import io.spillway.internal.metrics.FlightLog.Span;
import io.spillway.metrics.LossCause;
import java.nio.file.Path;
import jdk.jfr.Event;

/** Makes the events of flight recordings. Loaded when somebody uses the recorder. */
final class JfrEvents {
  private JfrEvents() {}

  /**
   * Before there is trouble: the first use of an event's class waits for the recorder, which may be
   * writing to a disk that stands still.
   */
  static void makeKnown() {
    new JfrStall();
    new JfrSpillEpisode();
    new JfrRollover();
    new JfrCompression();
    new JfrLoss();
  }

  /** Ends it, without which it would be shorter than any threshold; whether to fill it in. */
  private static boolean ended(Event event) {
    event.end();
    return event.shouldCommit();
  }

  private static void commit(FlightLog log, JfrAppenderEvent event) {
    event.context = log.context();
    event.appender = log.appender();
    event.commit();
  }

  static Span beginStall() {
    JfrStall stall = new JfrStall();
    stall.begin();
    return stall;
  }

  static void endStall(FlightLog log, Span stall, long events) {
    if (stall instanceof JfrStall event && ended(event)) {
      event.events = events;
      commit(log, event);
    }
  }

  static Span beginSpillEpisode() {
    JfrSpillEpisode episode = new JfrSpillEpisode();
    episode.begin();
    return episode;
  }

  static void endSpillEpisode(
      FlightLog log, Span episode, long events, long bytes, boolean emptied) {
    if (episode instanceof JfrSpillEpisode event && ended(event)) {
      event.events = events;
      event.bytes = bytes;
      event.emptied = emptied;
      commit(log, event);
    }
  }

  static Span beginRollover() {
    JfrRollover rollover = new JfrRollover();
    rollover.begin();
    return rollover;
  }

  static void endRollover(FlightLog log, Span rollover, Path file, long bytes) {
    if (rollover instanceof JfrRollover event && ended(event)) {
      event.file = file.toString();
      event.bytes = bytes;
      commit(log, event);
    }
  }

  static Span beginCompression() {
    JfrCompression compression = new JfrCompression();
    compression.begin();
    return compression;
  }

  static void endCompression(
      Span compression, Path file, Path archive, long fileBytes, long archiveBytes) {
    if (compression instanceof JfrCompression event && ended(event)) {
      event.file = file.toString();
      event.archive = archive.toString();
      event.fileBytes = fileBytes;
      event.archiveBytes = archiveBytes;
      event.commit();
    }
  }

  static void loss(FlightLog log, LossCause cause, long events) {
    JfrLoss loss = new JfrLoss();
    if (loss.shouldCommit()) {
      loss.cause = cause.name();
      loss.accepted = !cause.beforeAcceptance();
      loss.events = events;
      commit(log, loss);
    }
  }
}
