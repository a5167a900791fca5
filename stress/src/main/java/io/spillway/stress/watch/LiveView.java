package io.spillway.stress.watch;

import ch.qos.logback.classic.pattern.TargetLengthBasedClassNameAbbreviator;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What is held up now: redrawn in place on a terminal, one line a dump elsewhere. */
final class LiveView {

  private static final int ROWS = 12;
  private static final int PARTS = 4;
  private static final int TYPE_WIDTH = 36;
  private static final double NOTEWORTHY_THREAD_SECONDS = 0.0005;

  /** A line that is too long for the terminal is cut at its edge: wrapped, it would be two. */
  private static final String NO_WRAP = "\033[?7l";

  private static final String WRAP = "\033[?7h";

  private final PrintStream out;
  private final boolean terminal;
  private final TargetLengthBasedClassNameAbbreviator abbreviator =
      new TargetLengthBasedClassNameAbbreviator(TYPE_WIDTH);
  private final Map<Place.Key, Double> threadSecondsBefore = new HashMap<>();
  private int drawn;

  LiveView(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** A place, with the thread-seconds that it has cost since the view before. */
  private record Row(WatchFigures.Group group, double gained) {

    boolean quiet() {
      return group.threadsNow() == 0 && gained < NOTEWORTHY_THREAD_SECONDS;
    }
  }

  /** Shows places where threads are held up: logging first, then what cost most of late. */
  void show(double seconds, Map<Thread.State, Integer> states, List<WatchFigures.Group> heldUp) {
    List<Row> rows = new ArrayList<>();
    for (WatchFigures.Group group : heldUp) {
      Double before = threadSecondsBefore.put(group.key(), group.threadSeconds());
      rows.add(new Row(group, Math.max(0, group.threadSeconds() - (before == null ? 0 : before))));
    }
    rows.sort(
        Comparator.comparing((Row row) -> !row.group().logging())
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
              shortened(Frame.of(group.frame())),
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

  private String shortened(Frame frame) {
    return new Frame(abbreviator.abbreviate(frame.type()), frame.method()).toString();
  }
}
