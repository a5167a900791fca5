package io.spillway.metrics;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.Gauges;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/**
 * Every figure of an appender, with its names, unit and meaning. The JMX attributes, the Micrometer
 * meters and the table in {@code OPERATIONS.md} are made from this list.
 */
enum Metric {
  ACCEPTED(sum("events", "events.accepted", Gauges::accepted), "Events that entered the ring"),
  SPILLED(sum("events", "events.spilled", Count.SPILLED), "Events written to the spill"),
  SYNCED(
      sum("events", "events.synced", Gauges::syncedEvents),
      "Spilled events forced to the disk, or delivered before; 0 with `spillSync` `OS`"),
  DELIVERED(
      sum("events", "events.delivered", Count.DELIVERED),
      "Events of this run that the sink (log file or nested appender) took"),
  RECOVERED(
      sum("events", "events.recovered", Count.RECOVERED),
      "Leftovers of earlier runs that were delivered"),
  PENDING(
      now("events", "events.pending", Metric::pending),
      "Events of this run neither delivered nor lost yet"),
  OLDEST_PENDING_NANOS(
      now("nanoseconds", "events.oldest.age", Gauges::oldestPendingNanos),
      "Time since no event was pending; the oldest pending event is no older"),
  LOST(lost(false), "Accepted events that were lost, leftovers included"),
  DROPPED(lost(true), "Events refused before acceptance"),
  BLOCKED_CALLS(
      sum("calls", "blocked.calls", Count.BLOCKED_CALLS),
      "Log calls that found the ring full and waited"),
  BLOCKED_NANOS(
      sum("nanoseconds", "blocked.time", Count.BLOCKED_NANOS),
      "Time that log calls waited for room in the ring"),
  ACKNOWLEDGED_CALLS(
      sum("calls", "acknowledged.calls", Count.ACKNOWLEDGED),
      "Log calls that were acknowledged (`acknowledge`)"),
  UNACKNOWLEDGED_CALLS(
      sum("calls", "unacknowledged.calls", Count.UNACKNOWLEDGED),
      "Log calls that returned without acknowledgement"),
  RING_USED(now("events", "ring.used", Gauges::ringUsed), "Used slots of the ring"),
  RING_CAPACITY(
      now("events", "ring.capacity", Gauges::ringCapacity), "Slots of the ring (`queueSize`)"),
  SPILL_BYTES(
      now("bytes", "spill.used", Gauges::spillBytes), "Size of the spill, leftovers included"),
  SPILL_CAPACITY_BYTES(
      now("bytes", "spill.capacity", Gauges::spillCapacity), "Bound of the spill (`maxSpillSize`)"),
  LEFTOVER_BYTES(
      now("bytes", "spill.leftover", Gauges::leftoverBytes), "Size of the leftovers in the spill"),
  SPILL_EPISODES(
      sum("times", "spill.episodes", Count.SPILL_EPISODES), "Times that the spill came into use"),
  SPILL_FAILURES(
      sum("times", "spill.failures", Count.SPILL_FAILURES), "Failed operations on spill files"),
  SINK_NANOS(sum("nanoseconds", "sink.time", Count.SINK_NANOS), "Time that the sink was busy"),
  STALL_NANOS(
      now("nanoseconds", "sink.stall", Gauges::stallNanos),
      "Time that the present batch has been in the sink"),
  SINK_FAILURES(
      sum("times", "sink.failures", Count.SINK_FAILURES),
      "Exceptions of nested appender or policies, failed operations on the log file"),
  ROLLOVERS(sum("times", "rollovers", Count.ROLLOVERS), "Rollovers, also failed ones"),
  ARCHIVE_BACKLOG_FILES(
      now("files", "archive.backlog.files", g -> g.archives().backlogFiles()),
      "Rolled files not compressed yet"),
  ARCHIVED(sum("files", "archive.files", g -> g.archives().archived()), "Archives completed"),
  ARCHIVE_FAILURES(
      sum("times", "archive.failures", g -> g.archives().failures()),
      "Failed compressions and deletions; each is tried again"),
  ARCHIVES_OWED(
      now("files", "archive.listener.owed", g -> g.archives().listenerOwed()),
      "Archives not yet taken by `archiveListener`"),
  WORKER_FAILURES(
      sum("times", "worker.failures", Count.WORKER_FAILURES),
      "Unexpected failures of Spillway threads"),
  HEALTH(
      now("status", "health", (g, c) -> Health.of(g, c).status().ordinal()),
      "JMX: `UP`, `DEGRADED` or `DOWN`; Micrometer: 0, 1 or 2");

  enum Kind {
    /** Only grows, from zero at the appender's start. */
    SUM,
    /** A sum over causes of loss; Micrometer has a counter for each. */
    SUM_BY_CAUSE,
    /** Grows and shrinks. */
    NOW
  }

  private record Form(
      Kind kind, String unit, String meter, ToLongBiFunction<Gauges, Counters> reader) {}

  private final Form form;
  private final String help;

  Metric(Form form, String help) {
    this.form = form;
    this.help = help;
  }

  private static Form sum(String unit, String meter, Count count) {
    return new Form(Kind.SUM, unit, meter, (g, c) -> c.count(count));
  }

  private static Form sum(String unit, String meter, ToLongFunction<Gauges> reader) {
    return new Form(Kind.SUM, unit, meter, (g, c) -> reader.applyAsLong(g));
  }

  private static Form now(String unit, String meter, ToLongFunction<Gauges> reader) {
    return now(unit, meter, (g, c) -> reader.applyAsLong(g));
  }

  private static Form now(String unit, String meter, ToLongBiFunction<Gauges, Counters> reader) {
    return new Form(Kind.NOW, unit, meter, reader);
  }

  private static Form lost(boolean beforeAcceptance) {
    return new Form(
        Kind.SUM_BY_CAUSE,
        "events",
        "events.lost",
        (g, c) ->
            Arrays.stream(LossCause.values())
                .filter(cause -> cause.beforeAcceptance() == beforeAcceptance)
                .mapToLong(c::count)
                .sum());
  }

  /** What is settled first: a race then shows as pending, not as less than nothing. */
  private static long pending(Gauges gauges, Counters counters) {
    long settled = counters.settled();
    return Math.max(0, gauges.accepted() - settled);
  }

  /** Returns the name in JMX: this constant's in camel case, such as RingUsed. */
  String attribute() {
    return camelCase(this);
  }

  static String camelCase(Enum<?> constant) {
    StringBuilder name = new StringBuilder();
    for (String word : constant.name().split("_")) {
      name.append(word.charAt(0)).append(word.substring(1).toLowerCase(Locale.ROOT));
    }
    return name.toString();
  }

  /** Returns the name in Micrometer, which the two sums by cause share. */
  String meter() {
    return "spillway." + form.meter;
  }

  Kind kind() {
    return form.kind;
  }

  /** Returns a plural; nanoseconds here and in JMX are seconds in Micrometer. */
  String unit() {
    return form.unit;
  }

  /** Returns what the figure means, with names of settings in backquotes. */
  String help() {
    return help;
  }

  long read(Gauges gauges, Counters counters) {
    return form.reader.applyAsLong(gauges, counters);
  }
}
