package io.spillway.internal.metrics;

import io.spillway.metrics.LossCause;
import java.nio.file.Path;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;

/** To the flight recorder. The one class that makes its events. */
final class JfrFlightLog extends FlightLog {
  static {
    // Known to the recorder before there is trouble: the first use of such a class waits for the
    // recorder, which may be writing to a disk that stands still.
    new JfrStall();
    new JfrSpillEpisode();
    new JfrRollover();
    new JfrCompression();
    new JfrLoss();
    FlightRecorder.isInitialized(); // initializes that class
  }

  private final String context;
  private final String appender;

  JfrFlightLog(String context, String appender) {
    this.context = context;
    this.appender = appender;
  }

  /** Ends it, without which it would be shorter than any threshold; whether to fill it in. */
  private static boolean ended(Event event) {
    event.end();
    return event.shouldCommit();
  }

  private void commit(JfrAppenderEvent event) {
    event.context = context;
    event.appender = appender;
    event.commit();
  }

  /** One for each batch: nothing is made of it before anybody has recorded anything. */
  @Override
  public Span beginStall() {
    if (!FlightRecorder.isInitialized()) {
      return NOTHING;
    }
    JfrStall stall = new JfrStall();
    stall.begin();
    return stall;
  }

  @Override
  public void endStall(Span stall, long events) {
    if (stall instanceof JfrStall event && ended(event)) {
      event.events = events;
      commit(event);
    }
  }

  @Override
  public Span beginSpillEpisode() {
    JfrSpillEpisode episode = new JfrSpillEpisode();
    episode.begin();
    return episode;
  }

  @Override
  public void endSpillEpisode(Span episode, long events, long bytes, boolean emptied) {
    if (episode instanceof JfrSpillEpisode event && ended(event)) {
      event.events = events;
      event.bytes = bytes;
      event.emptied = emptied;
      commit(event);
    }
  }

  @Override
  public Span beginRollover() {
    JfrRollover rollover = new JfrRollover();
    rollover.begin();
    return rollover;
  }

  @Override
  public void endRollover(Span rollover, Path file, long bytes) {
    if (rollover instanceof JfrRollover event && ended(event)) {
      event.file = file.toString();
      event.bytes = bytes;
      commit(event);
    }
  }

  @Override
  public Span beginCompression() {
    JfrCompression compression = new JfrCompression();
    compression.begin();
    return compression;
  }

  @Override
  public void endCompression(
      Span compression, Path file, Path archive, long fileBytes, long archiveBytes) {
    if (compression instanceof JfrCompression event && ended(event)) {
      event.file = file.toString();
      event.archive = archive.toString();
      event.fileBytes = fileBytes;
      event.archiveBytes = archiveBytes;
      event.commit();
    }
  }

  @Override
  public void loss(LossCause cause, long events) {
    JfrLoss loss = new JfrLoss();
    if (loss.shouldCommit()) {
      loss.cause = cause.name();
      loss.accepted = !cause.beforeAcceptance();
      loss.events = events;
      commit(loss);
    }
  }
}
