package io.spillway;

import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.disk.Times;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.ring.Acknowledge;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.ring.PatternBatcher;
import io.spillway.internal.ring.WhenFull;
import io.spillway.internal.route.SpillMode;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import java.util.Arrays;
import java.util.Locale;

/** The settings of one appender as text, until {@code start()} checks them; not shared. */
public final class Settings {
  private static final long MIN_MEMORY = 64 * 1024;
  private static final long MIN_SPILL = 1024 * 1024;
  private static final long MIN_AGE_MILLIS = 1_000;
  private static final long MAX_AGE_MILLIS = 365L * 24 * 3_600_000;
  private static final String NO_VALUE = "";
  private static final int INFO = Counters.LEVELS.indexOf("INFO");

  /** The interval of {@code spillSync} if {@code acknowledge} is SYNCED and no interval is set. */
  private static final long SYNC_NANOS = 200_000_000;

  String queueSize = String.valueOf(EventRing.MIN_CAPACITY);
  String memoryBuffer = "8 MB";
  String spillDirectory = NO_VALUE;
  String maxSpillSize = "1 GB";
  String spillMode = SpillMode.OVERFLOW.name();
  String spillSync = "OS";
  String whenFull = NO_VALUE;
  String whenFullKeepLevel = NO_VALUE;
  String whenFullMaxAge = NO_VALUE;
  String neverBlock = "false";
  String discardingThreshold = "-1";
  String includeCallerData = NO_VALUE;
  String maxFlushTime = "1000";
  String reportEpisodes = "false";
  String acknowledge = Acknowledge.NONE.name();
  String acknowledgeMarker = NO_VALUE;
  String acknowledgeTimeout = "5 seconds";

  private boolean valid;

  /** Creates settings that all have their defaults. */
  Settings() {}

  /**
   * The settings after they were checked.
   *
   * @param queueSize slots wanted
   * @param memoryBytes bound of the memory hand-off
   * @param spillDirectory empty for the default
   * @param maxSpillBytes bound of the spill
   * @param spillMode when to spill
   * @param syncNanos interval between syncs; zero leaves them to the operating system
   * @param whenFull what a log call does while the ring is full
   * @param policy which events may be dropped while the ring is full, or for their age
   * @param discardingThreshold free slots below which events are discarded; zero or less for none
   * @param includeCallerData null if not set
   * @param maxFlushNanos {@link Long#MAX_VALUE} for ever
   * @param reportEpisodes whether to log the end of an episode of spilling or losses
   * @param acknowledge what log calls wait for
   * @param acknowledgeMarker marker of the events whose log calls wait; empty for all
   * @param acknowledgeNanos how long a log call waits to be acknowledged
   */
  record Checked(
      int queueSize,
      long memoryBytes,
      String spillDirectory,
      long maxSpillBytes,
      SpillMode spillMode,
      long syncNanos,
      WhenFull whenFull,
      DropPolicy policy,
      int discardingThreshold,
      Boolean includeCallerData,
      long maxFlushNanos,
      boolean reportEpisodes,
      Acknowledge acknowledge,
      String acknowledgeMarker,
      long acknowledgeNanos) {

    /** Returns {@code includeCallerData}, or if it is not set, whether the printer prints it. */
    boolean includesCallerData(ContextAware to, Object printer) {
      if (includeCallerData != null) {
        return includeCallerData;
      }
      boolean printed = PatternBatcher.printsCallerData(printer);
      if (printed) {
        to.addInfo("What is logged is printed with caller data: includeCallerData is on.");
      }
      return printed;
    }
  }

  /** Checks all settings and reports every wrong value; returns null if there is one. */
  Checked check(ContextAware to) {
    valid = true;
    Acknowledge wanted =
        is(to, "acknowledge", acknowledge, oneOf(Acknowledge.values()), Acknowledge.NONE);
    String marker = acknowledgeMarker == null ? "" : acknowledgeMarker.trim();
    SpillMode mode = is(to, "spillMode", spillMode, oneOf(SpillMode.values()), SpillMode.OVERFLOW);
    boolean never = is(to, "neverBlock", neverBlock, "true or false", false);
    WhenFull full =
        !isSet(whenFull)
            ? (never ? WhenFull.DROP : WhenFull.BLOCK)
            : is(to, "whenFull", whenFull, oneOf(WhenFull.values()), WhenFull.BLOCK);
    DropPolicy policy = policy(to, full, wanted);
    Checked checked =
        new Checked(
            is(
                to,
                "queueSize",
                queueSize,
                "a number from 1 to " + EventRing.MAX_CAPACITY + ", such as 65536",
                1),
            is(to, "memoryBuffer", memoryBuffer, "a size such as 64 MB, 64 KB or more", MIN_MEMORY),
            spillDirectory == null ? "" : spillDirectory.trim(),
            is(to, "maxSpillSize", maxSpillSize, "a size such as 64 MB, 1 MB or more", MIN_SPILL),
            wanted == Acknowledge.NONE || !marker.isEmpty() ? mode : SpillMode.ALWAYS,
            syncNanos(
                wanted,
                is(
                    to,
                    "spillSync",
                    spillSync,
                    "OS, or a time of 1 millisecond or more, such as 200ms, 200 milliseconds or 1"
                        + " second",
                    0L)),
            full,
            policy,
            is(
                to,
                "discardingThreshold",
                discardingThreshold,
                "a whole number, such as 2048; 0 or less discards nothing",
                0),
            includeCallerData == null || includeCallerData.isBlank()
                ? null
                : is(to, "includeCallerData", includeCallerData, "true or false", false),
            is(
                to,
                "maxFlushTime",
                maxFlushTime,
                "a time of 1 millisecond or more, such as 500ms, 1 second or 1 minute; 0 waits for"
                    + " ever",
                0L),
            is(to, "reportEpisodes", reportEpisodes, "true or false", false),
            wanted,
            marker,
            is(
                to,
                "acknowledgeTimeout",
                acknowledgeTimeout,
                "a time of 1 millisecond or more, such as 500ms or 5 seconds",
                1L));
    if (valid) {
      warnIfAllIsDiscarded(to, checked);
    }
    return valid ? checked : null;
  }

  /** Warns of a discarding threshold that drops events although the ring is empty or nearly so. */
  private static void warnIfAllIsDiscarded(ContextAware to, Checked checked) {
    int slots = EventRing.capacity(checked.queueSize);
    int highest = INFO; // of the levels that are discarded
    if (checked.policy.keeps()) {
      highest = Math.min(highest, checked.policy.kept() - 1);
    }
    if (checked.discardingThreshold < slots || highest < 0) {
      return;
    }
    to.addWarn(
        "Setting [discardingThreshold] has the value ["
            + checked.discardingThreshold
            + "], and the ring has "
            + slots
            + " slots: every event of level "
            + Counters.LEVELS.get(highest)
            + " and below is dropped"
            + (checked.discardingThreshold > slots ? "" : " that is logged while another one waits")
            + ", and only counted (DISCARDED), because fewer than "
            + checked.discardingThreshold
            + " slots are free. To do: set it to fewer slots than the ring has, such as "
            + slots / 5
            + ", or remove it, and no event is dropped for its level, or raise queueSize.");
  }

  private DropPolicy policy(ContextAware to, WhenFull full, Acknowledge wanted) {
    int kept =
        !isSet(whenFullKeepLevel)
            ? Tally.LEVELS
            : is(
                to,
                "whenFullKeepLevel",
                whenFullKeepLevel,
                "one of " + Counters.LEVELS,
                Tally.LEVELS);
    long maxAge =
        !isSet(whenFullMaxAge)
            ? 0
            : is(
                to,
                "whenFullMaxAge",
                whenFullMaxAge,
                "a time from 1 second to 365 days, such as 30 minutes or 2 hours",
                0L);
    DropPolicy policy =
        new DropPolicy(full != WhenFull.BLOCK, full == WhenFull.DROP_OLDEST, kept, maxAge);
    if (valid && policy.tallies() && wanted != Acknowledge.NONE) {
      valid = false;
      to.addError(
          "Setting [acknowledge] has the value ["
              + acknowledge
              + "]; allowed: NONE, while whenFull is DROP_OLDEST, or whenFullKeepLevel or"
              + " whenFullMaxAge is set with whenFull=DROP: events that were acknowledged could be"
              + " dropped. The appender is not started, correct the configuration.");
    }
    if (valid && full == WhenFull.BLOCK) {
      warnOfNoEffect(to, "whenFullKeepLevel", whenFullKeepLevel);
      warnOfNoEffect(to, "whenFullMaxAge", whenFullMaxAge);
    } else if (valid && kept == 0) {
      to.addWarn(
          "Setting [whenFullKeepLevel] has the value ["
              + whenFullKeepLevel
              + "], which keeps every event: log calls wait as with whenFull=BLOCK, and nothing is"
              + " ever dropped. To do: set it to a higher level, such as WARN, or remove it.");
    }
    return policy;
  }

  private static boolean isSet(String value) {
    return value != null && !value.isBlank();
  }

  private static void warnOfNoEffect(ContextAware to, String name, String value) {
    if (isSet(value)) {
      to.addWarn(
          "Setting ["
              + name
              + "] has the value ["
              + value
              + "] and no effect, because whenFull is BLOCK and nothing is dropped. To do: set"
              + " whenFull to DROP or DROP_OLDEST (neverBlock=true is whenFull=DROP), or remove "
              + name
              + ".");
    }
  }

  private static long syncNanos(Acknowledge wanted, long set) {
    return wanted == Acknowledge.SYNCED && set == 0 ? SYNC_NANOS : set;
  }

  @SuppressWarnings("unchecked") // a placeholder has the setting's type
  private <T> T is(ContextAware to, String name, String value, String allowed, T placeholder) {
    try {
      T parsed = (T) parsed(name, String.valueOf(value).trim());
      if (parsed != null) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      valid = false; // reported below, with the allowed values instead of the parser's message
    }
    valid = false;
    to.addError(
        "Setting ["
            + name
            + "] has the value ["
            + value
            + "]; allowed: "
            + allowed
            + ". The appender is not started, correct the configuration.");
    return placeholder;
  }

  /**
   * Parses a setting; null if it is not allowed. A switch needs no class for each, as lambdas do.
   */
  private static Object parsed(String name, String value) {
    switch (name) {
      case "queueSize":
        return slots(value);
      case "memoryBuffer":
        return size(value, MIN_MEMORY);
      case "maxSpillSize":
        return size(value, MIN_SPILL);
      case "spillMode":
        return SpillMode.valueOf(value.toUpperCase(Locale.ROOT));
      case "whenFull":
        return WhenFull.valueOf(value.toUpperCase(Locale.ROOT));
      case "whenFullKeepLevel":
        int level = Counters.LEVELS.indexOf(value.toUpperCase(Locale.ROOT));
        return level < 0 ? null : (Integer) level;
      case "whenFullMaxAge":
        long millis = Times.millis(value);
        return millis < MIN_AGE_MILLIS || millis > MAX_AGE_MILLIS ? null : (Long) millis;
      case "acknowledge":
        return Acknowledge.valueOf(value.toUpperCase(Locale.ROOT));
      case "acknowledgeTimeout":
        return waitNanos(value);
      case "spillSync":
        return sync(value);
      case "maxFlushTime":
        return flushNanos(value);
      case "discardingThreshold":
        return Integer.valueOf(value);
      default:
        return flag(value);
    }
  }

  private static Long size(String value, long least) {
    long bytes = FileSize.valueOf(value).getSize();
    return bytes < least ? null : (Long) bytes;
  }

  private static String oneOf(Object[] all) {
    return "one of " + Arrays.toString(all);
  }

  private static Integer slots(String value) {
    int slots = Integer.parseInt(value);
    return slots < 1 || slots > EventRing.MAX_CAPACITY ? null : (Integer) slots;
  }

  /** Parses a number for a getter, before {@code start()} has checked the text. */
  static int number(String text, int unset) {
    try {
      return text == null ? unset : Integer.parseInt(text.trim());
    } catch (NumberFormatException wrong) {
      return unset; // start() reports it
    }
  }

  /** Parses a time in milliseconds for a getter, before {@code start()} has checked the text. */
  static int millis(String text, int unset) {
    try {
      return text == null ? unset : (int) Math.min(Times.millis(text), Integer.MAX_VALUE);
    } catch (IllegalArgumentException wrong) {
      return unset; // start() reports it
    }
  }

  private static Boolean flag(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "true" -> Boolean.TRUE;
      case "false" -> Boolean.FALSE;
      default -> null;
    };
  }

  private static Long sync(String value) {
    if (value.equalsIgnoreCase("OS")) {
      return 0L;
    }
    return waitNanos(value);
  }

  private static Long waitNanos(String value) {
    long millis = Times.millis(value);
    return millis < 1 || millis > Times.MAX_MILLIS ? null : (Long) (millis * 1_000_000);
  }

  private static Long flushNanos(String value) {
    long millis = Times.millis(value);
    return millis == 0 || millis > Times.MAX_MILLIS ? Long.MAX_VALUE : (Long) (millis * 1_000_000);
  }
}
