package io.spillway;

import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.disk.Times;
import io.spillway.internal.flow.EventRing;
import io.spillway.internal.flow.FlowConfig;
import io.spillway.internal.flow.FlowConfig.Acknowledge;
import io.spillway.internal.flow.FlowConfig.WhenFull;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/** The settings of one appender as text, until {@code start()} checks them; not shared. */
public final class Settings {
  private static final long MIN_SPILL = 1024 * 1024;
  private static final String NO_VALUE = "";
  private static final List<String> LEVELS = List.of("TRACE", "DEBUG", "INFO", "WARN", "ERROR");
  private static final String TIMES =
      "a time of 1 millisecond or more, such as 500ms, 1 second or 5 seconds";
  private static final String SYNC_TIMES = "OS, or " + TIMES;
  private static final String FLUSH_TIMES = TIMES + "; 0 waits for ever";

  /** The interval of {@code spillSync} if {@code acknowledge} is SYNCED and no interval is set. */
  private static final long SYNC_NANOS = 200_000_000;

  String queueSize = String.valueOf(EventRing.MIN_CAPACITY);
  String spillDirectory = NO_VALUE;
  String maxSpillSize = "1 GB";
  String spillMode = Mode.OVERFLOW.name();
  String spillSync = "OS";
  String whenFull = NO_VALUE;
  String whenFullKeepLevel = NO_VALUE;
  String neverBlock = "false";
  String discardingThreshold = "-1";
  String includeCallerData = NO_VALUE;
  String maxFlushTime = "1000";
  String acknowledge = Acknowledge.NONE.name();
  String acknowledgeMarker = NO_VALUE;
  String acknowledgeTimeout = "5 seconds";

  private ContextAware to; // gets the messages of a check
  private boolean valid;

  private enum Mode {
    OVERFLOW,
    ALWAYS
  }

  /** Creates settings that all have their defaults. */
  Settings() {}

  /**
   * The settings after they were checked.
   *
   * @param flow of the pipeline
   * @param spillDirectory empty for the default
   * @param maxSpillBytes bound of the spill
   * @param syncNanos interval between syncs; zero leaves them to the operating system
   * @param includeCallerData null if not set
   */
  record Checked(
      FlowConfig flow,
      String spillDirectory,
      long maxSpillBytes,
      long syncNanos,
      Boolean includeCallerData) {}

  /** Checks all settings and reports every wrong value; returns null if there is one. */
  Checked check(ContextAware appender) {
    to = appender;
    valid = true;
    Acknowledge wanted = oneOf("acknowledge", acknowledge, Acknowledge.NONE);
    String marker = acknowledgeMarker == null ? "" : acknowledgeMarker.trim();
    boolean always = oneOf("spillMode", spillMode, Mode.OVERFLOW) == Mode.ALWAYS;
    boolean never = is("neverBlock", neverBlock, "true or false", Settings::flag, false);
    WhenFull full = oneOf("whenFull", whenFull, never ? WhenFull.DROP : WhenFull.BLOCK);
    long sync = is("spillSync", spillSync, SYNC_TIMES, Settings::sync, 0L);
    FlowConfig flow =
        new FlowConfig(
            is(
                "queueSize",
                queueSize,
                "a number from 1 to " + EventRing.MAX_CAPACITY + ", such as 65536",
                Settings::slots,
                1),
            always || wanted != Acknowledge.NONE && marker.isEmpty(),
            full,
            keptLevel(full),
            is(
                "discardingThreshold",
                discardingThreshold,
                "a whole number, such as 2048; 0 or less discards nothing",
                Integer::valueOf,
                0),
            is("maxFlushTime", maxFlushTime, FLUSH_TIMES, Settings::flushNanos, 0L),
            wanted,
            marker,
            is("acknowledgeTimeout", acknowledgeTimeout, TIMES, Settings::waitNanos, 1L));
    Checked checked =
        new Checked(
            flow,
            spillDirectory == null ? "" : spillDirectory.trim(),
            is(
                "maxSpillSize",
                maxSpillSize,
                "a size such as 64 MB, 1 MB or more",
                Settings::size,
                1L),
            wanted == Acknowledge.SYNCED && sync == 0 ? SYNC_NANOS : sync,
            isSet(includeCallerData)
                ? is("includeCallerData", includeCallerData, "true or false", Settings::flag, false)
                : null);
    refuseDroppedAcknowledgements(flow);
    if (valid) {
      warnIfAllIsDiscarded(flow);
    }
    return valid ? checked : null;
  }

  private int keptLevel(WhenFull full) {
    if (!isSet(whenFullKeepLevel)) {
      return Integer.MAX_VALUE;
    }
    if (full != WhenFull.DROP) {
      refuse(
          "whenFullKeepLevel",
          whenFullKeepLevel,
          "no value while whenFull is " + full + ", since only DROP drops events by level");
      return Integer.MAX_VALUE;
    }
    return is("whenFullKeepLevel", whenFullKeepLevel, "one of " + LEVELS, Settings::level, 0);
  }

  private void refuseDroppedAcknowledgements(FlowConfig flow) {
    if (flow.acknowledge() != Acknowledge.NONE && flow.whenFull() == WhenFull.DROP_OLDEST) {
      refuse(
          "acknowledge",
          acknowledge,
          "NONE, while whenFull is DROP_OLDEST: events that were acknowledged could be dropped");
    }
  }

  /** Warns of a discarding threshold that drops events although the ring is empty or nearly so. */
  private void warnIfAllIsDiscarded(FlowConfig flow) {
    int slots = EventRing.capacity(flow.queueSize());
    if (flow.discardingThreshold() >= slots) {
      to.addWarn(
          "Setting [discardingThreshold] has the value ["
              + flow.discardingThreshold()
              + "], and the ring has "
              + slots
              + " slots: every event of level INFO and below is dropped, and only counted"
              + " (DISCARDED). To do: set it to fewer slots than the ring has, such as "
              + slots / 5
              + ", or remove it, and no event is dropped for its level, or raise queueSize.");
    }
  }

  private static boolean isSet(String value) {
    return value != null && !value.isBlank();
  }

  private <E extends Enum<E>> E oneOf(String name, String value, E unset) {
    Class<E> type = unset.getDeclaringClass();
    String allowed = "one of " + Arrays.toString(type.getEnumConstants());
    return isSet(value)
        ? is(name, value, allowed, t -> Enum.valueOf(type, t.toUpperCase(Locale.ROOT)), unset)
        : unset;
  }

  /**
   * Parses a setting; returns the placeholder, after an error status, if its value is wrong. The
   * parser returns null, or throws IllegalArgumentException, for a value that is not allowed.
   */
  private <T> T is(
      String name, String value, String allowed, Function<String, T> parser, T placeholder) {
    T parsed;
    try {
      parsed = parser.apply(String.valueOf(value).trim());
    } catch (IllegalArgumentException e) {
      parsed = null; // reported below, with the allowed values instead of the parser's message
    }
    if (parsed == null) {
      refuse(name, value, allowed);
    }
    return parsed == null ? placeholder : parsed;
  }

  private void refuse(String name, String value, String allowed) {
    valid = false;
    to.addError(
        "Setting ["
            + name
            + "] has the value ["
            + value
            + "]; allowed: "
            + allowed
            + ". The appender is not started, correct the configuration.");
  }

  private static Integer level(String value) {
    String name = value.toUpperCase(Locale.ROOT);
    return LEVELS.contains(name) ? ch.qos.logback.classic.Level.toLevel(name).toInt() : null;
  }

  private static Long size(String value) {
    long bytes = FileSize.valueOf(value).getSize();
    return bytes < MIN_SPILL ? null : (Long) bytes;
  }

  private static Integer slots(String value) {
    int slots = Integer.parseInt(value);
    return slots < 1 || slots > EventRing.MAX_CAPACITY ? null : (Integer) slots;
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
