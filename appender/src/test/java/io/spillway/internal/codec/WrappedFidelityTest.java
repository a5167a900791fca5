package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.testkit.Rig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;

/** The same promise for the whole appender: through memory, and through the spill on disk. */
class WrappedFidelityTest {
  private final Layouts layouts = new Layouts();

  @Provide
  Arbitrary<List<Events>> runs() {
    return EventArbitraries.events(true).list().ofMinSize(1).ofMaxSize(20);
  }

  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void shouldPrintTheSameThroughMemory(@ForAll("runs") List<Events> events) throws IOException {
    assertSame(events, "OVERFLOW", false);
  }

  @Property(tries = 25, shrinking = ShrinkingMode.OFF)
  void shouldPrintTheSameThroughTheSpill(@ForAll("runs") List<Events> events) throws IOException {
    assertSame(events, "ALWAYS", true);
  }

  private void assertSame(List<Events> events, String mode, boolean spilled) throws IOException {
    Path directory = Files.createTempDirectory("fidelity");
    ListAppender<ILoggingEvent> nested = new ListAppender<>();
    Rig rig = new Rig(directory, nested);
    try (rig) {
      rig.appender.setSpillMode(mode);
      rig.start();
      events.forEach(rig.appender::doAppend);
      rig.awaitDelivered();
    }
    // After the stop: the drainer counts a batch as spilled when it may be delivered already.
    assertThat(rig.appender.getMetrics().getSpilled()).isEqualTo(spilled ? events.size() : 0);
    assertThat(nested.list).hasSameSizeAs(events);
    for (int i = 0; i < events.size(); i++) {
      assertThat(nested.list.get(i) instanceof SpilledEvent).isEqualTo(spilled);
      layouts.assertSame(events.get(i), nested.list.get(i));
    }
    Files.deleteIfExists(directory);
  }
}
