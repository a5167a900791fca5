package io.spillway.stress.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures as text: a table of places, logging first, and a line for what is no trouble. */
final class Summary {

  private static final int MOST_ROWS = 15;
  private static final double NOTEWORTHY_THREAD_SECONDS = 0.0005;

  private Summary() {}

  static String of(WatchFigures figures) {
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

  static String idle(List<WatchFigures.Group> groups) {
    return String.format(
        Locale.ROOT,
        "Waiting for work, no trouble: %d threads in %d places, %s",
        groups.stream().mapToInt(WatchFigures.Group::threads).sum(),
        groups.size(),
        threadSeconds(groups.stream().mapToDouble(WatchFigures.Group::threadSeconds).sum()));
  }

  static String threadSeconds(double seconds) {
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
