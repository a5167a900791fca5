package io.spillway.dropwizard;

import io.spillway.examples.testkit.ForkedApp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Requests a second of Dropwizard over loopback with its default request log (a file behind a queue
 * of 256), with Spillway's, and with none: in turn, several times, each time in a JVM of its own.
 * Every line of the log is counted. Beside it, where the processor time of a request goes.
 *
 * <p>A server is measured once its compilers are quiet, first with one connection: under full load
 * on two cores they get so little of the processors that after a minute most is still interpreted
 * or instrumented code.
 */
public final class RequestLogBenchmark {
  private static final Pattern PORT = Pattern.compile("Started application@.*:(\\d+)}");
  private static final int CLIENTS = 64;
  private static final int LOOK_SECONDS = 3;

  /** So many looks after each other at compilers that take less than this of a core. */
  private static final int QUIET_LOOKS = 2;

  private static final double QUIET_SHARE = 0.02;

  /** What is compared. */
  private enum Log {
    NONE(""),
    DROPWIZARD("{type: file, %s}"),
    SPILLWAY("{type: spillway, %s}");

    private final String appender;

    Log(String appender) {
      this.appender = appender;
    }

    String yaml(Path logs) {
      String files =
          "currentLogFilename: %1$s/access.log, archivedLogFilenamePattern: %1$s/access.%%d.log.gz"
              .formatted(logs);
      return """
      server:
        applicationConnectors: [{type: http, port: 0}]
        adminConnectors: [{type: http, port: 0}]
        requestLog: {appenders: [%s]}
      logging:
        appenders: [{type: file, currentLogFilename: %s/app.log, archive: false}]
      """
          .formatted(appender.formatted(files), logs);
    }
  }

  private final int warmUpLooks;
  private final int seconds;

  private RequestLogBenchmark(int warmUpSeconds, int seconds) {
    warmUpLooks = warmUpSeconds / LOOK_SECONDS;
    this.seconds = seconds;
  }

  /** Of one server: its rate, and microseconds of processor time a request, by who took them. */
  private record Figures(double rate, Map<String, Double> micros) {}

  /** Arguments: rounds (5), seconds of each warm-up at most (60), seconds measured (10). */
  public static void main(String[] arguments) throws Exception {
    int[] numbers = {5, 60, 10};
    for (int i = 0; i < arguments.length; i++) {
      numbers[i] = Integer.parseInt(arguments[i]);
    }
    new RequestLogBenchmark(numbers[1], numbers[2]).run(numbers[0]);
  }

  private void run(int rounds) throws Exception {
    Map<Log, List<Figures>> all = new EnumMap<>(Log.class);
    for (int round = 1; round <= rounds; round++) {
      for (Log log : Log.values()) {
        Figures figures = trial(log);
        all.computeIfAbsent(log, l -> new ArrayList<>()).add(figures);
        System.out.printf("round %d  %-10s %8.0f requests/s%n", round, log, figures.rate);
      }
    }
    printMicros(all);
    System.out.printf(
        "medians: none %.0f, Dropwizard %.0f, Spillway %.0f requests/s%n",
        medianRate(all.get(Log.NONE)),
        medianRate(all.get(Log.DROPWIZARD)),
        medianRate(all.get(Log.SPILLWAY)));
    printRatio("Spillway / Dropwizard (bar 1.3)", all, Log.SPILLWAY, Log.DROPWIZARD);
    printRatio("Spillway / none (bar 0.9)", all, Log.SPILLWAY, Log.NONE);
    printRatio("Dropwizard / none", all, Log.DROPWIZARD, Log.NONE);
  }

  /** Round by round, for a machine that changes its pace does so for both; then their median. */
  private static void printRatio(String what, Map<Log, List<Figures>> all, Log one, Log other) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < all.get(one).size(); round++) {
      ratios.add(all.get(one).get(round).rate / all.get(other).get(round).rate);
    }
    System.out.printf("%s: %.2f  [", what, median(ratios));
    ratios.forEach(ratio -> System.out.printf(" %.2f", ratio));
    System.out.println(" ]");
  }

  private static void printMicros(Map<Log, List<Figures>> all) {
    System.out.println(
        "processor time a request in microseconds, medians: none, Dropwizard, Spillway");
    for (String group : all.get(Log.SPILLWAY).get(0).micros.keySet()) {
      System.out.printf("  %-28s", group);
      for (Log log : Log.values()) {
        System.out.printf(
            " %8.2f",
            median(all.get(log).stream().map(f -> f.micros.getOrDefault(group, 0.0)).toList()));
      }
      System.out.println();
    }
  }

  private static double medianRate(List<Figures> figures) {
    return median(figures.stream().map(Figures::rate).toList());
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private Figures trial(Log log) throws Exception {
    Path directory = Files.createTempDirectory("request-log");
    Path logs = Files.createDirectory(directory.resolve("logs"));
    Path yaml = Files.writeString(directory.resolve("ping.yml"), log.yaml(logs));
    try (ForkedApp server =
        ForkedApp.start(
            directory,
            // as in production, unlike in tests
            List.of("-Xmx512m", "-XX:TieredStopAtLevel=4", "-XX:-UseSerialGC", "-XX:+UseG1GC"),
            PingApplication.class,
            "server",
            yaml.toString())) {
      int port = server.awaitPort("app.log", PORT);
      PingLoad one = new PingLoad(port, 1);
      warmUp(server.pid());
      long answered = one.stop();
      PingLoad all = new PingLoad(port, CLIENTS);
      warmUp(server.pid());
      Figures figures = load(all, server.pid());
      answered += all.stop();
      server.terminate();
      server.awaitEnd();
      assertLogged(log, logs.resolve("access.log"), answered);
      return figures;
    } finally {
      delete(directory);
    }
  }

  private Figures load(PingLoad load, long server) throws Exception {
    ThreadTimes serverBefore = ThreadTimes.of(server);
    ThreadTimes clientsBefore = ThreadTimes.of(ProcessHandle.current().pid());
    long answeredBefore = load.answered();
    TimeUnit.SECONDS.sleep(seconds);
    long measured = load.answered() - answeredBefore;
    ThreadTimes clientsAfter = ThreadTimes.of(ProcessHandle.current().pid());
    ThreadTimes serverAfter = ThreadTimes.of(server);
    Map<String, Double> micros = serverAfter.since(serverBefore, measured);
    micros.put("all of the server", ThreadTimes.total(micros));
    Map<String, Double> ofClients = clientsAfter.since(clientsBefore, measured);
    micros.put("all of the clients", ThreadTimes.total(ofClients));
    return new Figures((double) measured / seconds, micros);
  }

  /** Until the compilers have nothing left to do, or for so long that they never will. */
  private void warmUp(long server) throws Exception {
    ThreadTimes before = ThreadTimes.of(server);
    int quiet = 0;
    for (int looks = 0; looks < warmUpLooks && quiet < QUIET_LOOKS; looks++) {
      TimeUnit.SECONDS.sleep(LOOK_SECONDS);
      ThreadTimes now = ThreadTimes.of(server);
      double share = now.since(before, 1).getOrDefault("compiler", 0.0) / LOOK_SECONDS / 1e6;
      quiet = share < QUIET_SHARE ? quiet + 1 : 0;
      before = now;
    }
    if (quiet < QUIET_LOOKS) {
      System.out.println("  The compilers were still busy after the warm-up.");
    }
  }

  private static void assertLogged(Log log, Path file, long answered) throws IOException {
    long expected = log == Log.NONE ? 0 : answered;
    long lines = 0;
    if (Files.exists(file)) {
      try (Stream<String> all = Files.lines(file)) {
        lines = all.count();
      }
    }
    if (lines != expected) {
      throw new AssertionError(log + " has " + lines + " lines of " + expected + " requests");
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
