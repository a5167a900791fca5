package io.spillway.metrics;

import java.util.function.ToLongFunction;

/**
 * Every figure of an appender, each with its names, unit and meaning. The JMX attributes, the
 * Micrometer meters and the table in {@code METRICS.md} are those of this list.
 */
enum Metric {
  ACCEPTED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Accepted",
      "spillway.events.accepted",
      "Log events that entered the ring",
      s -> s.events().accepted()),
  SPILLED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Spilled",
      "spillway.events.spilled",
      "Log events written to the spill on disk",
      s -> s.events().spilled()),
  SYNCED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Synced",
      "spillway.events.synced",
      "Spilled log events whose fsync returned, or that were delivered before; zero while `spillSync` is `OS`",
      s -> s.events().synced()),
  DELIVERED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Delivered",
      "spillway.events.delivered",
      "Log events of this run that the sink (the log file or the nested appender) "
          + "took; `Recovered` counts events of earlier runs",
      s -> s.events().delivered()),
  RECOVERED(
      Kind.COUNTER,
      Unit.EVENTS,
      "Recovered",
      "spillway.events.recovered",
      "Log events that earlier runs left in the spill and this run delivered",
      s -> s.events().recovered()),
  PENDING(
      Kind.GAUGE,
      Unit.EVENTS,
      "Pending",
      "spillway.events.pending",
      "Log events of this run that are neither delivered nor lost yet",
      s -> s.events().pending()),
  OLDEST_PENDING(
      Kind.GAUGE,
      Unit.NANOS,
      "OldestPendingNanos",
      "spillway.events.oldest.age",
      "Age of the oldest pending log event; 0 if none is pending",
      s -> s.events().oldestPendingNanos()),
  LOST(
      Kind.BY_CAUSE,
      Unit.EVENTS,
      "Lost",
      "spillway.events.lost",
      "Accepted log events that were lost, of this run and of what earlier runs "
          + "left; `LossByCause` has each cause",
      Reading::lost),
  DROPPED(
      Kind.BY_CAUSE,
      Unit.EVENTS,
      "Dropped",
      "spillway.events.lost",
      "Log events that were dropped before acceptance; `LossByCause` has each cause",
      Reading::dropped),
  LOST_BY_POLICY(
      Kind.BY_LEVEL,
      Unit.EVENTS,
      "LostByPolicy",
      "spillway.events.lost.by.policy",
      "Log events that `whenFull` or `whenFullMaxAge` dropped (`QUEUE_FULL`, `EVICTED`, `EXPIRED`), "
          + "also counted by `Lost` and `Dropped`; `LossByLevel` has each cause and level",
      Reading::lostByPolicy),
  BLOCKED_CALLS(
      Kind.COUNTER,
      Unit.CALLS,
      "BlockedCalls",
      "spillway.blocked.calls",
      "Log calls that found the ring full and waited, or still wait (`whenFull=BLOCK`, "
          + "`whenFullKeepLevel`)",
      s -> s.blocked().calls()),
  BLOCKED_TIME(
      Kind.COUNTER,
      Unit.NANOS,
      "BlockedNanos",
      "spillway.blocked.time",
      "Total time that log calls waited because the ring was full, running waits included",
      s -> s.blocked().nanos()),
  ACKNOWLEDGED(
      Kind.COUNTER,
      Unit.CALLS,
      "AcknowledgedCalls",
      "spillway.acknowledged.calls",
      "Log calls that waited until the log event was written or synced, as `acknowledge` asks",
      s -> s.acknowledged().calls()),
  UNACKNOWLEDGED(
      Kind.COUNTER,
      Unit.CALLS,
      "UnacknowledgedCalls",
      "spillway.unacknowledged.calls",
      "Log calls that returned without the acknowledgement that `acknowledge` asks for",
      s -> s.acknowledged().missed()),
  RING_USED(
      Kind.GAUGE,
      Unit.EVENTS,
      "RingUsed",
      "spillway.ring.used",
      "Slots of the ring that hold a log event",
      s -> s.ring().used()),
  RING_CAPACITY(
      Kind.GAUGE,
      Unit.EVENTS,
      "RingCapacity",
      "spillway.ring.capacity",
      "Slots of the ring (`queueSize`, rounded up)",
      s -> s.ring().capacity()),
  MEMORY_USED(
      Kind.GAUGE,
      Unit.BYTES,
      "MemoryBytes",
      "spillway.memory.used",
      "Estimated heap of the batches that wait in memory for the sink",
      s -> s.memory().used()),
  MEMORY_CAPACITY(
      Kind.GAUGE,
      Unit.BYTES,
      "MemoryCapacityBytes",
      "spillway.memory.capacity",
      "Bound of the batches that wait in memory (`memoryBuffer`)",
      s -> s.memory().capacity()),
  SPILL_USED(
      Kind.GAUGE,
      Unit.BYTES,
      "SpillBytes",
      "spillway.spill.used",
      "Size of the spill on disk, leftovers of earlier runs included",
      s -> s.spill().used()),
  SPILL_CAPACITY(
      Kind.GAUGE,
      Unit.BYTES,
      "SpillCapacityBytes",
      "spillway.spill.capacity",
      "Bound of the spill on disk (`maxSpillSize`)",
      s -> s.spill().capacity()),
  LEFTOVER(
      Kind.GAUGE,
      Unit.BYTES,
      "LeftoverBytes",
      "spillway.spill.leftover",
      "Size of what earlier runs left in the spill and is not delivered yet",
      s -> s.spilling().leftoverBytes()),
  SPILL_EPISODES(
      Kind.COUNTER,
      Unit.TIMES,
      "SpillEpisodes",
      "spillway.spill.episodes",
      "Spill episodes: how often the appender began to write to the spill because the sink was behind",
      s -> s.spilling().episodes()),
  SPILL_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "SpillFailures",
      "spillway.spill.failures",
      "Failed operations on spill files; status messages say which, and what to do",
      s -> s.spilling().failures()),
  SINK_TIME(
      Kind.COUNTER,
      Unit.NANOS,
      "SinkNanos",
      "spillway.sink.time",
      "Total time that the sink took to write",
      s -> s.sink().nanos()),
  STALL(
      Kind.GAUGE,
      Unit.NANOS,
      "StallNanos",
      "spillway.sink.stall",
      "Time that the sink has been busy with the present batch; 0 if there is none",
      s -> s.sink().stallNanos()),
  LONGEST_STALL(
      Kind.GAUGE,
      Unit.NANOS,
      "LongestStallNanos",
      "spillway.sink.stall.longest",
      "Longest time since the start that the sink was busy with one batch, with the "
          + "present batch",
      s -> s.sink().longestStallNanos()),
  SINK_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "SinkFailures",
      "spillway.sink.failures",
      "Exceptions of the nested appender, or failed operations on the log file",
      s -> s.sink().failures()),
  ROLLOVERS(
      Kind.COUNTER,
      Unit.TIMES,
      "Rollovers",
      "spillway.rollovers",
      "Rollovers of the log file of a SpillwayRollingFileAppender, also failed ones; "
          + "0 for a SpillwayAppender",
      s -> s.sink().rollovers()),
  BACKLOG_FILES(
      Kind.GAUGE,
      Unit.FILES,
      "ArchiveBacklogFiles",
      "spillway.archive.backlog.files",
      "Rolled files that are not compressed yet, with the file that is being compressed",
      s -> s.archives().backlogFiles()),
  BACKLOG_BYTES(
      Kind.GAUGE,
      Unit.BYTES,
      "ArchiveBacklogBytes",
      "spillway.archive.backlog.size",
      "Length of the rolled files that are not compressed yet",
      s -> s.archives().backlogBytes()),
  ARCHIVED(
      Kind.COUNTER,
      Unit.FILES,
      "Archived",
      "spillway.archive.files",
      "Archives completed",
      s -> s.archives().archived()),
  ARCHIVE_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "ArchiveFailures",
      "spillway.archive.failures",
      "Failed compressions and deletions of rolled files; each is tried again",
      s -> s.archives().failures()),
  ARCHIVES_TAKEN(
      Kind.COUNTER,
      Unit.FILES,
      "ArchivesTaken",
      "spillway.archive.listener.taken",
      "Archives that `archiveListener` has taken",
      s -> s.archives().listenerTaken()),
  ARCHIVES_OWED(
      Kind.GAUGE,
      Unit.FILES,
      "ArchivesOwed",
      "spillway.archive.listener.owed",
      "Archives that `archiveListener` has not taken yet, including the archive in hand. A new one is"
          + " counted within about a second",
      s -> s.archives().listenerOwed()),
  ARCHIVE_REFUSALS(
      Kind.COUNTER,
      Unit.TIMES,
      "ArchiveRefusals",
      "spillway.archive.listener.refusals",
      "Exceptions of `archiveListener`; each archive is given again",
      s -> s.archives().listenerRefusals()),
  WORKER_FAILURES(
      Kind.COUNTER,
      Unit.TIMES,
      "WorkerFailures",
      "spillway.worker.failures",
      "Unexpected failures of a Spillway thread, which went on or was replaced",
      Reading::workerFailures),
  HEALTH(
      Kind.GAUGE,
      Unit.STATUS,
      "Health",
      "spillway.health",
      "Health of the appender. JMX: the name, `UP`, `DEGRADED` or `DOWN`; Micrometer: 0, 1 or 2."
          + " `HealthReason` has the cause and the remedy",
      s -> Health.of(Snapshot.of(s)).status().ordinal());

  enum Kind {
    /** Only grows, from zero at the appender's start. */
    COUNTER,
    /** A sum over causes of loss; Micrometer has a counter for each. */
    BY_CAUSE,
    /** A sum over causes and levels; Micrometer has a counter for each. */
    BY_LEVEL,
    /** Grows and shrinks. */
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
    /** Occurrences. */
    TIMES("times"),
    /** A {@link Health.Status}. */
    STATUS("status");

    private final String text;

    Unit(String text) {
      this.text = text;
    }

    /**
     * Returns the name of the unit.
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
  private final String meaning;
  private final ToLongFunction<Reading> value;

  Metric(
      Kind kind,
      Unit unit,
      String attribute,
      String meter,
      String meaning,
      ToLongFunction<Reading> value) {
    this.kind = kind;
    this.unit = unit;
    this.attribute = attribute;
    this.meter = meter;
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

  String meaning() {
    return meaning;
  }

  long value(Reading reading) {
    return value.applyAsLong(reading);
  }
}
