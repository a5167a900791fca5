package io.spillway;

import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.disk.Times;
import io.spillway.internal.ring.Acknowledge;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.ring.WhenFull;
import io.spillway.internal.route.SpillMode;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

/** Settings as text, until {@code start()} checks them. Held by an appender, not shared. */
public final class Settings {
  private static final long KIB = 1024;
  private static final long MIB = 1024 * KIB;
  private static final String NO_VALUE = "";

  /** Of SYNCED without an interval: how long what is delivered waits for the log's own sync. */
  private static final long SYNC_NANOS = 200_000_000;

  String queueSize = String.valueOf(EventRing.MIN_CAPACITY);
  String memoryBuffer = "8 MB";
  String spillDirectory = NO_VALUE;
  String maxSpillSize = "1 GB";
  String spillMode = SpillMode.OVERFLOW.name();
  private static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000; // 292 years

  String spillSync = "OS";
  String whenFull = NO_VALUE;
  String neverBlock = "false";
  String discardingThreshold = "-1";
  String includeCallerData = NO_VALUE;
  String maxFlushTime = "1000";
  String reportEpisodes = "false";
  String acknowledge = Acknowledge.NONE.name();
  String acknowledgeMarker = NO_VALUE;
  String acknowledgeTimeout = "5 seconds";

  private boolean valid;

  /** All defaults. */
  Settings() {}

  /**
   * The settings, checked.
   *
   * @param queueSize slots wanted
   * @param memoryBytes bound of the memory hand-off
   * @param spillDirectory empty for the default
   * @param maxSpillBytes bound of the spill
   * @param spillMode when to spill
   * @param syncNanos zero leaves it to the operating system
   * @param whenFull what a log call does then
   * @param discardingThreshold zero or less for none
   * @param includeCallerData null if not set
   * @param maxFlushNanos {@link Long#MAX_VALUE} for ever
   * @param reportEpisodes whether to log about spilling and losses
   * @param acknowledge what log calls wait for
   * @param acknowledgeMarker of the events whose log calls wait; empty for all
   * @param acknowledgeNanos at most so long
   */
  record Checked(
      int queueSize,
      long memoryBytes,
      String spillDirectory,
      long maxSpillBytes,
      SpillMode spillMode,
      long syncNanos,
      WhenFull whenFull,
      int discardingThreshold,
      Boolean includeCallerData,
      long maxFlushNanos,
      boolean reportEpisodes,
      Acknowledge acknowledge,
      String acknowledgeMarker,
      long acknowledgeNanos) {}

  /** Checks everything and reports every wrong value; null if there is one. */
  Checked check(ContextAware to) {
    valid = true;
    Acknowledge wanted = oneOf(to, "acknowledge", acknowledge, Acknowledge.class);
    String marker = acknowledgeMarker == null ? "" : acknowledgeMarker.trim();
    SpillMode mode = oneOf(to, "spillMode", spillMode, SpillMode.class);
    boolean never = is(to, "neverBlock", neverBlock, Settings::flag, "true or false", false);
    Checked checked =
        new Checked(
            is(
                to,
                "queueSize",
                queueSize,
                Settings::slots,
                "a number from 1 to " + EventRing.MAX_CAPACITY + ", such as 65536",
                1),
            size(to, "memoryBuffer", memoryBuffer, 64 * KIB, "64 KB"),
            spillDirectory == null ? "" : spillDirectory.trim(),
            size(to, "maxSpillSize", maxSpillSize, MIB, "1 MB"),
            wanted == Acknowledge.NONE || !marker.isEmpty() ? mode : SpillMode.ALWAYS,
            syncNanos(
                wanted,
                is(
                    to,
                    "spillSync",
                    spillSync,
                    Settings::sync,
                    "OS, or a time of 1 millisecond or more, such as 200ms, 200 milliseconds or 1"
                        + " second",
                    0L)),
            whenFull == null || whenFull.isBlank()
                ? (never ? WhenFull.DROP : WhenFull.BLOCK)
                : oneOf(to, "whenFull", whenFull, WhenFull.class),
            is(
                to,
                "discardingThreshold",
                discardingThreshold,
                Integer::valueOf,
                "a whole number, such as 2048; 0 or less discards nothing",
                0),
            includeCallerData == null || includeCallerData.isBlank()
                ? null
                : is(
                    to,
                    "includeCallerData",
                    includeCallerData,
                    Settings::flag,
                    "true or false",
                    false),
            is(
                to,
                "maxFlushTime",
                maxFlushTime,
                Settings::flushNanos,
                "a time such as 500ms, 1 second or 1 minute; 0 waits for ever",
                0L),
            is(to, "reportEpisodes", reportEpisodes, Settings::flag, "true or false", false),
            wanted,
            marker,
            is(
                to,
                "acknowledgeTimeout",
                acknowledgeTimeout,
                Settings::waitNanos,
                "a time of 1 millisecond or more, such as 500ms or 5 seconds",
                1L));
    return valid ? checked : null;
  }

  private static long syncNanos(Acknowledge wanted, long set) {
    return wanted == Acknowledge.SYNCED && set == 0 ? SYNC_NANOS : set;
  }

  private <T> T is(
      ContextAware to,
      String name,
      String value,
      Function<String, T> parser,
      String allowed,
      T placeholder) {
    try {
      T parsed = parser.apply(String.valueOf(value).trim());
      if (parsed != null) {
        return parsed;
      }
    } catch (IllegalArgumentException e) {
      valid = false; // reported below, with what is allowed instead of what a parser stumbled on
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

  private <T extends Enum<T>> T oneOf(ContextAware to, String name, String value, Class<T> type) {
    T[] all = type.getEnumConstants();
    Function<String, T> parser = v -> Enum.valueOf(type, v.toUpperCase(Locale.ROOT));
    return is(to, name, value, parser, "one of " + Arrays.toString(all), all[0]);
  }

  private long size(ContextAware to, String name, String value, long least, String leastText) {
    Function<String, Long> parser =
        v -> {
          long bytes = FileSize.valueOf(v).getSize();
          return bytes < least ? null : (Long) bytes;
        };
    return is(to, name, value, parser, "a size such as 64 MB, " + leastText + " or more", least);
  }

  private static Integer slots(String value) {
    int slots = Integer.parseInt(value);
    return slots < 1 || slots > EventRing.MAX_CAPACITY ? null : (Integer) slots;
  }

  /** What a getter tells before {@code start()} has checked the text. */
  static int number(String text, int unset) {
    try {
      return Integer.parseInt(text.trim());
    } catch (NumberFormatException wrong) {
      return unset; // start() reports it
    }
  }

  /** The same of a time. */
  static int millis(String text, int unset) {
    try {
      return (int) Math.min(Times.millis(text), Integer.MAX_VALUE);
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
    return millis < 1 || millis > MAX_MILLIS ? null : (Long) (millis * 1_000_000);
  }

  private static Long flushNanos(String value) {
    long millis = Times.millis(value);
    if (millis < 0) {
      return null;
    }
    return millis == 0 || millis > MAX_MILLIS ? Long.MAX_VALUE : (Long) (millis * 1_000_000);
  }
}
