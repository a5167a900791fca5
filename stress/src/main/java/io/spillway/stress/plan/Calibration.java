package io.spillway.stress.plan;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.stress.report.Conservation;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Role;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Compares what the calibration appender did on purpose with what the harness has seen. */
public final class Calibration {

  private static final double PARK_TOLERANCE = 0.05;
  private static final String REPORT = "calibration.json";

  private Calibration() {}

  /** A trial with every fault. Being found out is what is asked of it. */
  public static Trial trial() {
    return Trials.calibration(
        "calibration", Role.PEER, Map.of("calibration.faults", "park,drop,duplicate,swap,tear"));
  }

  /**
   * One figure.
   *
   * @param what its name
   * @param injected what the appender did
   * @param measured what the harness saw
   * @param right whether they agree: counts exactly, park time within 5 %
   */
  public record Figure(String what, double injected, double measured, boolean right) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%-20s injected %10.3f  measured %10.3f  %s",
          what,
          injected,
          measured,
          right ? "right" : "WRONG");
    }
  }

  /** All figures of a calibration trial, whose report lies beside the run's result. */
  public static List<Figure> check(TrialResult trial, Path resultFile) throws IOException {
    if (trial.load() == null) {
      return List.of(new Figure("trial: " + trial.reasons(), 1, 0, false));
    }
    Path report =
        resultFile.resolveSibling(TrialRunner.label(trial.name(), trial.repeat())).resolve(REPORT);
    JsonNode injected = Json.read(report, JsonNode.class);
    Conservation events = trial.readBack().conservation();
    double drops = injected.get("drop").asDouble();
    double tears = injected.get("tear").asDouble();
    List<Figure> figures = new ArrayList<>();
    figures.add(caught("lost", drops + tears, events.lost()));
    figures.add(caught("duplicated", injected.get("duplicate").asDouble(), events.duplicated()));
    figures.add(caught("out of order", injected.get("swap").asDouble(), events.outOfOrder()));
    figures.add(caught("torn", tears, events.torn()));
    figures.add(caught("parks", injected.get("park").asDouble(), trial.parks().events()));
    figures.add(absent("unknown", events.unknown()));
    figures.add(absent("prefill damaged", trial.readBack().prefillIntact() ? 0 : 1));
    figures.add(absent("rotations missed", trial.load().rotation().complete() ? 0 : 1));
    double parked = injected.get("parkedNanos").asDouble() / 1e9;
    figures.add(near("parked thread-s", parked, trial.parks().threadSeconds()));
    return figures;
  }

  /** A fault that was never committed shows nothing. */
  private static Figure caught(String what, double injected, double measured) {
    return new Figure(what, injected, measured, injected > 0 && injected == measured);
  }

  private static Figure absent(String what, double measured) {
    return new Figure(what, 0, measured, measured == 0);
  }

  private static Figure near(String what, double injected, double measured) {
    boolean right = injected > 0 && Math.abs(measured - injected) <= PARK_TOLERANCE * injected;
    return new Figure(what, injected, measured, right);
  }
}
