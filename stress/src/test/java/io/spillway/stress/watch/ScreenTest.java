package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ScreenTest {

  private static final Map<Thread.State, Integer> STATES = Map.of(Thread.State.BLOCKED, 7);
  private static final String APPEND = "ch.qos.logback.core.AppenderBase.doAppend";
  private static final String CACHE = "com.acme.shop.metadata.caching.MetadataCache.get";

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();

  @Test
  void shouldNameLoggingFirstThenWhatCostMostSinceTheLineBefore() {
    Screen view = new Screen(new PrintStream(shown), false);

    view.show(1, STATES, List.of(other("a.A.a", 1, 3), other("b.B.b", 4, 4), logging(2, 1)));
    view.show(2, STATES, List.of(other("a.A.a", 1, 9), other("b.B.b", 4, 8), logging(2, 1.5)));
    view.show(3, STATES, List.of(other("a.A.a", 0, 9), other("b.B.b", 0, 8), logging(0, 1.7)));
    view.show(4, STATES, List.of(other("a.A.a", 0, 9), other("b.B.b", 0, 8), logging(0, 1.7)));

    assertThat(lines())
        .containsExactly(
            "[  1.0 s] 2 in "
                + APPEND
                + " (+1.000 thread-s); 4 in b.B.b (+4.000 thread-s); 1 in a.A.a (+3.000 thread-s)",
            "[  2.0 s] 2 in "
                + APPEND
                + " (+0.500 thread-s); 1 in a.A.a (+6.000 thread-s); 4 in b.B.b (+4.000 thread-s)",
            "[  3.0 s] 0 in " + APPEND + " (+0.200 thread-s)",
            "[  4.0 s] nobody is held up");
  }

  @Test
  void shouldNameFourPlacesInALineAndCountTheOthers() {
    Screen view = new Screen(new PrintStream(shown), false);

    view.show(
        1,
        STATES,
        List.of(
            other("a.a", 1, 9),
            other("b.b", 1, 8),
            other("c.c", 1, 7),
            other("d.d", 1, 6),
            other("e.e", 1, 5)));

    assertThat(lines().get(0)).contains("d.d").doesNotContain("e.e").endsWith("and 1 more places");
  }

  @Test
  void shouldRedrawInPlaceOnATerminalAndCutLinesAtItsEdge() {
    Screen view = new Screen(new PrintStream(shown), true);

    view.show(1, STATES, List.of(other(CACHE, 5, 3), logging(2, 1)));
    String first = text();
    shown.reset();
    view.show(2, STATES, List.of(logging(2, 2)));

    assertThat(first).startsWith("\033[?7l1 s, threads: {BLOCKED=7}").endsWith("\033[?7h");
    assertThat(first.lines().skip(2).limit(2))
        .containsExactly(
            "    2        2        1.000      0.500  logging: " + APPEND + " (monitor)",
            "    5        5        3.000      0.500  c.a.s.metadata.caching.MetadataCache.get"
                + " (monitor)");
    assertThat(text()).startsWith("\033[?7l\033[4A\033[J2 s, threads");
  }

  private static WatchFigures.Group logging(int now, double threadSeconds) {
    return group(Place.Reason.LOGGING, APPEND, now, threadSeconds);
  }

  private static WatchFigures.Group other(String frame, int now, double threadSeconds) {
    return group(Place.Reason.OTHER, frame, now, threadSeconds);
  }

  private static WatchFigures.Group group(
      Place.Reason reason, String frame, int now, double threadSeconds) {
    return new WatchFigures.Group(
        reason.name(),
        frame,
        "monitor",
        now,
        now,
        now,
        1,
        threadSeconds,
        0,
        0.5,
        null,
        List.of(frame),
        List.of(threadSeconds));
  }

  private String text() {
    return shown.toString(StandardCharsets.UTF_8);
  }

  private List<String> lines() {
    return text().lines().toList();
  }
}
