package io.spillway;

import ch.qos.logback.core.Appender;
import io.spillway.internal.disk.Owners;
import io.spillway.internal.disk.SpillFiles;
import io.spillway.internal.flow.Pipeline;
import io.spillway.internal.flow.RecordCodec;
import io.spillway.internal.flow.SpillReports;
import io.spillway.internal.flow.Tell;
import io.spillway.internal.metrics.Registration;
import io.spillway.internal.sink.Sink;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * One start of an appender: what both appenders have in common. Opens the spill, joins it with the
 * pipeline, and makes the figures known.
 */
final class Core<E> {
  private static final String ENDING = ".spill";

  private final Appender<E> appender;
  private final Pipeline pipeline;
  private final PublishGate<E> gate;
  private final SpillwayMetrics metrics;
  private final Registration registration;
  private final Tell tell;

  /** What an appender brings: where its events go, and in which form. */
  record Ends<E>(
      Path directory, // of the spill
      Path file, // of the own or nested file appender; null for others
      Sink sink,
      RecordCodec codec,
      Pipeline.SinkState sinkState,
      PublishGate.Form<E> form) {}

  private Core(Appender<E> appender, Pipeline pipeline, PublishGate<E> gate, Tell tell) {
    this.appender = appender;
    this.pipeline = pipeline;
    this.gate = gate;
    this.tell = tell;
    metrics = new SpillwayMetrics(pipeline, tell.counters());
    registration =
        new Registration(appender.getContext(), appender.getName(), metrics, tell.reports());
  }

  /**
   * Returns a core that is not started; null, after an error status with the reason, if none can
   * be.
   */
  static <E> Core<E> of(Appender<E> appender, Settings.Checked settings, Tell tell, Ends<E> ends) {
    String refusal = Owners.take(appender, "spill directory", ends.directory);
    if (refusal != null) {
      appender.addError(refusal);
      return null;
    }
    SpillReports spillReports = new SpillReports(tell);
    boolean ofBytes = ends.codec instanceof RecordCodec.Bytes;
    Spill spill =
        new Spill(
            new SpillConfig(
                ends.directory,
                settings.maxSpillBytes(),
                ofBytes ? SpillConfig.Kind.BYTES : SpillConfig.Kind.EVENTS,
                settings.syncNanos(),
                ends.file),
            new SpillFiles(),
            spillReports,
            ends.sink::force);
    Pipeline pipeline =
        new Pipeline(
            settings.flow(),
            new Pipeline.Parts(
                appender.getName(), ends.sink, ends.codec, spill, spillReports, ends.sinkState),
            tell);
    PublishGate<E> gate = new PublishGate<>(pipeline, settings.flow(), ends.form, tell);
    return new Core<>(appender, pipeline, gate, tell);
  }

  /** Returns the directory of the spill; null, after an error status, if the setting is wrong. */
  static Path directory(Appender<?> to, Settings.Checked settings, Path file) {
    String set = settings.spillDirectory();
    if (set.isEmpty()) {
      return file != null
          ? Path.of(file + ENDING)
          : Path.of("spillway" + File.separator + safe(to.getName()));
    }
    try {
      Path directory = Path.of(set);
      Path obstacle = obstacle(directory.toAbsolutePath());
      if (obstacle == null) {
        return directory;
      }
      refuse(
          to, set, "[" + obstacle + "] is in its place and no directory; links are not followed");
    } catch (InvalidPathException e) {
      refuse(to, set, e.getReason());
    }
    return null;
  }

  /** Returns the name of an appender as that of a directory, which cannot lead to another one. */
  private static String safe(String name) {
    String safe = String.valueOf(name).replaceAll("[^A-Za-z0-9_-]", "_");
    return safe.isEmpty() ? "appender" : safe;
  }

  /** Returns a link or file in the place of the directory or of a parent; null if there is none. */
  private static Path obstacle(Path directory) {
    if (Files.isSymbolicLink(directory)) {
      return directory;
    }
    Path there = directory;
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    return there == null || Files.isDirectory(there) ? null : there;
  }

  private static void refuse(Appender<?> to, String value, String why) {
    to.addError(
        "Setting [spillDirectory] has the value ["
            + value
            + "]; allowed: a directory, which is created if it is missing. "
            + why
            + ". The appender is not started, correct the configuration.");
  }

  void start() {
    pipeline.start();
    registration.add();
    tell.reports().flush();
  }

  /** Ends what was started; what the sink has not taken is saved. */
  void stop() {
    pipeline.stop();
    registration.remove();
    tell.counters().recordLosses(tell.flightEvents());
    long unsaved = tell.counters().count(LossCause.NOT_SAVED);
    if (unsaved > 0) {
      tell.reports()
          .error(
              "stop.loss",
              unsaved
                  + " events are lost, since neither the sink nor the spill took them (NOT_SAVED)."
                  + " To do: "
                  + LossCause.NOT_SAVED.remedy()
                  + ".",
              null);
    }
    tell.reports().flush();
    Owners.release(appender);
  }

  /** Gives back what a start that failed has taken. */
  void abandon() {
    Owners.release(appender);
  }

  Pipeline pipeline() {
    return pipeline;
  }

  PublishGate<E> gate() {
    return gate;
  }

  SpillwayMetrics metrics() {
    return metrics;
  }
}
