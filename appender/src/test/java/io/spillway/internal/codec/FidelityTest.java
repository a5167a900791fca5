package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEventVO;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** The promise: an event that went through the disk prints as one that did not. */
class FidelityTest {
  private static final Layouts LAYOUTS = new Layouts();
  private static final Layouts LAYOUTS_AND_LOGSTASH = new Layouts().withLogstash();

  @Provide
  Arbitrary<Events> events() {
    return EventArbitraries.events(true);
  }

  /** Without what logstash-logback-encoder prints by looking into it. */
  @Provide
  Arbitrary<Events> unstructured() {
    return Combinators.combine(EventArbitraries.events(false), MarkerArbitraries.plainLists())
        .as(Events::markers);
  }

  @Provide
  Arbitrary<List<Events>> runs() {
    return EventArbitraries.events(true).list().ofMaxSize(6);
  }

  @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
  void shouldPrintTheSameThroughEveryLayout(@ForAll("events") Events event) {
    LAYOUTS.assertSame(event, Runs.roundTrip(event));
  }

  @Property(tries = 80, edgeCases = EdgeCasesMode.NONE)
  void shouldPrintTheSameThroughLogstashEncoder(@ForAll("unstructured") Events event) {
    LAYOUTS_AND_LOGSTASH.assertSame(event, Runs.roundTrip(event));
  }

  @Property(tries = 50, edgeCases = EdgeCasesMode.NONE)
  void shouldPrintTheSameForLogbacksOwnCopyOfAnEvent(@ForAll("events") Events event) {
    LoggingEventVO copy = LoggingEventVO.build(event);

    LAYOUTS.assertSame(copy, Runs.roundTrip(copy));
  }

  @Property(tries = 80, edgeCases = EdgeCasesMode.NONE)
  void shouldEncodeADecodedRunToTheSameBytes(@ForAll("runs") List<Events> run) {
    byte[] first = Runs.encode(run.toArray(new ILoggingEvent[0]));

    assertThat(Runs.encode(Runs.decode(first))).isEqualTo(first);
  }

  @Property(tries = 50, edgeCases = EdgeCasesMode.NONE)
  void shouldKeepEachEventOfARunApart(@ForAll("runs") List<Events> run) {
    ILoggingEvent[] decoded = Runs.roundTrip(run.toArray(new ILoggingEvent[0]));

    for (int i = 0; i < decoded.length; i++) {
      LAYOUTS.assertSame(run.get(i), decoded[i]);
    }
  }
}
