package io.spillway.stress.service;

import io.spillway.stress.plan.Trial;
import io.spillway.stress.report.TrialResult;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * A service, its log, and the load that it is put under.
 *
 * @param name how it is called in results
 * @param role whether it is Spillway's
 * @param application what it runs
 * @param log what its log calls go to, or null if nowhere
 * @param client what it is asked
 * @param cpus processors that it may use, as {@code taskset -c} takes them, or null for all
 * @param heap for {@code -Xmx}
 * @param containerBytes of memory that the whole process may use, or 0 for no limit
 * @param rotationBytes at which its log file rolls over during the load, or 0 for no rotation
 * @param stall of the disk that the log is on, or null
 * @param limits what it is held to
 */
public record ServiceTrial(
    String name,
    TrialResult.Role role,
    Application application,
    Trial log,
    Client client,
    String cpus,
    String heap,
    long containerBytes,
    long rotationBytes,
    Stall stall,
    Limits limits) {

  /** Of services. */
  public static final List<String> KINDS = List.of("price-api", "push", "ingest", "request-log");

  /**
   * What the service does.
   *
   * @param kind which of those that {@code stress/services} has
   * @param threads for requests
   * @param work settings that it has for a request
   */
  public record Application(String kind, int threads, Map<String, String> work) {

    /** Settings of the work that the tester counts with: what a request logs. */
    public static final Set<String> COUNTS = Set.of("lines", "lineBytes");

    int number(String setting, int otherwise) {
      return Integer.parseInt(work.getOrDefault(setting, Integer.toString(otherwise)));
    }
  }

  /**
   * What it is asked.
   *
   * @param rate requests a second, each with a time at which it is due; 0 for a closed loop
   * @param connections over which; in a closed loop each asks again as soon as it is answered
   * @param post whether requests have a body
   * @param warmUpSeconds of load before anything is measured
   * @param seconds that are measured
   * @param search for the highest rate, after that; or null
   */
  public record Client(
      double rate,
      int connections,
      boolean post,
      double warmUpSeconds,
      double seconds,
      Search search) {

    boolean closedLoop() {
      return rate == 0;
    }
  }

  /**
   * For the highest rate at which response times stay within a limit.
   *
   * @param p99Millis the limit
   * @param fromRate to begin with
   * @param stepSeconds for which each rate is tried
   */
  public record Search(double p99Millis, double fromRate, double stepSeconds) {}

  /**
   * The disk stands still.
   *
   * @param after how many seconds of measuring
   * @param seconds for how long
   */
  public record Stall(double after, double seconds) {}

  /**
   * What is allowed.
   *
   * @param heldUpSecondsPerMinute thread-seconds in log calls, a minute of load
   * @param loss lines
   * @param p99Millis of responses, or null
   */
  public record Limits(double heldUpSecondsPerMinute, long loss, Double p99Millis) {}

  /** Name of the directories that its files are in. */
  public String folder() {
    return name.replaceAll("[^\\p{L}\\p{N}]+", "-");
  }

  /**
   * Processors by their numbers.
   *
   * @param list numbers and ranges, such as {@code 0-1,4}
   */
  static Set<Integer> processors(String list) {
    Set<Integer> processors = new TreeSet<>();
    for (String part : list.split(",")) {
      String[] ends = part.strip().split("-");
      int last = Integer.parseInt(ends[ends.length - 1]);
      IntStream.rangeClosed(Integer.parseInt(ends[0]), last).forEach(processors::add);
    }
    return processors;
  }

  /** The same at another rate. */
  ServiceTrial at(double rate) {
    Client slower =
        new Client(
            rate,
            client.connections,
            client.post,
            client.warmUpSeconds,
            client.seconds,
            client.search);
    return new ServiceTrial(
        name,
        role,
        application,
        log,
        slower,
        cpus,
        heap,
        containerBytes,
        rotationBytes,
        stall,
        limits);
  }

  /** The same service asked as fast as it can, for so many seconds, and without a log. */
  ServiceTrial flatOut(double seconds) {
    Client closed =
        new Client(0, client.connections, client.post, client.warmUpSeconds, seconds, null);
    return new ServiceTrial(
        "calibration",
        role,
        application,
        null,
        closed,
        cpus,
        heap,
        containerBytes,
        0,
        null,
        limits);
  }
}
