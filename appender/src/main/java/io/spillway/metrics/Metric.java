package io.spillway.metrics;

import java.util.function.ToLongFunction;

/**
 * Every figure of an appender: its names, unit and meaning, once for all. The JMX attributes, the
 * Micrometer meters and the table in {@code METRICS.md} are those of this list.
 */
enum Metric {
  ACCEPTED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Accepted",
      "spillway.events",
      "state=accepted",
      "Events that entered the ring",
      s -> s.events().accepted()),
  SPILLED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Spilled",
      "spillway.events",
      "state=spilled",
      "Events written to the spill",
      s -> s.events().spilled()),
  SYNCED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Synced",
      "spillway.events",
      "state=synced",
      "Spilled events whose fsync returned; zero while `spillSync` is `OS`",
      s -> s.events().synced()),
  DELIVERED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Delivered",
      "spillway.events",
      "state=delivered",
      "Accepted events that the sink took",
      s -> s.events().delivered()),
  RECOVERED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Recovered",
      "spillway.events",
      "state=recovered",
      "Events of earlier runs that this one delivered",
      s -> s.events().recovered()),
  PENDING(
      Kind.GAUGE,
      Unit.EVENTS,
      "Pending",
      "spillway.events.pending",
      "",
      "Accepted events neither delivered nor lost yet",
      s -> s.events().pending()),
  OLDEST_PENDING(
      Kind.GAUGE,
      Unit.NANOS,
      "OldestPendingNanos",
      "spillway.events.oldest.age",
      "",
      "Age of the oldest of them, 0 if there is none",
      s -> s.events().oldestPendingNanos()),
  LOST(
      Kind.BY_CAUSE,
      Unit.EVENTS,
      "Lost",
      "spillway.events.lost",
      "accepted=true",
      "Accepted events that were lost, those of earlier runs included; `LossByCause` has each cause",
      Reading::lost),
  DROPPED(
      Kind.BY_CAUSE,
      Unit.EVENTS,
      "Dropped",
      "spillway.events.lost",
      "accepted=false",
      "Events refused before they were accepted; `LossByCause` has each cause",
      Reading::dropped),
  BLOCKED_CALLS(
      Kind.COUNTER,
      Unit.CALLS,
      "BlockedCalls",
      "spillway.blocked.calls",
      "",
      "Log calls that found the ring full and waited (`whenFull=BLOCK`)",
      s -> s.blocked().calls()),
  BLOCKED_TIME(
      Kind.COUNTER,
      Unit.NANOS,
      "BlockedNanos",
      "spillway.blocked.time",
      "",
      "How long they waited, in all",
      s -> s.blocked().nanos()),
  RING_USED(
      Kind.GAUGE,
      Unit.EVENTS,
      "RingUsed",
      "spillway.ring.used",
      "",
      "Slots of the ring in use",
      s -> s.ring().used()),
  RING_CAPACITY(
      Kind.GAUGE,
      Unit.EVENTS,
      "RingCapacity",
      "spillway.ring.capacity",
      "",
      "Slots of the ring (`queueSize`, rounded up)",
      s -> s.ring().capacity()),
  MEMORY_USED(
      Kind.GAUGE,
      Unit.BYTES,
      "MemoryBytes",
      "spillway.memory.used",
      "",
      "Heap of the batches that wait in memory, estimated",
      s -> s.memory().used()),
  MEMORY_CAPACITY(
      Kind.GAUGE,
      Unit.BYTES,
      "MemoryCapacityBytes",
      "spillway.memory.capacity",
      "",
      "`memoryBuffer`",
      s -> s.memory().capacity()),
  SPILL_USED(
      Kind.GAUGE,
      Unit.BYTES,
      "SpillBytes",
      "spillway.spill.used",
      "",
      "The spill on disk, leftovers included",
      s -> s.spill().used()),
  SPILL_CAPACITY(
      Kind.GAUGE,
      Unit.BYTES,
      "SpillCapacityBytes",
      "spillway.spill.capacity",
      "",
      "`maxSpillSize`",
      s -> s.spill().capacity()),
  LEFTOVER(
      Kind.GAUGE,
      Unit.BYTES,
      "LeftoverBytes",
      "spillway.spill.leftover",
      "",
      "What earlier runs left in the spill and is still to be delivered",
      s -> s.spilling().leftoverBytes()),
  SPILL_EPISODES(
      Kind.COUNTER,
      Unit.TIMES,
      "SpillEpisodes",
      "spillway.spill.episodes",
      "",
      "Times the appender went from memory to the spill",
      s -> s.spilling().episodes()),
  SPILL_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "SpillFailures",
      "spillway.spill.failures",
      "",
      "Failed operations on spill files; each is tried again",
      s -> s.spilling().failures()),
  SINK_TIME(
      Kind.COUNTER,
      Unit.NANOS,
      "SinkNanos",
      "spillway.sink.time",
      "",
      "Time spent in the sink",
      s -> s.sink().nanos()),
  STALL(
      Kind.GAUGE,
      Unit.NANOS,
      "StallNanos",
      "spillway.sink.stall",
      "",
      "How long the batch in the sink has been there, 0 if there is none",
      s -> s.sink().stallNanos()),
  LONGEST_STALL(
      Kind.GAUGE,
      Unit.NANOS,
      "LongestStallNanos",
      "spillway.sink.stall.longest",
      "",
      "The longest time of one batch in the sink, the present one included",
      s -> s.sink().longestStallNanos()),
  SINK_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "SinkFailures",
      "spillway.sink.failures",
      "",
      "Exceptions of the nested appender, or failed operations on the log file",
      s -> s.sink().failures()),
  ROLLOVERS(
      Kind.COUNTER,
      Unit.TIMES,
      "Rollovers",
      "spillway.rollovers",
      "",
      "Rollovers of the own log file, failed ones included; 0 for a nested appender",
      s -> s.sink().rollovers()),
  BACKLOG_FILES(
      Kind.GAUGE,
      Unit.FILES,
      "ArchiveBacklogFiles",
      "spillway.archive.backlog.files",
      "",
      "Rolled files that wait to be compressed, the one under way included",
      s -> s.archives().backlogFiles()),
  BACKLOG_BYTES(
      Kind.GAUGE,
      Unit.BYTES,
      "ArchiveBacklogBytes",
      "spillway.archive.backlog.size",
      "",
      "Their length",
      s -> s.archives().backlogBytes()),
  ARCHIVED(
      Kind.COUNTER,
      Unit.FILES,
      "Archived",
      "spillway.archive.files",
      "",
      "Archives made",
      s -> s.archives().archived()),
  ARCHIVE_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "ArchiveFailures",
      "spillway.archive.failures",
      "",
      "Failed compressions and deletions; each is tried again",
      s -> s.archives().failures()),
  WORKER_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "WorkerFailures",
      "spillway.worker.failures",
      "",
      "Unexpected failures that one of our threads survived, replaced ones included; please report what no code of yours explains",
      Reading::workerFailures),
  HEALTH(
      Kind.GAUGE,
      Unit.STATUS,
      "Health",
      "spillway.health",
      "",
      "`UP`, `DEGRADED` or `DOWN`; as a number 0, 1 or 2. `HealthReason` has the cause and what to do",
      s -> Health.of(Snapshot.of(s)).status().ordinal());

  enum Kind {
    /** Only up, from zero at the appender's start. */
    COUNTER,
    /** A sum over causes of loss; Micrometer has a counter for each. */
    BY_CAUSE,
    /** Up and down. */
    GAUGE
  }

  enum Unit {
    /** Log events. */
    EVENTS("events"),
    /** Bytes. */
    BYTES("bytes"),
    /** Nanoseconds here and in JMX, seconds in Micrometer. */
    NANOS("nanoseconds"),
    /** Files. */
    FILES("files"),
    /** Log calls. */
    CALLS("calls"),
    /** How often. */
    TIMES("times"),
    /** A {@link Health.Status}. */
    STATUS("status");

    private final String text;

    Unit(String text) {
      this.text = text;
    }

    /**
     * Its name.
     *
     * @return a plural
     */
    String text() {
      return text;
    }
  }

  private final Kind kind;
  private final Unit unit;
  private final String attribute;
  private final String meter;
  private final String tag;
  private final String meaning;
  private final ToLongFunction<Reading> value;

  Metric(
      Kind kind,
      Unit unit,
      String attribute,
      String meter,
      String tag,
      String meaning,
      ToLongFunction<Reading> value) {
    this.kind = kind;
    this.unit = unit;
    this.attribute = attribute;
    this.meter = meter;
    this.tag = tag;
    this.meaning = meaning;
    this.value = value;
  }

  Kind kind() {
    return kind;
  }

  Unit unit() {
    return unit;
  }

  String attribute() {
    return attribute;
  }

  String meter() {
    return meter;
  }

  String tag() {
    return tag;
  }

  String meaning() {
    return meaning;
  }

  long value(Reading reading) {
    return value.applyAsLong(reading);
  }
}
