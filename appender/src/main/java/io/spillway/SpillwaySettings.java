package io.spillway;

/**
 * The settings that both appenders share, as elements of {@code logback.xml}.
 *
 * <p>Every setter takes the text as it stands in the configuration and keeps it; {@code start()}
 * checks all of them. A wrong value gets a Logback error status that names the setting, the value
 * and what is allowed, and the appender stays unstarted. A number of bytes is written like
 * Logback's {@code FileSize} ("64 MB"), a time like Logback's {@code Duration} ("2 seconds"; a
 * plain number is milliseconds).
 *
 * <p>The setters of {@code AsyncAppender} also take a number or a flag, from Java. They return this
 * object, since Logback's configurator uses only setters that return {@code void}, and has to use
 * those that take text.
 */
public interface SpillwaySettings {
  /**
   * Returns the object that holds this appender's settings as text.
   *
   * @return the settings, never null
   */
  Settings settings();

  /**
   * Sets how many slots the ring has, which is the memory buffer. Any number is rounded up to a
   * power of two, at least 16,384, which is the default; a configuration that comes from {@code
   * AsyncAppender} can keep its number. Events above 1 KB also count by their size: together they
   * take an eighth of the heap, 64 MB at most.
   *
   * @param events 1 to 16,777,216
   */
  default void setQueueSize(String events) {
    settings().queueSize = events;
  }

  /**
   * Sets {@code queueSize} from Java.
   *
   * @param events 1 to 16,777,216
   * @return this
   */
  default SpillwaySettings setQueueSize(int events) {
    setQueueSize(String.valueOf(events));
    return this;
  }

  /**
   * Sets the directory of the spill. Each appender of each application has its own. Do not use a
   * temp directory, whose files may be deleted. Default: beside the log file ({@code
   * app.log.spill}), or, if there is no log file, {@code spillway/<appender>} under the working
   * directory.
   *
   * @param path created (mode 0700) if missing. While the directory cannot be used, or another
   *     process has it, the appender warns, works with the ring alone, and tries it again every
   *     second. If a link or a file is in its place, the appender does not start
   */
  default void setSpillDirectory(String path) {
    settings().spillDirectory = path;
  }

  /**
   * Sets how many bytes the spill may take on disk.
   *
   * @param fileSize at least 1 MB; default 1 GB
   */
  default void setMaxSpillSize(String fileSize) {
    settings().maxSpillSize = fileSize;
  }

  /**
   * Sets when events go through the spill.
   *
   * @param mode {@code OVERFLOW} (default: while the sink stalls) or {@code ALWAYS} (every event)
   */
  default void setSpillMode(String mode) {
    settings().spillMode = mode;
  }

  /**
   * Sets when the spill is forced to the disk, so that events in the spill survive a power cut.
   *
   * <p>With an interval, {@code SpillwayRollingFileAppender} forces its own file as often, and
   * before each rollover, and a record stays in the spill until that is done. So {@code
   * maxSpillSize} has to hold what is delivered within two intervals. After a crash, even of the
   * process alone, the events that were delivered within the last interval and the fsync at its end
   * are delivered again. A {@code SpillwayAppender} deletes an event from the spill when the nested
   * appender has taken it, and does not force that appender's file.
   *
   * @param interval {@code OS} (default: the operating system decides) or a time of at least 1 ms
   */
  default void setSpillSync(String interval) {
    settings().spillSync = interval;
  }

  /**
   * Sets what a log call does while the ring is full: because the spill is full or cannot be
   * written, or because threads log faster than the sink takes events.
   *
   * @param policy {@code BLOCK} (default: the call waits), {@code DROP} (its event is dropped) or
   *     {@code DROP_OLDEST} (the oldest segment of the spill is dropped)
   */
  default void setWhenFull(String policy) {
    settings().whenFull = policy;
  }

  /**
   * Sets the level from which on log calls wait for room where {@code whenFull=DROP} drops others.
   * With another {@code whenFull} the appender does not start.
   *
   * @param level {@code TRACE}, {@code DEBUG}, {@code INFO}, {@code WARN} or {@code ERROR}; default
   *     none
   */
  default void setWhenFullKeepLevel(String level) {
    settings().whenFullKeepLevel = level;
  }

  /**
   * Sets {@code neverBlock}, a setting of {@code AsyncAppender}: {@code true} means {@code
   * whenFull=DROP} unless {@code whenFull} is set as well.
   *
   * @param flag {@code true} or {@code false} (default)
   */
  default void setNeverBlock(String flag) {
    settings().neverBlock = flag;
  }

  /**
   * Sets {@code neverBlock} from Java.
   *
   * @param flag true or false
   * @return this
   */
  default SpillwaySettings setNeverBlock(boolean flag) {
    setNeverBlock(String.valueOf(flag));
    return this;
  }

  /**
   * Sets {@code discardingThreshold}, a setting of {@code AsyncAppender}: when fewer slots than
   * this are free in the ring, events of level TRACE, DEBUG and INFO are dropped and counted.
   * Unlike in {@code AsyncAppender}, the default is to drop nothing.
   *
   * @param slots 0 or less drops nothing; default -1
   */
  default void setDiscardingThreshold(String slots) {
    settings().discardingThreshold = slots;
  }

  /**
   * Sets {@code discardingThreshold} from Java.
   *
   * @param slots 0 or less drops nothing
   * @return this
   */
  default SpillwaySettings setDiscardingThreshold(int slots) {
    setDiscardingThreshold(String.valueOf(slots));
    return this;
  }

  /**
   * Sets whether a {@code SpillwayAppender} records class, method and line of the log call, on the
   * calling thread, which costs microseconds. Default: on if the pattern of the nested appender
   * prints caller data, or its encoder, its layout or itself has a setting of this name that is on.
   * A {@code SpillwayRollingFileAppender} encodes in the log call, where caller data is there.
   *
   * @param flag {@code true} or {@code false}
   */
  default void setIncludeCallerData(String flag) {
    settings().includeCallerData = flag;
  }

  /**
   * Sets {@code includeCallerData} from Java.
   *
   * @param flag true or false
   * @return this
   */
  default SpillwaySettings setIncludeCallerData(boolean flag) {
    setIncludeCallerData(String.valueOf(flag));
    return this;
  }

  /**
   * Sets how long {@code stop()} and the JVM's exit wait for the sink. Events that the sink has not
   * taken by then stay in the spill for the next start.
   *
   * @param duration default 1 second; 0 waits for ever, as in {@code AsyncAppender}
   */
  default void setMaxFlushTime(String duration) {
    settings().maxFlushTime = duration;
  }

  /**
   * Sets {@code maxFlushTime} from Java.
   *
   * @param millis milliseconds; 0 waits for ever
   * @return this
   */
  default SpillwaySettings setMaxFlushTime(int millis) {
    setMaxFlushTime(String.valueOf(millis));
    return this;
  }

  /**
   * Sets what a log call waits for before it returns; for audit logs.
   *
   * <p>{@code WRITTEN}: the event is written to the spill or delivered, and survives {@code kill
   * -9}. {@code SYNCED}: it was also forced to the disk, and survives a power cut. Many calls share
   * one write and one fsync. Without {@code acknowledgeMarker} this is {@code spillMode=ALWAYS}.
   * {@code SYNCED} sets {@code spillSync} to 200 milliseconds unless an interval is set.
   *
   * <p>A {@code SpillwayAppender} refuses {@code SYNCED}, since it cannot force what its nested
   * appender writes. Both values are refused with {@code whenFull=DROP_OLDEST}, which could drop
   * what was acknowledged.
   *
   * @param what {@code NONE} (default), {@code WRITTEN} or {@code SYNCED}
   */
  default void setAcknowledge(String what) {
    settings().acknowledge = what;
  }

  /**
   * Sets which log calls wait to be acknowledged: those with an SLF4J marker of this name, or with
   * a marker that contains one.
   *
   * @param name name of a marker; default: none, all log calls wait
   */
  default void setAcknowledgeMarker(String name) {
    settings().acknowledgeMarker = name;
  }

  /**
   * Sets how long a log call waits to be acknowledged. After that time it returns without an
   * exception, and its event goes on through the pipeline. The program can query {@link
   * Acknowledgement#received()}; operators see the metric {@code spillway.unacknowledged.calls} and
   * a status message.
   *
   * @param duration default 5 seconds; at least 1 ms
   */
  default void setAcknowledgeTimeout(String duration) {
    settings().acknowledgeTimeout = duration;
  }
}
