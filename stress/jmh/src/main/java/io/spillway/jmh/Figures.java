package io.spillway.jmh;

import static java.util.stream.Collectors.groupingBy;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;

/**
 * The figures of all rounds, as Markdown. A figure of a round is the median of its iterations in
 * all forks, taken from each iteration's result: JMH itself adds secondary figures up.
 */
final class Figures {
  private static final String SUBJECT = "subject";
  private static final String EVENTS_PER_SECOND = "eventsPerSecond"; // more of it is better

  /** A benchmark with its parameters, and whose code it runs. */
  private record Case(String benchmark, Map<String, String> parameters, String subject) {
    private static Case of(BenchmarkParams params) {
      Map<String, String> parameters = new TreeMap<>();
      params.getParamsKeys().forEach(key -> parameters.put(key, params.getParam(key)));
      String subject = parameters.remove(SUBJECT);
      String benchmark = params.getBenchmark().replaceAll(".*[.](?=[A-Z])", "");
      return new Case(benchmark, parameters, subject == null ? "SPILLWAY" : subject);
    }

    private boolean isPeerOf(Case other) {
      return !subject.startsWith("SPILLWAY") && parameters.equals(other.parameters);
    }
  }

  /** For each case and name of a figure, the figure of each round. */
  private final Map<Case, Map<String, List<Double>>> rounds = new LinkedHashMap<>();

  /** Adds the results of a round. */
  void add(Collection<RunResult> round) {
    for (RunResult result : round) {
      Map<String, List<Double>> iterations = new TreeMap<>();
      for (BenchmarkResult fork : result.getBenchmarkResults()) {
        for (IterationResult iteration : fork.getIterationResults()) {
          figures(iteration).forEach((name, value) -> append(iterations, name, value));
        }
      }
      Map<String, List<Double>> figures =
          rounds.computeIfAbsent(Case.of(result.getParams()), key -> new TreeMap<>());
      iterations.forEach((name, values) -> append(figures, name, median(values)));
    }
  }

  private static void append(Map<String, List<Double>> all, String name, double value) {
    all.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
  }

  private static Map<String, Double> figures(IterationResult iteration) {
    Map<String, Double> figures = new TreeMap<>();
    iteration.getSecondaryResults().forEach((name, result) -> figures.put(name, result.getScore()));
    if (iteration.getBenchmarkParams().getMode() == Mode.Throughput) {
      figures.put(EVENTS_PER_SECOND, iteration.getPrimaryResult().getScore());
    }
    return figures;
  }

  private static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /**
   * Returns a table for each benchmark, with a row for each case: its parameters, the median of
   * each figure over the rounds, and how the first figure compares with the best peer's.
   */
  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append(
            "Medians of the rounds. Last: the first figure beside that of the best peer, round by")
        .append(" round: median of the ratios (and their range).\n");
    rounds.keySet().stream()
        .collect(groupingBy(Case::benchmark, LinkedHashMap::new, Collectors.toList()))
        .forEach((benchmark, cases) -> table(text, benchmark, cases));
    return text.toString();
  }

  private void table(StringBuilder text, String benchmark, List<Case> cases) {
    List<String> parameters =
        cases.get(0).parameters.keySet().stream().filter(key -> isVaried(key, cases)).toList();
    List<String> names =
        rounds.get(cases.get(0)).keySet().stream()
            .sorted(Comparator.comparing(name -> !name.equals(EVENTS_PER_SECOND)))
            .toList();
    List<String> head = new ArrayList<>(parameters);
    head.add(SUBJECT);
    names.forEach(
        name -> head.add(name.replaceAll("(?<=[a-z])(?=[A-Z])", " ").toLowerCase(Locale.ROOT)));
    head.add("to the best peer");
    text.append("\n### ").append(benchmark).append("\n\n");
    line(text, head);
    line(text, Collections.nCopies(head.size(), "---:"));
    for (Case row : cases) {
      List<String> cells = new ArrayList<>();
      parameters.forEach(key -> cells.add(row.parameters.get(key)));
      cells.add(row.subject);
      names.forEach(name -> cells.add(number(median(figures(row, name)))));
      cells.add(ratio(row, names.get(0), cases));
      line(text, cells);
    }
  }

  private static void line(StringBuilder text, List<String> cells) {
    text.append("| ").append(String.join(" | ", cells)).append(" |\n");
  }

  private static boolean isVaried(String parameter, List<Case> cases) {
    return cases.stream().map(row -> row.parameters.get(parameter)).distinct().count() > 1;
  }

  private List<Double> figures(Case row, String name) {
    return rounds.get(row).get(name);
  }

  /**
   * Returns the ratio of a figure to that of the best peer, which is the one with the best median:
   * computed round by round, because a disturbance of the machine slows down all figures of a
   * round. The median of the ratios, then their range.
   */
  private String ratio(Case row, String name, List<Case> cases) {
    Comparator<Case> worse = Comparator.comparingDouble(other -> median(figures(other, name)));
    List<Double> best =
        cases.stream()
            .filter(other -> other.isPeerOf(row))
            .max(name.equals(EVENTS_PER_SECOND) ? worse : worse.reversed())
            .map(peer -> figures(peer, name))
            .orElse(List.of());
    List<Double> own = figures(row, name);
    List<Double> ratios =
        IntStream.range(0, best.size()).mapToObj(i -> own.get(i) / best.get(i)).sorted().toList();
    return ratios.isEmpty()
        ? ""
        : String.format(
            Locale.ROOT,
            "%.2f (%.2f to %.2f)",
            median(ratios),
            ratios.get(0),
            ratios.get(ratios.size() - 1));
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value < 100 ? "%.2f" : "%,.0f", value);
  }
}
