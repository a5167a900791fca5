package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import ch.qos.logback.core.status.Status;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.SequenceCheck;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Promise 15: an encoder, filter, {@code toString()}, policy or nested appender that throws costs
 * its own event, counted; logging from within them cannot loop or deadlock.
 */
class P15ThrowingPartsTest extends Promise {
  private static final int EVENTS = 200;
  private static final String BAD = "#0:" + EVENTS / 2 + ".";

  /** Where something goes wrong. */
  enum Place {
    ENCODER,
    FILTER,
    TO_STRING,
    /** The triggering policy, or the nested appender before it takes the event. */
    SINK
  }

  /** What goes wrong. */
  enum Fault {
    EXCEPTION,
    ERROR,
    OVERFLOW;

    void happen() {
      switch (this) {
        case EXCEPTION -> throw new IllegalStateException("on purpose");
        case ERROR -> throw new NoClassDefFoundError("on/Purpose");
        default -> throw new StackOverflowError("on purpose");
      }
    }
  }

  /** Does something in one of these places. */
  private Probe probe(Kind kind, Place place, Runnable action) {
    Probe probe = new Probe(kind, directory);
    switch (place) {
      case ENCODER -> {
        PatternLayoutEncoder encoder =
            new PatternLayoutEncoder() {
              @Override
              public byte[] encode(ILoggingEvent event) {
                if (event.getFormattedMessage().equals(BAD)) {
                  action.run();
                }
                return super.encode(event);
              }
            };
        encoder.setPattern("%msg%n");
        probe.encoder(encoder);
      }
      case FILTER -> {
        Filter<ILoggingEvent> filter =
            new Filter<>() {
              @Override
              public FilterReply decide(ILoggingEvent event) {
                if (event.getFormattedMessage().equals(BAD)) {
                  action.run();
                }
                return FilterReply.NEUTRAL;
              }
            };
        filter.start();
        probe.appender().addFilter(filter);
      }
      case SINK -> {
        boolean[] done = {false};
        probe.gate.onPass(
            () -> {
              if (!done[0] && probe.metrics().getDelivered() >= EVENTS / 2) {
                done[0] = true;
                action.run();
              }
            });
      }
      default -> {} // the argument that is logged
    }
    return probe.start();
  }

  private static void log(Probe probe, Place place, Runnable action) {
    for (int i = 0; i < EVENTS; i++) {
      if (place == Place.SINK) {
        probe.awaitDelivered(); // one by one, so that it is known which event it is
      }
      if (place == Place.TO_STRING && i == EVENTS / 2) {
        probe.logger.info(
            "{}",
            new Object() {
              @Override
              public String toString() {
                action.run();
                return BAD;
              }
            });
        continue;
      }
      probe.log("0", i, i + 1);
    }
  }

  static List<Arguments> throwing() {
    return Stream.of(Kind.values())
        .flatMap(
            kind ->
                Stream.of(Place.values())
                    .flatMap(
                        place -> Stream.of(Fault.values()).map(f -> Arguments.of(kind, place, f))))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("throwing")
  void costsItsOwnEventCounted(Kind kind, Place place, Fault fault) {
    try (Probe probe = probe(kind, place, fault::happen)) {
      try {
        log(probe, place, fault::happen);
      } catch (Throwable thrown) {
        throw new AssertionError("a log call threw", thrown);
      }
      probe.awaitDelivered();
      SpillwayMetrics metrics = probe.metrics();
      long counted = Stream.of(LossCause.values()).mapToLong(metrics::lossOf).sum();
      int lost = costs(kind, place) ? 1 : 0;
      assertThat(probe.lines()).hasSize(EVENTS - lost);
      assertThat(counted)
          .as("counted, " + metrics.getLossByCause())
          .isEqualTo(isSwallowed(kind, place, fault) ? 0 : lost);
      if (place != Place.TO_STRING) { // SLF4J tells of that, and prints something in its place
        probe.awaitStatus(Status.WARN, fault == Fault.ERROR ? "on/Purpose" : "on purpose");
        new SequenceCheck(probe.logFile()).assertInOrderWithoutFragments();
      }
      assertThat(metrics.getAccepted()).isEqualTo(metrics.getDelivered() + metrics.getLost());
    }
  }

  /** A text that cannot be had is replaced, and a policy that fails costs a rollover. */
  private static boolean costs(Kind kind, Place place) {
    return place != Place.TO_STRING && !(kind == Kind.FILE && place == Place.SINK);
  }

  /** Logback's own appenders catch what is thrown behind their encoder, tell of it, and return. */
  private static boolean isSwallowed(Kind kind, Place place, Fault fault) {
    return kind == Kind.WRAPPED && fault == Fault.EXCEPTION && place == Place.SINK;
  }

  static List<Arguments> logging() {
    return Stream.of(Kind.values())
        .flatMap(kind -> Stream.of(Place.values()).map(place -> Arguments.of(kind, place)))
        .toList();
  }

  /** Through the appender that is at work: the inner event is delivered, or counted. */
  @ParameterizedTest
  @MethodSource("logging")
  void loggingFromWithinNeitherLoopsNorDeadlocks(Kind kind, Place place) {
    int[] inner = {0};
    Probe[] self = new Probe[1];
    Runnable logs = () -> self[0].logger.warn("#1:{}.", inner[0]++);
    self[0] = probe(kind, place, logs);
    try (Probe probe = self[0]) {
      log(probe, place, logs);
      SequenceCheck check = probe.assertLog("0", EVENTS);
      assertThat(inner[0]).as("logged from within").isPositive();
      assertThat(check.of("1").cardinality() + probe.metrics().lossOf(LossCause.REENTRANT))
          .as("inner events delivered or counted")
          .isEqualTo(inner[0]);
    }
  }
}
