package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.spillway.metrics.Health;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.Rig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a sink throws outside of any one event holds up neither the others nor log calls for ever.
 */
@Tag("slow")
@Timeout(90)
class ThrowingSinkTest {
  private static final int EVENTS = 3_000;

  @TempDir Path directory;

  /** Throws where no appender is expected to. */
  private static final class Throwing extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile boolean always;
    private volatile Supplier<Throwable> thrown = () -> new IllegalStateException("on purpose");
    private volatile int every = Integer.MAX_VALUE;

    @Override
    public boolean isStarted() {
      if (always || asked.incrementAndGet() % every == 0) {
        sneak(thrown.get());
      }
      return super.isStarted();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable t) throws T {
      throw (T) t;
    }

    @Override
    protected void append(ILoggingEvent event) {
      messages.add(event.getFormattedMessage());
    }
  }

  @Test
  void shouldCountAsLostWhatASinkThrowsForForLongAndGoOn() {
    Throwing nested = new Throwing();
    Throwing spilled = new Throwing();
    try (Rig rig = new Rig(directory.resolve("memory"), nested).start();
        Rig other = new Rig(directory.resolve("spill"), spilled)) {
      other.appender.setSpillMode("ALWAYS");
      other.start();
      nested.always = true;
      spilled.always = true;
      log(rig, 0, EVENTS);
      log(other, 0, EVENTS);
      for (Rig each : List.of(rig, other)) {
        each.await(
            "given up", () -> each.appender.getMetrics().lossOf(LossCause.SINK_FAILED) == EVENTS);
        assertThat(each.appender.getMetrics().getPending()).isZero();
        assertThat(each.appender.getMetrics().getDelivered()).isZero();
        assertThat(each.appender.health().status()).isEqualTo(Health.Status.DOWN);
        assertThat(each.statuses()).anyMatch(s -> s.contains("thrown for 10 seconds"));
      }
      nested.always = false;
      spilled.always = false;
      log(rig, EVENTS, 2 * EVENTS);
      log(other, EVENTS, 2 * EVENTS);
      rig.awaitDelivered();
      other.awaitDelivered();
      assertThat(nested.messages).isEqualTo(messages(EVENTS, 2 * EVENTS));
      assertThat(spilled.messages).isEqualTo(messages(EVENTS, 2 * EVENTS));
    }
  }

  /** A shortage of memory ends: it costs nothing that was accepted, however long it lasts. */
  @Test
  void shouldLoseNothingToASinkThatLacksMemoryForLong() {
    Throwing nested = new Throwing();
    nested.thrown = () -> new OutOfMemoryError("on purpose");
    try (Rig rig = new Rig(directory, nested).start()) {
      nested.always = true;
      log(rig, 0, EVENTS);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(12); // others are given up after 10
      rig.await("twelve seconds", () -> end - System.nanoTime() < 0);
      assertThat(rig.appender.getMetrics().getLost()).isZero();
      assertThat(rig.appender.health().status()).isNotEqualTo(Health.Status.UP);
      nested.always = false;
      rig.awaitDelivered();
      assertThat(nested.messages).isEqualTo(messages(0, EVENTS));
    }
  }

  @Test
  @Tag("gate")
  void shouldGoOnBehindWhatWasTakenWhenADeliveryThrows() {
    Throwing nested = new Throwing();
    nested.every = 40;
    try (Rig rig = new Rig(directory, nested).start()) {
      log(rig, 0, EVENTS / 10);
      rig.awaitDelivered();
      assertThat(nested.messages).isEqualTo(messages(0, EVENTS / 10));
      assertThat(rig.appender.getMetrics().getLost()).isZero();
    }
  }

  private static void log(Rig rig, int from, int to) {
    messages(from, to).forEach(rig.logger::info);
  }

  private static List<String> messages(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "event " + i).toList();
  }
}
