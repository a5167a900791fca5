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
 * @param commandLine what was asked
 * @param scenario what was run, and what was published of its like; each figure is of a trial
 * @param calibration by which the rate was chosen, or null if it was not
 * @param machine where it ran
 * @param trials in their order
 * @param verdict of the run
 * @param reasons why it is not {@code passed}
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

  /** Exit code for each verdict, as of every run. */
  public int exitCode() {
    return switch (verdict) {
      case PASSED -> 0;
      case VIOLATED -> 1;
      case INCONCLUSIVE -> 3;
    };
  }

  /** A run is as good as its subjects, and needs every trial to have shown something. */
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

  /** What the terminal and {@code report.md} begin with. */
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

  /** Under which frames each trial's threads were held up, the costliest first. */
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

  /** A published figure beside the measured one, as text. */
  public List<List<String>> publishedTable() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(RunResult.Published.HEADER);
    scenario.published().forEach(figure -> rows.add(figure.row()));
    return rows;
  }

  /**
   * How the rate was chosen.
   *
   * @param flatOut requests a second that the service answers without a log, as fast as it can
   * @param share of that which is asked at most
   * @param asked requests a second that the scenario wants, of the trial that it wants most of
   * @param used requests a second that this trial was asked
   * @param varied whether the scenario wants different rates
   */
  public record Calibration(
      double flatOut, double share, double asked, double used, boolean varied) {

    /**
     * Cuts what is too much for the machine.
     *
     * @param rates requests a second that trials want
     */
    public static Calibration of(double flatOut, double share, Collection<Double> rates) {
      double most = rates.stream().mapToDouble(rate -> rate).max().orElse(0);
      boolean varied = rates.stream().distinct().count() > 1;
      return new Calibration(flatOut, share, most, Math.min(most, flatOut * share), varied);
    }

    /** What a trial is asked whose settings say that many requests a second. */
    public double rate(double wanted) {
      return Math.min(wanted, flatOut * share);
    }

    /** In one sentence. */
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
   * @param name of it
   * @param role why it was run
   * @param settings everything that was chosen for it
   * @param configuration of its log, verbatim, or null
   * @param figures what was measured, or null
   * @param verdict against its limits
   * @param reasons why that is not {@code passed}
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
   * What was measured of a trial.
   *
   * @param responses response times of all requests, from when each was due
   * @param rotating those that were due in seconds with a part of the rotation, or null
   * @param requestsPerSecond answered
   * @param failed requests that got no answer of 200
   * @param unmade requests that were due and not made
   * @param rotationSeconds from the trigger to the finished archive, or null
   * @param cpuMicrosPerRequest processor time of the application
   * @param gcShare of the time that collections took
   * @param residentBytes the most memory that was resident, or null
   * @param heldUpSecondsPerMinute thread-seconds inside log calls, a minute of load
   * @param loggingShare of all time that threads were held up, that inside log calls; null if they
   *     were not
   * @param logged log calls that returned
   * @param lost of these, lines that are in no file
   * @param highestRate within the limit of the search, or null
   * @param heldUp frames that held threads up, the costliest first
   * @param counters what else is known, by name
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
   * Response times in milliseconds; a percentile that too few requests stand behind is null.
   *
   * @param count of requests
   */
  public record Responses(long count, Double p50, Double p99, Double p999, double worst) {}

  /**
   * Threads held up at one frame.
   *
   * @param frame class and method
   * @param logging whether inside a log call
   * @param threadSeconds in all
   * @param threads how many
   * @param heldBy who held the monitor, or null
   */
  public record HeldUp(
      String frame, boolean logging, double threadSeconds, int threads, String heldBy) {}
}
