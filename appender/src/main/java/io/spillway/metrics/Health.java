package io.spillway.metrics;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.Gauges;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Whether an appender does its work, for a readiness probe or an alert. {@code OPERATIONS.md} has
 * the table of rules: each has a status and a remedy.
 *
 * @param status the worst of the rules that apply; {@code UP} if none does
 * @param reason every rule that applies, each with what to do; the worst first; empty if {@code UP}
 */
public record Health(Status status, String reason) {
  /** The state of an appender, from good to bad. */
  public enum Status {
    /** The appender does its work. */
    UP,
    /** The appender does its work, but something needs care. */
    DEGRADED,
    /** The appender is not started, or loses events for a reason that may hit any event. */
    DOWN
  }

  private static final long STALL_SECONDS = 5;
  private static final long MANY_ARCHIVES = 3;

  /** The health of an appender that was never started, or that has been stopped. */
  public static final Health NOT_STARTED =
      new Health(
          Status.DOWN,
          "The appender is not started. To do: unless it has been stopped, see Logback's status"
              + " messages, which name the reason, such as a wrong setting.");

  /** The finding is null if the rule does not apply, else a detail, or an empty text. */
  record Rule(
      Status status, String when, String remedy, BiFunction<Gauges, Counters, String> finding) {}

  static final List<Rule> RULES = rules();

  private static List<Rule> rules() {
    Stream<Rule> losses =
        Arrays.stream(LossCause.values())
            .map(
                cause ->
                    new Rule(
                        cause.isGeneral() ? Status.DOWN : Status.DEGRADED,
                        "Events are being lost (" + cause + ")",
                        cause.remedy(),
                        (g, c) -> when(c.isRecent(cause))));
    Stream<Rule> others =
        Stream.of(
            new Rule(
                Status.DOWN,
                "A thread of the appender has ended",
                "restart the application",
                (g, c) -> when(g.isWorkerGone())),
            degraded(
                "The ring is full, so log calls wait or are refused",
                "find what holds up the sink, else log less or raise queueSize",
                Health::ringFull),
            degraded(
                "The sink has kept one batch for " + STALL_SECONDS + " s or more",
                "see what it waits for: disk, network, another thread",
                (g, c) -> atLeast(STALL_SECONDS, NANOSECONDS.toSeconds(g.stallNanos()), " s")),
            degraded(
                "An encoder or nested appender does not return",
                "see in a thread dump what it waits for",
                (g, c) -> g.stuckIn()),
            degraded(
                "No started appender is nested",
                "attach one, or see its status messages",
                (g, c) -> when(g.isSinkMissing())),
            degraded(
                "The nested appender, the log file or a policy fails",
                "see the status message",
                (g, c) -> recent(c, Count.SINK_FAILURES)),
            degraded(
                "A force of the log file failed",
                "check the disk, then restart: the spill is kept until then",
                (g, c) -> when(g.hasLostLog())),
            degraded(
                "Log calls return without acknowledgement",
                "check the disk of spillDirectory, or raise acknowledgeTimeout",
                (g, c) -> recent(c, Count.UNACKNOWLEDGED)),
            degraded(
                "There is no spill",
                "let spillDirectory be writable and used by no other process",
                (g, c) -> when(!g.spillUsable())),
            degraded(
                "Operations on spill files fail",
                "check the disk of spillDirectory",
                (g, c) -> recent(c, Count.SPILL_FAILURES)),
            degraded(
                "The spill is four fifths full",
                "find what holds up the sink, or raise maxSpillSize",
                (g, c) -> atLeast(80, g.spillBytes() * 100 / Math.max(1, g.spillCapacity()), " %")),
            degraded(
                "The sink is behind and events go to the spill",
                "nothing if it catches up; else log less or speed it up",
                (g, c) -> when(g.isSpilling())),
            degraded(
                "A thread of the appender failed and went on",
                "see the status message",
                (g, c) -> recent(c, Count.WORKER_FAILURES)),
            degraded(
                MANY_ARCHIVES + " or more rolled files wait to be compressed",
                "see status messages, or raise compressionCpuShare",
                (g, c) -> atLeast(MANY_ARCHIVES, g.archives().backlogFiles(), " files")),
            degraded(
                "Rolled files cannot be archived",
                "let the directory be writable, with room on its disk",
                (g, c) -> text(g.archives().failing())));
    return Stream.concat(losses, others)
        .sorted(Comparator.comparing(Rule::status).reversed()) // the worst first
        .toList();
  }

  private static Rule degraded(
      String when, String remedy, BiFunction<Gauges, Counters, String> finding) {
    return new Rule(Status.DEGRADED, when, remedy, finding);
  }

  private static String ringFull(Gauges g, Counters c) {
    boolean heavy = g.isHeavy(); // then slots may be free
    boolean full = g.ringUsed() >= g.ringCapacity() || g.waitingCalls() > 0;
    return full || (heavy && c.isRecent(LossCause.QUEUE_FULL))
        ? (heavy ? "large messages fill its share of the heap" : "")
        : null;
  }

  private static String when(boolean applies) {
    return applies ? "" : null;
  }

  private static String atLeast(long limit, long value, String unit) {
    return value < limit ? null : value + unit;
  }

  private static String text(String text) {
    return text.isEmpty() ? null : text;
  }

  private static String recent(Counters counters, Count failures) {
    return counters.isRecent(failures) ? counters.count(failures) + " times so far" : null;
  }

  static Health of(Gauges gauges, Counters counters) {
    if (!gauges.isStarted()) {
      return NOT_STARTED;
    }
    Status worst = Status.UP;
    StringBuilder reasons = new StringBuilder();
    for (Rule rule : RULES) {
      String detail = rule.finding.apply(gauges, counters);
      if (detail != null) {
        worst = rule.status.compareTo(worst) > 0 ? rule.status : worst;
        reasons.append(reasons.isEmpty() ? "" : " ").append(rule.when);
        reasons.append(detail.isEmpty() ? "" : ": " + detail);
        reasons.append(". To do: ").append(rule.remedy).append('.');
      }
    }
    return new Health(worst, reasons.toString());
  }
}
