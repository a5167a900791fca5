package io.spillway.stress.watch;

import ch.qos.logback.classic.pattern.TargetLengthBasedClassNameAbbreviator;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The output of a watch: the threads that are held up now, redrawn in place on a terminal, one line
 * per dump elsewhere; and the figures at the end of the watch.
 */
final class Screen {

  private static final int ROWS = 12;
  private static final int MOST_ROWS = 15;
  private static final int PARTS = 4;
  private static final int TYPE_WIDTH = 36;
  private static final double NOTEWORTHY_THREAD_SECONDS = 0.0005;

  /** Turns wrapping off: a wrapped line would take two rows, and redrawing counts rows. */
  private static final String NO_WRAP = "\033[?7l";

  private static final String WRAP = "\033[?7h";

  private final PrintStream out;
  private final boolean terminal;
  private final TargetLengthBasedClassNameAbbreviator abbreviator =
      new TargetLengthBasedClassNameAbbreviator(TYPE_WIDTH);
  private final Map<Place.Key, Double> threadSecondsBefore = new HashMap<>();
  private int drawn;

  Screen(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A place, with the thread-seconds it has cost since the previous view. */
  private record Row(WatchFigures.Group group, double gained) {

    boolean quiet() {
      return group.threadsNow() == 0 && gained < NOTEWORTHY_THREAD_SECONDS;
    }
  }

  /** Shows places where threads are held up: logging first, then by cost since the last view. */
  void show(double seconds, Map<Thread.State, Integer> states, List<WatchFigures.Group> heldUp) {
    List<Row> rows = new ArrayList<>();
    for (WatchFigures.Group group : heldUp) {
      Double before = threadSecondsBefore.put(group.key(), group.threadSeconds());
      rows.add(new Row(group, Math.max(0, group.threadSeconds() - (before == null ? 0 : before))));
    }
    rows.sort(
        Comparator.comparing((Row row) -> !row.group().logging())
            .thenComparing(row -> row.group().sleeps())
            .thenComparing(Row::gained, Comparator.reverseOrder()));
    if (terminal) {
      redraw(seconds, states, rows);
    } else {
      out.println(line(seconds, rows));
    }
  }

  private static String line(double seconds, List<Row> rows) {
    List<String> parts = new ArrayList<>();
    int more = 0;
    for (Row row : rows) {
      if (!row.quiet() && parts.size() < PARTS) {
        parts.add(
            String.format(
                Locale.ROOT,
                "%d in %s (+%.3f thread-s)",
                row.group().threadsNow(),
                row.group().frame(),
                row.gained()));
      } else if (!row.quiet()) {
        more++;
      }
    }
    if (more > 0) {
      parts.add("and " + more + " more places");
    }
    String held = parts.isEmpty() ? "nobody is held up" : String.join("; ", parts);
    return String.format(Locale.ROOT, "[%5.1f s] %s", seconds, held);
  }

  private void redraw(double seconds, Map<Thread.State, Integer> states, List<Row> rows) {
    List<String> lines = new ArrayList<>();
    lines.add(String.format(Locale.ROOT, "%.0f s, threads: %s", seconds, states));
    lines.add("  now  threads     thread-s  longest s  frame");
    for (Row row : rows.subList(0, Math.min(ROWS, rows.size()))) {
      WatchFigures.Group group = row.group();
      lines.add(
          String.format(
              Locale.ROOT,
              "%5d  %7d  %,11.3f  %9.3f  %s%s (%s)",
              group.threadsNow(),
              group.threads(),
              group.threadSeconds(),
              group.maxSeconds(),
              group.logging() ? "logging: " : "",
              shortened(Place.Frame.of(group.frame())),
              group.call()));
    }
    StringBuilder text = new StringBuilder(NO_WRAP);
    if (drawn > 0) {
      text.append("\033[").append(drawn).append("A\033[J");
    }
    lines.forEach(line -> text.append(line).append(System.lineSeparator()));
    out.print(text.append(WRAP));
    out.flush();
    drawn = lines.size();
  }

  private String shortened(Place.Frame frame) {
    return new Place.Frame(abbreviator.abbreviate(frame.type()), frame.method()).toString();
  }

  /**
   * Returns the figures at the end of a watch: tables of places where threads were held up, logging
   * first, and a line for threads that waited for work.
   */
  static String summary(WatchFigures figures) {
    StringBuilder text = new StringBuilder();
    List<WatchFigures.Group> logging =
        figures.heldUp().stream().filter(WatchFigures.Group::logging).toList();
    List<WatchFigures.Group> other =
        figures.heldUp().stream().filter(group -> !group.logging()).toList();
    table(text, "Held up in log calls", logging);
    table(text, "Held up elsewhere", other);
    text.append(idle(figures.waitingForWork())).append(System.lineSeparator());
    return text.toString();
  }

  private static String idle(List<WatchFigures.Group> groups) {
    return String.format(
        Locale.ROOT,
        "Waiting for work, no trouble: %d threads in %d places, %s",
        groups.stream().mapToInt(WatchFigures.Group::threads).sum(),
        groups.size(),
        threadSeconds(groups.stream().mapToDouble(WatchFigures.Group::threadSeconds).sum()));
  }

  private static String threadSeconds(double seconds) {
    return String.format(Locale.ROOT, "%,.3f thread-s", seconds);
  }

  private static void table(StringBuilder text, String title, List<WatchFigures.Group> groups) {
    List<WatchFigures.Group> shown =
        groups.stream()
            .filter(group -> group.threadSeconds() >= NOTEWORTHY_THREAD_SECONDS)
            .limit(MOST_ROWS)
            .toList();
    if (shown.isEmpty()) {
      text.append(title).append(": nobody").append(System.lineSeparator());
      return;
    }
    List<String> lines = new ArrayList<>();
    lines.add(title + ":");
    lines.add("     thread-s  threads  at once  longest s     waits  frame");
    for (WatchFigures.Group group : shown) {
      lines.add(
          String.format(
              Locale.ROOT,
              "%,13.3f  %7d  %7d  %9.3f  %8d  %s (%s)",
              group.threadSeconds(),
              group.threads(),
              group.threadsAtOnce(),
              group.maxSeconds(),
              group.waits(),
              group.frame(),
              group.call()));
      if (group.heldBy() != null) {
        lines.add(" ".repeat(55) + "held by " + group.heldBy());
      }
    }
    if (groups.size() > shown.size()) {
      lines.add("  and " + (groups.size() - shown.size()) + " more places, in the files");
    }
    lines.forEach(line -> text.append(line).append(System.lineSeparator()));
  }
}
