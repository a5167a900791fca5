package io.spillway.stress.watch;

import io.spillway.stress.report.HtmlPage;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.RunResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The figures of a watch.
 *
 * @param schema name and version of this format
 * @param pid the process that was watched
 * @param target its Java version and main class
 * @param startedAt when the watch began, ISO 8601
 * @param seconds how long it took
 * @param complete false if the flight recorder lost events
 * @param notes what a reader should know of the figures
 * @param threadsByState threads by state at the end
 * @param heldUp places where threads were held up, the costliest first; those that sleep by
 *     themselves come last
 * @param waitingForWork places where threads waited for work or slept by their own schedule
 * @param machine the machine on which the watch ran
 */
public record WatchFigures(
    String schema,
    long pid,
    String target,
    String startedAt,
    double seconds,
    boolean complete,
    List<String> notes,
    Map<Thread.State, Integer> threadsByState,
    List<Group> heldUp,
    List<Group> waitingForWork,
    RunResult.Machine machine) {

  /** Name and version of the format. */
  public static final String SCHEMA = "spillway-stress/watch/1";

  /** The file that holds the figures as they are. */
  static final String JSON = "watch.json";

  /** The page with the figures, in one file that needs no network. */
  static final String PAGE = "watch.html";

  /** Writes both files into a directory. */
  void write(Path directory) throws IOException {
    Json.write(directory.resolve(JSON), this);
    HtmlPage.write(directory.resolve(PAGE), "Process " + pid + " watched", "watch.js", this);
  }

  /**
   * Waits at one frame.
   *
   * @param reason {@code LOGGING}, {@code OTHER} or {@code IDLE}
   * @param frame class and method
   * @param call the JDK's method that waited for most of the time, or {@code monitor}
   * @param threads number of different threads, up to {@value Tally#MOST_THREADS}
   * @param threadsAtOnce the most of them at the same moment
   * @param threadsNow number of threads in the last thread dump
   * @param waits number of waits that the flight recorder reported
   * @param threadSeconds sum of all waits, with those that only thread dumps show
   * @param sampledThreadSeconds the part that only thread dumps show
   * @param maxSeconds the longest wait
   * @param heldBy the thread that most often held the monitor and its frame, or null
   * @param stack a stack with that call, the innermost frame first
   * @param threadSecondsBySecond thread-seconds in each second of the watch
   */
  public record Group(
      String reason,
      String frame,
      String call,
      int threads,
      int threadsAtOnce,
      int threadsNow,
      long waits,
      double threadSeconds,
      double sampledThreadSeconds,
      double maxSeconds,
      String heldBy,
      List<String> stack,
      List<Double> threadSecondsBySecond) {

    Place.Key key() {
      return new Place.Key(Place.Reason.valueOf(reason), frame);
    }

    boolean idle() {
      return reason.equals(Place.Reason.IDLE.name());
    }

    /** Returns whether its threads sleep, so that nothing holds them up. */
    boolean sleeps() {
      return call.endsWith(".sleep");
    }

    /** Returns whether the waits are inside a log call. */
    public boolean logging() {
      return reason.equals(Place.Reason.LOGGING.name());
    }
  }
}
