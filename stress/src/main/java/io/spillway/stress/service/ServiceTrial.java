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
 * @param name its name in results
 * @param role whether it is Spillway's
 * @param application the service
 * @param log the rollover trial whose logging configuration is used, or null for no log
 * @param client the load
 * @param cpus processors that it may use, as {@code taskset -c} takes them, or null for all
 * @param heap for {@code -Xmx}
 * @param containerBytes memory that the whole process may use, or 0 for no limit
 * @param rotationBytes size at which its log file rolls over during the load, or 0 for no rotation
 * @param stall stall of the log's disk, or null for none
 * @param limits the limits that it must keep
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

  /** The kinds of services. */
  public static final List<String> KINDS = List.of("price-api", "push", "ingest", "request-log");

  /**
   * The service and its work.
   *
   * @param kind one of {@link #KINDS}, implemented in {@code stress/services}
   * @param threads threads for requests
   * @param work settings of the work of a request
   */
  public record Application(String kind, int threads, Map<String, String> work) {

    /**
     * Settings of the work that the harness computes with: number and length of the lines of a
     * request.
     */
    public static final Set<String> COUNTS = Set.of("lines", "lineBytes");

    int number(String setting, int otherwise) {
      return Integer.parseInt(work.getOrDefault(setting, Integer.toString(otherwise)));
    }
  }

  /**
   * The load of a client.
   *
   * @param rate requests per second, each with a due time; 0 for a closed loop
   * @param connections number of connections; in a closed loop each sends a request as soon as the
   *     previous one is answered
   * @param post whether requests have a body
   * @param warmUpSeconds length of the load before measuring begins
   * @param seconds length of the measured load
   * @param search search for the highest rate after the measured load, or null for none
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
   * A search for the highest rate at which response times stay within a limit.
   *
   * @param p99Millis the limit of the 99th percentile
   * @param fromRate the first rate
   * @param stepSeconds how long each rate is tried
   */
  public record Search(double p99Millis, double fromRate, double stepSeconds) {}

  /**
   * A stall of the disk.
   *
   * @param after seconds of the measured time before it
   * @param seconds its length
   */
  public record Stall(double after, double seconds) {}

  /**
   * The limits of a trial.
   *
   * @param heldUpSecondsPerMinute thread-seconds held up in log calls per minute of load
   * @param loss lines that may be lost
   * @param p99Millis 99th percentile of response times, or null for no limit
   */
  public record Limits(double heldUpSecondsPerMinute, long loss, Double p99Millis) {}

  /** Returns the name of the directories for its files. */
  public String folder() {
    return name.replaceAll("[^\\p{L}\\p{N}]+", "-");
  }

  /**
   * Parses a list of processors.
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

  /** Returns a copy of this trial with another rate. */
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

  /** Returns a trial of the same service at full speed, for the given seconds and without a log. */
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
