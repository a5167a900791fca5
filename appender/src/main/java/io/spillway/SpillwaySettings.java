package io.spillway;

import io.spillway.internal.ring.EventRing;

/**
 * The settings that both appenders share, as elements of {@code logback.xml}.
 *
 * <p>Every setter takes the text as it stands in the configuration and keeps it; {@code start()}
 * checks all of them. A wrong value gets a Logback error status that names the setting, the value
 * and what is allowed, and the appender stays unstarted. Numbers of bytes are written as Logback's
 * {@code FileSize} ("64 MB"), times as Logback's {@code Duration} ("2 seconds"; a plain number is
 * milliseconds).
 */
public interface SpillwaySettings {
  /**
   * Where settings are kept.
   *
   * @return never null
   */
  Settings settings();

  /**
   * Slots of the ring between application threads and the drainer. Any number is rounded up to a
   * power of two, at least 16,384, which is the default: a configuration that comes from {@code
   * AsyncAppender} keeps its number.
   *
   * @param events 1 to 16,777,216
   */
  default void setQueueSize(String events) {
    settings().queueSize = events;
  }

  /**
   * The same from Java. Returns something, since Logback's configurator takes the setter that
   * returns nothing for the one of an element.
   *
   * @param events 1 to 16,777,216
   * @return this
   */
  default SpillwaySettings setQueueSize(int events) {
    setQueueSize(String.valueOf(events));
    return this;
  }

  /**
   * As it is set, the default if that is no value.
   *
   * @return slots wanted
   */
  default int getQueueSize() {
    return Settings.number(settings().queueSize, EventRing.MIN_CAPACITY);
  }

  /**
   * Heap for batches that wait for the sink, estimated; when it is full, batches go to the spill.
   *
   * @param fileSize at least 64 KB; default 8 MB
   */
  default void setMemoryBuffer(String fileSize) {
    settings().memoryBuffer = fileSize;
  }

  /**
   * The directory of the spill. Each appender of each application has its own; a second user of a
   * directory takes a subdirectory. Not a temp directory, whose files may be deleted. Default:
   * beside the log file ({@code app.log.spill}), else {@code spillway/<appender>} under the working
   * directory.
   *
   * @param path created (mode 0700) if missing. While it cannot be created or written, there is a
   *     warning, the appender works with memory alone, and it is tried again every second. If it is
   *     a link, or a file is in the place of it or of a parent, the appender does not start
   */
  default void setSpillDirectory(String path) {
    settings().spillDirectory = path;
  }

  /**
   * Most bytes that the spill takes on disk, plus one batch.
   *
   * @param fileSize at least 1 MB; default 1 GB
   */
  default void setMaxSpillSize(String fileSize) {
    settings().maxSpillSize = fileSize;
  }

  /**
   * When batches go through the spill.
   *
   * @param mode {@code OVERFLOW} (default) or {@code ALWAYS}
   */
  default void setSpillMode(String mode) {
    settings().spillMode = mode;
  }

  /**
   * When the spill is forced to the disk, so that what went through it survives a power cut. With
   * an interval, {@code SpillwayRollingFileAppender} forces its own file as often, and before each
   * rollover, and a record stays in the spill until that is done; so {@code maxSpillSize} has to
   * hold what is delivered within two intervals, and a crash, of the process alone, too, repeats
   * what was delivered within the last interval and the fsync at its end. A {@code
   * SpillwayAppender} deletes an event from the spill when the nested appender has taken it, and
   * does not force that appender's file.
   *
   * @param interval {@code OS} (default: the operating system decides) or a time of at least 1 ms
   */
  default void setSpillSync(String interval) {
    settings().spillSync = interval;
  }

  /**
   * What a log call does while the ring is full: because memory and spill are full, too, or because
   * threads log faster than the drainer encodes.
   *
   * @param policy {@code BLOCK} (default: waits), {@code DROP} (drops its event) or {@code
   *     DROP_OLDEST} (the oldest events that wait in spill, memory and ring make room)
   */
  default void setWhenFull(String policy) {
    settings().whenFull = policy;
  }

  /**
   * With {@code whenFull=DROP} or {@code DROP_OLDEST}: events of this level and above are never
   * dropped. They take the place of lower ones that wait; if there are none, their log calls wait.
   * An eighth of the ring is free for them. Without effect, and with a warning, if {@code whenFull}
   * is {@code BLOCK}.
   *
   * @param level {@code TRACE}, {@code DEBUG}, {@code INFO}, {@code WARN} or {@code ERROR}; default
   *     none: any event may be dropped
   */
  default void setWhenFullKeepLevel(String level) {
    settings().whenFullKeepLevel = level;
  }

  /**
   * With {@code whenFull=DROP} or {@code DROP_OLDEST}: events that have waited for longer are
   * dropped when it is their turn, unless {@code whenFullKeepLevel} keeps them. An age is counted
   * from the event's own timestamp, also across restarts. Without effect, and with a warning, if
   * {@code whenFull} is {@code BLOCK}.
   *
   * @param duration 1 second to 365 days; default none
   */
  default void setWhenFullMaxAge(String duration) {
    settings().whenFullMaxAge = duration;
  }

  /**
   * Kept from {@code AsyncAppender}: {@code true} means {@code whenFull=DROP} unless {@code
   * whenFull} is set as well.
   *
   * @param flag {@code true} or {@code false} (default)
   */
  default void setNeverBlock(String flag) {
    settings().neverBlock = flag;
  }

  /**
   * The same from Java. Returns something, since Logback's configurator takes the setter that
   * returns nothing for the one of an element.
   *
   * @param flag true or false
   * @return this
   */
  default SpillwaySettings setNeverBlock(boolean flag) {
    setNeverBlock(String.valueOf(flag));
    return this;
  }

  /**
   * As it is set, the default if that is no value.
   *
   * @return true or false
   */
  default boolean isNeverBlock() {
    return Boolean.parseBoolean(String.valueOf(settings().neverBlock).trim());
  }

  /**
   * Kept from {@code AsyncAppender}: when the ring has less room than this, events of level TRACE,
   * DEBUG and INFO are dropped (and counted), but none that {@code whenFullKeepLevel} keeps. Unlike
   * there, the default is to drop nothing.
   *
   * @param slots 0 or -1 (default) drops nothing
   */
  default void setDiscardingThreshold(String slots) {
    settings().discardingThreshold = slots;
  }

  /**
   * The same from Java. Returns something, since Logback's configurator takes the setter that
   * returns nothing for the one of an element.
   *
   * @param slots 0 or -1 drops nothing
   * @return this
   */
  default SpillwaySettings setDiscardingThreshold(int slots) {
    setDiscardingThreshold(String.valueOf(slots));
    return this;
  }

  /**
   * As it is set, the default if that is no value.
   *
   * @return slots
   */
  default int getDiscardingThreshold() {
    return Settings.number(settings().discardingThreshold, -1);
  }

  /**
   * Whether to record class, method and line of the log call, on the calling thread; costs
   * microseconds. Default: {@code false}, except that it is on if, at the start, the pattern of
   * this or the nested appender prints caller data, or an encoder, layout or nested appender has a
   * setting of this name that is on.
   *
   * @param flag {@code true} or {@code false}
   */
  default void setIncludeCallerData(String flag) {
    settings().includeCallerData = flag;
  }

  /**
   * The same from Java. Returns something, since Logback's configurator takes the setter that
   * returns nothing for the one of an element.
   *
   * @param flag true or false
   * @return this
   */
  default SpillwaySettings setIncludeCallerData(boolean flag) {
    setIncludeCallerData(String.valueOf(flag));
    return this;
  }

  /**
   * As it is set, the default if that is no value.
   *
   * @return true or false
   */
  default boolean isIncludeCallerData() {
    return Boolean.parseBoolean(String.valueOf(settings().includeCallerData).trim());
  }

  /**
   * How long {@code stop()} and the JVM's exit wait for the sink. What it has not taken by then
   * stays in the spill for the next start.
   *
   * @param duration default 1 second; 0 waits for ever, as in {@code AsyncAppender}
   */
  default void setMaxFlushTime(String duration) {
    settings().maxFlushTime = duration;
  }

  /**
   * The same from Java. Returns something, since Logback's configurator takes the setter that
   * returns nothing for the one of an element.
   *
   * @param millis 0 waits for ever
   * @return this
   */
  default SpillwaySettings setMaxFlushTime(int millis) {
    setMaxFlushTime(String.valueOf(millis));
    return this;
  }

  /**
   * As it is set, the default if that is no value.
   *
   * @return milliseconds
   */
  default int getMaxFlushTime() {
    return Settings.millis(settings().maxFlushTime, 1_000);
  }

  /**
   * Whether to log, through this appender itself, when an episode of spilling or of losses has
   * ended: how many events, for how long, by what cause. Level WARN, logger {@code io.spillway}; at
   * most one such event in ten seconds. A loss has ended when ten seconds passed without another.
   *
   * @param flag {@code true} or {@code false} (default)
   */
  default void setReportEpisodes(String flag) {
    settings().reportEpisodes = flag;
  }

  /**
   * What a log call waits for before it returns, for audit logs. {@code WRITTEN}: its event is
   * written to the spill, and survives {@code kill -9}. {@code SYNCED}: the spill was also forced
   * to the disk, and the event survives a power cut. Many calls share one write and one fsync. The
   * events go through the spill whether the sink has time or not, so that no call waits for the
   * sink: without {@code acknowledgeMarker} this is {@code spillMode=ALWAYS}. {@code SYNCED} turns
   * on {@code spillSync} with 200 milliseconds unless that is set; a {@code SpillwayAppender}
   * refuses it, since nobody forces what its nested appender writes.
   *
   * @param what {@code NONE} (default), {@code WRITTEN} or {@code SYNCED}
   */
  default void setAcknowledge(String what) {
    settings().acknowledge = what;
  }

  /**
   * Which log calls wait: those with an SLF4J marker of this name, or one that contains it.
   *
   * @param name of a marker; default: none, all log calls wait
   */
  default void setAcknowledgeMarker(String name) {
    settings().acknowledgeMarker = name;
  }

  /**
   * How long a log call waits to be acknowledged. Then it returns, without an exception; the event
   * goes on its way. {@link Acknowledgement#received()} tells the program, the metric {@code
   * spillway.unacknowledged.calls} and a status message tell others.
   *
   * @param duration default 5 seconds; at least 1 ms
   */
  default void setAcknowledgeTimeout(String duration) {
    settings().acknowledgeTimeout = duration;
  }
}
