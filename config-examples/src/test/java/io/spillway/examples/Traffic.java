package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.metrics.SpillwayMetrics;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;

/** Numbered events, and the check that every one of them became a line, once and in order. */
final class Traffic {
  private static final Pattern NUMBER = Pattern.compile("event (\\d+)");
  private static final Pattern LAYOUT =
      Pattern.compile(
          "\\d{4}-\\d\\d-\\d\\d( \\d\\d:\\d\\d:\\d\\d,\\d{3}|T\\d\\d:\\d\\d:\\d\\d[.]\\d{3}Z)"
              + " \\[[^]]+] (INFO |DEBUG) [\\w.]+ - event .*");
  private static final String LONG = "x".repeat(3_000);
  private static final int LONG_EVENTS = 4_000; // 12 MB

  private final BiConsumer<Integer, String> log;
  private int logged;

  /** Plain text, "event 17". */
  Traffic(Logger logger) {
    this((number, text) -> logger.info("event {} {}", number, text));
  }

  /**
   * Events of another kind.
   *
   * @param log logs one event: its number, and a text to carry
   */
  Traffic(BiConsumer<Integer, String> log) {
    this.log = log;
  }

  int logged() {
    return logged;
  }

  void log(int events) {
    log(events, "");
  }

  private void log(int events, String text) {
    for (int end = logged + events; logged < end; logged++) {
      log.accept(logged, text);
    }
  }

  /** Large ones, of 3 KB. */
  void logLong(int events) {
    log(events, LONG);
  }

  /** While the sink stands still: after a second all of it is in the spill. */
  void overflow(SpillwayMetrics metrics) {
    long delivered = metrics.getDelivered();
    logLong(LONG_EVENTS);
    await().atMost(Example.PATIENCE).until(() -> metrics.getRingUsed() == 0);
    assertThat(metrics.getSpilled()).as("spilled").isPositive();
    assertThat(metrics.getDelivered()).as("delivered meanwhile").isEqualTo(delivered);
  }

  /** Until the sink has all; nothing may have been lost. */
  void awaitDelivered(SpillwayMetrics metrics) {
    await().atMost(Example.PATIENCE).until(() -> metrics.getPending() == 0);
    assertThat(metrics.getDelivered()).as("delivered").isEqualTo(metrics.getAccepted());
    assertThat(metrics.getLost()).as("lost").isZero();
    assertThat(metrics.getDropped()).as("dropped").isZero();
  }

  /** Every event once, in order, in the layout of the examples' patterns. */
  void assertComplete(List<String> lines) {
    assertNumbers(lines.stream().mapToInt(Traffic::numberOfLine).toArray());
  }

  /** The same, of the events' numbers. */
  void assertNumbers(int... numbers) {
    for (int i = 0; i < Math.min(numbers.length, logged); i++) {
      assertThat(numbers[i]).as("number of the event in line " + i).isEqualTo(i);
    }
    assertThat(numbers).hasSize(logged);
  }

  /** Of a whole line: time, thread, level, logger, message. */
  static int numberOfLine(String line) {
    assertThat(line).as("layout").matches(LAYOUT);
    return number(line);
  }

  /** Of a message. */
  static int number(String text) {
    Matcher matcher = NUMBER.matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return Integer.parseInt(matcher.group(1));
  }
}
