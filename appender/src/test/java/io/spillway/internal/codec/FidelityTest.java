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
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.slf4j.Marker;
import org.slf4j.helpers.BasicMarkerFactory;

/** The promise: an event that went through the disk prints as one that did not. */
class FidelityTest {
  private static final Layouts LAYOUTS = new Layouts();
  private static final Layouts LAYOUTS_AND_LOGSTASH = new Layouts().withLogstash();

  @Property(tries = 100)
  void shouldPrintTheSameThroughEveryLayout(@ForAll long seed) {
    List<Events> events = new RandomEvents(seed, true).events();
    byte[] payload = Events.encode(events.toArray(new ILoggingEvent[0]));
    ILoggingEvent[] decoded = Events.decode(payload);

    for (int i = 0; i < decoded.length; i++) {
      LAYOUTS.assertSame(events.get(i), decoded[i]);
    }
    assertThat(Events.encode(decoded)).isEqualTo(payload);
  }

  /** Without the objects that logstash-logback-encoder looks into. */
  @Property(tries = 50)
  void shouldPrintTheSameThroughLogstashEncoder(@ForAll long seed) {
    Events event = new RandomEvents(seed, false).event();

    LAYOUTS_AND_LOGSTASH.assertSame(event, Events.roundTrip(event));
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
    ILoggingEvent spilled = received(context, Events.roundTrip(event));

    LAYOUTS.assertSame(original, spilled);
    assertThat(spilled.getMDCPropertyMap()).hasSize(2).isEqualTo(original.getMDCPropertyMap());
    assertThat(spilled.getMarkerList()).hasToString("[AUDIT [ SALES ]]");
    assertThat(spilled.getLoggerContextVO()).isEqualTo(original.getLoggerContextVO());
  }

  /** As SocketAppender sends it and SocketNode reads it. */
  private static ILoggingEvent received(LoggerContext context, ILoggingEvent event)
      throws Exception {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(sent)) {
      out.writeObject(LoggingEventVO.build(event));
    }
    ByteArrayInputStream bytes = new ByteArrayInputStream(sent.toByteArray());
    try (ObjectInputStream in = new HardenedLoggingEventInputStream(context, bytes)) {
      return (ILoggingEvent) in.readObject();
    }
  }
}
