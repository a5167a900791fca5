package io.spillway.stress.plan;

import java.util.List;
import java.util.Locale;

/**
 * One figure of a calibration.
 *
 * @param what its name, with its unit
 * @param done what the appender did
 * @param measured what the harness saw
 * @param deviation from one to the other: a number of events, or percent
 * @param ok whether they agree
 */
public record CalibrationFigure(
    String what, double done, double measured, String deviation, boolean ok) {

  /** Names of the cells of a row. */
  public static final List<String> HEADER =
      List.of("figure", "done", "measured", "deviation", "ok");

  private static final double TOLERANCE = 0.05;

  /** A count, which must be exact. */
  static CalibrationFigure count(String what, long done, long measured) {
    String deviation = String.format(Locale.ROOT, "%+d", measured - done);
    return new CalibrationFigure(what, done, measured, deviation, done == measured);
  }

  /** A count of something that must have happened, or its figure would show nothing. */
  static CalibrationFigure occurred(String what, long done, long measured) {
    CalibrationFigure figure = count(what, done, measured);
    return done > 0 ? figure : new CalibrationFigure(what, done, measured, "never done", false);
  }

  /** A time, which must come out within 5 %. */
  static CalibrationFigure time(String what, double done, double measured) {
    double deviation = done > 0 ? (measured - done) / done : Double.NaN;
    String percent = String.format(Locale.ROOT, "%+.2f %%", 100 * deviation);
    return new CalibrationFigure(what, done, measured, percent, Math.abs(deviation) <= TOLERANCE);
  }

  /** The cells of its row. */
  public List<String> row() {
    return List.of(what, number(done), number(measured), deviation, ok ? "ok" : "WRONG");
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.3f", value);
  }
}
