package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.net.server.HardenedLoggingEventInputStream;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.LoggingEventVO;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarkerFactory;

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

  /** It knows few classes, and closes the connection at any other. */
  @Example
  @SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
  void shouldBeTakenByLogbacksReceiverAsTheOriginalIs() throws Exception {
    LoggerContext context = new LoggerContext();
    context.putProperty("app", "till");
    Throwable failure = new IllegalStateException("no paper", new Error("cause"));
    LoggingEvent event =
        new LoggingEvent(
            "", context.getLogger("till"), Level.WARN, "sold {}", failure, new Object[] {7});
    event.setMDCPropertyMap(new HashMap<>(Map.of("user", "ann", "request", "r1")));
    Marker marker = new BasicMarkerFactory().getDetachedMarker("AUDIT");
    marker.add(new BasicMarkerFactory().getDetachedMarker("SALES"));
    event.addMarker(marker);
    ILoggingEvent original = received(context, event);
    ILoggingEvent spilled = received(context, Runs.roundTrip(event));

    LAYOUTS.assertSame(original, spilled);
    assertThat(spilled.getMDCPropertyMap()).hasSize(2).isEqualTo(original.getMDCPropertyMap());
    assertThat(spilled.getMarkerList()).hasToString("[AUDIT [ SALES ]]");
    assertThat(spilled.getLoggerContextVO().getPropertyMap())
        .containsEntry("app", "till")
        .isEqualTo(original.getLoggerContextVO().getPropertyMap());
  }

  /** As SocketAppender sends it and SocketNode reads it. */
  private static ILoggingEvent received(LoggerContext context, ILoggingEvent event)
      throws Exception {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(sent)) {
      out.writeObject(LoggingEventVO.build(event));
    }
    try (ObjectInputStream in =
        new HardenedLoggingEventInputStream(
            context, new ByteArrayInputStream(sent.toByteArray()))) {
      return (ILoggingEvent) in.readObject();
    }
  }
}
