package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A run of services under load: what is written to {@code result.json}.
 *
 * @param schema name and version of this layout
 * @param startedAt ISO-8601 instant
 * @param seconds how long the run took
 * @param commandLine arguments of the command line
 * @param scenario the scenario, with published figures of comparable set-ups; the counterpart of
 *     each is measured in a trial
 * @param calibration the calibration that chose the rate, or null if there was none
 * @param machine the machine on which it ran
 * @param trials the trials in the order in which they ran
 * @param verdict the verdict on the run
 * @param reasons why the verdict is not {@code passed}
 */
public record ServiceResult(
    String schema,
    String startedAt,
    double seconds,
    List<String> commandLine,
    RunResult.Scenario scenario,
    Calibration calibration,
    RunResult.Machine machine,
    List<Trial> trials,
    Judge.Verdict verdict,
    List<String> reasons) {

  /** The layout that this version writes. */
  public static final String SCHEMA = "spillway-stress/service/1";

  /** Returns the exit code for the verdict, with the values of {@link RunResult#exitCode()}. */
  public int exitCode() {
    return switch (verdict) {
      case PASSED -> 0;
      case VIOLATED -> 1;
      case INCONCLUSIVE -> 3;
    };
  }

  /**
   * Returns the verdict on a run: violated if a subject is violated; otherwise inconclusive if a
   * trial is inconclusive or there is none.
   */
  public static Judge.Verdict verdictOf(List<Trial> trials) {
    boolean violated =
        trials.stream()
            .anyMatch(
                trial ->
                    trial.role() == TrialResult.Role.SUBJECT
                        && trial.verdict() == Judge.Verdict.VIOLATED);
    if (violated) {
      return Judge.Verdict.VIOLATED;
    }
    boolean doubtful =
        trials.isEmpty()
            || trials.stream().anyMatch(trial -> trial.verdict() == Judge.Verdict.INCONCLUSIVE);
    return doubtful ? Judge.Verdict.INCONCLUSIVE : Judge.Verdict.PASSED;
  }

  /** Returns the table at the top of the terminal output and of {@code report.md}, header first. */
  public List<List<String>> table() {
    List<ServiceFigure> columns = new ArrayList<>();
    for (ServiceFigure figure : ServiceFigure.values()) {
      if (trials.stream().anyMatch(trial -> figure.of(trial) != null)) {
        columns.add(figure);
      }
    }
    List<List<String>> rows = new ArrayList<>();
    List<String> header = new ArrayList<>(List.of("trial"));
    columns.forEach(figure -> header.add(figure.toString()));
    header.add("verdict");
    rows.add(header);
    for (Trial trial : trials) {
      List<String> row = new ArrayList<>(List.of(trial.name()));
      columns.forEach(figure -> row.add(figure.text(trial)));
      row.add(trial.verdict().toString());
      rows.add(row);
    }
    return rows;
  }

  /**
   * Returns a line for each trial that names the frames under which threads were held up, the
   * costliest first.
   */
  public List<String> culprits() {
    List<String> lines = new ArrayList<>();
    for (Trial trial : trials) {
      StringBuilder line = new StringBuilder(trial.name()).append(": ");
      if (trial.figures() == null) {
        line.append(String.join("; ", trial.reasons()));
      } else if (trial.figures().heldUp().isEmpty()) {
        line.append("nothing held threads up");
      } else {
        String separator = "";
        for (HeldUp frame : trial.figures().heldUp()) {
          line.append(separator)
              .append(
                  String.format(
                      Locale.ROOT,
                      "%s %.2f thread-s of %d threads",
                      frame.frame(),
                      frame.threadSeconds(),
                      frame.threads()));
          separator = "; ";
        }
      }
      if (trial.figures() != null) {
        trial.figures().notes().forEach(note -> line.append(" (").append(note).append(')'));
      }
      lines.add(line.toString());
    }
    return lines;
  }

  /** Returns a table of published figures beside measured ones, header first. */
  public List<List<String>> publishedTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(RunResult.Published.HEADER);
    scenario.published().forEach(figure -> rows.add(figure.row()));
    return rows;
  }

  /**
   * The calibration that chose the rate.
   *
   * @param flatOut requests per second that the service answers without a log, at full speed
   * @param share share of {@code flatOut} that trials use at most
   * @param asked the highest rate that the scenario sets for a trial, in requests per second
   * @param used the rate that this trial was run at, in requests per second
   * @param varied whether the scenario sets different rates for its trials
   */
  public record Calibration(
      double flatOut, double share, double asked, double used, boolean varied) {

    /**
     * Limits the rates of a scenario to what the machine can serve.
     *
     * @param flatOut requests per second that the service answers without a log, at full speed
     * @param share share of {@code flatOut} that trials use at most
     * @param rates rates that the scenario sets for its trials, in requests per second
     */
    public static Calibration of(double flatOut, double share, Collection<Double> rates) {
      double most = rates.stream().mapToDouble(rate -> rate).max().orElse(0);
      boolean varied = rates.stream().distinct().count() > 1;
      return new Calibration(flatOut, share, most, Math.min(most, flatOut * share), varied);
    }

    /** Returns the rate, in requests per second, for a trial that is set to the given rate. */
    public double rate(double wanted) {
      return Math.min(wanted, flatOut * share);
    }

    /** Returns a sentence for readers that gives the rate and how it was chosen. */
    public String describe() {
      String found =
          String.format(
              Locale.ROOT,
              "Just after its start, without a log, this service answers %,.0f requests/s on this"
                  + " machine, client included (more once its JVM has compiled all of it); ",
              flatOut);
      if (used < asked) {
        return found
            + String.format(
                Locale.ROOT,
                "so instead of %s%,.0f/s each trial is asked %s%.0f %% of that, %,.0f/s.",
                varied ? "up to " : "",
                asked,
                varied ? "at most " : "",
                share * 100,
                used);
      }
      return found
          + (varied
              ? "each trial is asked its own rate, as the scenario says."
              : String.format(
                  Locale.ROOT, "each trial is asked %,.0f/s, as the scenario says.", asked));
    }
  }

  /**
   * One trial.
   *
   * @param name its name
   * @param role why it was run
   * @param settings all settings of the trial
   * @param configuration the configuration of its log, verbatim, or null if it has none
   * @param figures what was measured, or null if nothing was
   * @param verdict the verdict by its limits
   * @param reasons why the verdict is not {@code passed}
   */
  public record Trial(
      String name,
      TrialResult.Role role,
      Object settings,
      String configuration,
      Figures figures,
      Judge.Verdict verdict,
      List<String> reasons) {}

  /**
   * The figures measured in a trial.
   *
   * @param responses response times of all requests, from when each was due
   * @param rotating response times of requests that were due in seconds with a part of the
   *     rotation, or null if there were none
   * @param requestsPerSecond requests answered per second
   * @param failed requests that got no answer of 200
   * @param unmade requests that were due and not made
   * @param rotationSeconds seconds from the trigger to the finished archive, or null
   * @param cpuMicrosPerRequest processor time of the application per request
   * @param gcShare share of the time that collections took
   * @param residentBytes the most memory that was resident, or null
   * @param heldUpSecondsPerMinute thread-seconds held up inside log calls per minute of load
   * @param loggingShare share of log calls in all time that threads were held up; null if none was
   *     held up
   * @param logged log calls that returned
   * @param lost lines of returned log calls that are in no file
   * @param highestRate the highest rate within the limit of the search, or null without a search
   * @param heldUp frames under which threads were held up, the costliest first
   * @param counters further figures, by name
   * @param notes what a reader must know of these figures
   */
  public record Figures(
      Responses responses,
      Responses rotating,
      double requestsPerSecond,
      long failed,
      long unmade,
      Double rotationSeconds,
      double cpuMicrosPerRequest,
      double gcShare,
      Long residentBytes,
      double heldUpSecondsPerMinute,
      Double loggingShare,
      long logged,
      long lost,
      Double highestRate,
      List<HeldUp> heldUp,
      Map<String, Double> counters,
      List<String> notes) {}

  /**
   * Response times in milliseconds; a percentile is null if the requests are too few for it.
   *
   * @param count number of requests
   */
  public record Responses(long count, Double p50, Double p99, Double p999, double worst) {}

  /**
   * Threads held up at one frame.
   *
   * @param frame class and method
   * @param logging whether the frame was inside a log call
   * @param threadSeconds sum over all threads
   * @param threads number of threads
   * @param heldBy the thread that held the monitor, or null
   */
  public record HeldUp(
      String frame, boolean logging, double threadSeconds, int threads, String heldBy) {}
}
