package io.spillway;

import ch.qos.logback.core.spi.ContextAware;
import io.spillway.metrics.Counters;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.Reports;
import io.spillway.spill.Spill;
import io.spillway.spill.SpillConfig;
import io.spillway.spill.SpillKind;
import io.spillway.spill.SpillListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;

/** Opens an appender's spill where its settings say, and turns what happens there into counters. */
final class SpillOpener implements SpillListener {
  private final Counters counters;
  private final Reports reports;

  SpillOpener(Counters counters, Reports reports) {
    this.counters = counters;
    this.reports = reports;
  }

  /** The outcome: whether the appender may start, and its spill, null if it has to do without. */
  record Opened(boolean startable, Spill spill) {}

  /**
   * Opens the spill. A directory that was asked for must work; without the default one the appender
   * starts all the same, with memory only, since a read-only file system must not cost the log.
   *
   * @param destination true once all it has taken is on the disk; asked if {@code spillSync} is set
   */
  Opened open(
      ContextAware to,
      Settings.Checked settings,
      SpillKind kind,
      Path defaultDirectory,
      BooleanSupplier destination) {
    boolean asked = !settings.spillDirectory().isEmpty();
    Path directory = asked ? Path.of(settings.spillDirectory()) : defaultDirectory;
    SpillConfig config =
        new SpillConfig(
            directory,
            settings.maxSpillBytes(),
            kind,
            settings.syncNanos(),
            SpillDirectories.owner(to, defaultDirectory));
    try {
      return new Opened(true, Spill.open(config, this, destination));
    } catch (IOException | RuntimeException e) {
      String what = "The spill directory [" + directory.toAbsolutePath() + "] cannot be used: " + e;
      if (asked) {
        to.addError(
            "Setting [spillDirectory] has the value ["
                + settings.spillDirectory()
                + "]; allowed: a directory that can be created and written. The appender is not"
                + " started. "
                + what,
            e);
      } else {
        to.addWarn(
            what
                + ". The appender starts without a spill: when the memory buffer is full, whenFull"
                + " decides. To do: set spillDirectory to a directory that can be written.",
            e);
      }
      return new Opened(!asked, null);
    }
  }

  @Override
  public void leftoversFound(int segments, long bytes) {
    reports.info(
        "An earlier run left "
            + bytes
            + " bytes in "
            + segments
            + " spill segments; they are delivered first.");
  }

  @Override
  public void recordsLost(long events, Path segment, String why, boolean leftover) {
    counters.lost(LossCause.SPILL_DAMAGED, events, leftover);
    reports.error(
        "spill.damage",
        "Spill segment ["
            + segment
            + "] is damaged ("
            + why
            + "): "
            + events
            + " events are lost (SPILL_DAMAGED), a copy is kept as .corrupt.",
        null);
  }

  @Override
  public void failed(String operation, Path path, IOException cause) {
    counters.spillFailure();
    reports.warn( // it passes, and an ERROR status ends the start of a Spring Boot application
        "spill.io",
        "Cannot "
            + operation
            + " spill file ["
            + path
            + "]; events stay in memory and it is tried again. To do: check the disk's space and"
            + " health. ("
            + cause
            + ")");
  }

  @Override
  public void recovered(String operation) {
    reports.info("spill.recovered", "The spill works again (" + operation + ").");
  }

  @Override
  public void warning(String message) {
    reports.warn("spill.warning", message);
  }

  @Override
  public void notice(String message) {
    reports.info("spill.notice", message);
  }
}
