package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.FakeGauges;
import io.spillway.metrics.Health.Status;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What makes an appender UP, DEGRADED or DOWN. */
class HealthTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final FakeGauges gauges = new FakeGauges();
  private final Counters counters = new Counters();

  private Health health() {
    return new SpillwayMetrics(gauges.gauges, counters).health();
  }

  private interface Change {
    void apply(FakeGauges gauges, Counters counters);
  }

  private static Arguments rule(Status status, String reason, Change change) {
    return Arguments.of(status, reason, change);
  }

  private static ArchiveMetrics archives(long backlogFiles, String failing) {
    return new ArchiveMetrics(backlogFiles, 0, 0, failing, 0);
  }

  static Stream<Arguments> rules() {
    return Stream.of(
        rule(Status.UP, "", (g, c) -> {}),
        rule(Status.DOWN, "not started", (g, c) -> g.set("isStarted", false)),
        rule(Status.DOWN, "has ended", (g, c) -> g.set("isWorkerGone", true)),
        rule(Status.DEGRADED, "acknowledgement", (g, c) -> c.add(Count.UNACKNOWLEDGED, 1)),
        rule(Status.UP, "", (g, c) -> g.set("stallNanos", 5 * SECOND - 1)),
        rule(Status.DEGRADED, "or more: 5 s. To", (g, c) -> g.set("stallNanos", 5 * SECOND)),
        rule(
            Status.DEGRADED,
            "return: a.B.c(B.java:9). To",
            (g, c) -> g.set("stuckIn", "a.B.c(B.java:9)")),
        rule(
            Status.DEGRADED,
            "policy fails: 1 times so far. To",
            (g, c) -> c.add(Count.SINK_FAILURES, 1)),
        rule(Status.DEGRADED, "force of the log file", (g, c) -> g.set("hasLostLog", true)),
        rule(Status.UP, "", (g, c) -> g.set("ringUsed", 15L)),
        rule(Status.DEGRADED, "The ring is full, so", (g, c) -> g.set("ringUsed", 16L)),
        rule(Status.DEGRADED, "log calls wait", (g, c) -> g.set("waitingCalls", 1L)),
        rule(Status.UP, "", (g, c) -> g.set("isHeavy", true)),
        rule(
            Status.DEGRADED,
            "refused: large messages fill",
            (g, c) -> {
              g.set("isHeavy", true);
              g.set("waitingCalls", 1L);
            }),
        rule(
            Status.DOWN,
            "refused: large messages fill",
            (g, c) -> {
              g.set("isHeavy", true);
              c.dropped(LossCause.QUEUE_FULL);
            }),
        rule(Status.DEGRADED, "No started appender", (g, c) -> g.set("isSinkMissing", true)),
        rule(Status.UP, "", (g, c) -> g.set("spillBytes", 79L)),
        rule(Status.DEGRADED, "four fifths full: 80 %. To", (g, c) -> g.set("spillBytes", 80L)),
        rule(Status.DEGRADED, "There is no spill", (g, c) -> g.set("spillUsable", false)),
        rule(Status.DEGRADED, "spill files fail", (g, c) -> c.add(Count.SPILL_FAILURES, 1)),
        rule(
            Status.DEGRADED,
            "go to the spill. To do: nothing",
            (g, c) -> g.set("isSpilling", true)),
        rule(Status.DEGRADED, "failed and went on", (g, c) -> c.add(Count.WORKER_FAILURES, 1)),
        rule(Status.UP, "", (g, c) -> g.set("archives", archives(2, ""))),
        rule(Status.DEGRADED, "compressed: 3 files", (g, c) -> g.set("archives", archives(3, ""))),
        rule(
            Status.DEGRADED,
            "archived: /logs/old",
            (g, c) -> g.set("archives", archives(1, "/logs/old"))));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldKeepToItsRules(Status status, String reason, Change change) {
    change.apply(gauges, counters);
    assertThat(health().status()).isEqualTo(status);
    assertThat(health().reason()).contains(reason);
    if (status == Status.UP) {
      assertThat(health().reason()).isEmpty();
    } else {
      assertThat(health().reason()).contains("To do: ");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldTellOfLossesByTheirCause(LossCause cause) {
    if (cause.beforeAcceptance()) {
      counters.dropped(cause);
    } else {
      counters.lost(cause, 5, true);
    }
    assertThat(health().status()).isEqualTo(cause.isGeneral() ? Status.DOWN : Status.DEGRADED);
    assertThat(health().reason())
        .isEqualTo("Events are being lost (" + cause + "). To do: " + cause.remedy() + ".");
  }

  @Test
  void shouldTestEachRule() {
    Set<String> untested = new HashSet<>();
    Health.RULES.forEach(rule -> untested.add(rule.when()));
    rules()
        .forEach(
            arguments -> {
              FakeGauges changed = new FakeGauges();
              Counters counted = new Counters();
              ((Change) arguments.get()[2]).apply(changed, counted);
              String reason = Health.of(changed.gauges, counted).reason();
              untested.removeIf(reason::contains);
            });
    assertThat(untested).allMatch(when -> when.startsWith("Events are being lost"));
  }

  @Test
  void shouldNameTheWorstFirst() {
    gauges.set("isSpilling", true);
    counters.dropped(LossCause.REENTRANT);
    counters.lost(LossCause.NOT_SAVED, 1, false);
    assertThat(health().status()).isEqualTo(Status.DOWN);
    assertThat(health().reason())
        .startsWith("Events are being lost (NOT_SAVED). To do: ")
        .containsSubsequence(
            ". Events are being lost (REENTRANT). To do: ", ". The sink is behind");
  }
}
