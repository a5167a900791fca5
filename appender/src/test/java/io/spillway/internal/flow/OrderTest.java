package io.spillway.internal.flow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.disk.SpillFiles;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.FlightEvents;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.NestedAppenderSink;
import io.spillway.internal.sink.Sink;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.metrics.LossCause;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rules of order, step by step, on a real spill and a clock that a test turns. */
class OrderTest {
  private static final int SLOTS = 8;
  private static final long MILLIS = TimeUnit.MILLISECONDS.toNanos(1);

  @TempDir Path directory;

  private final List<String> delivered = new ArrayList<>();
  private final EventRing ring = new EventRing(SLOTS, 1 << 20, new Sleeper(), new Sleeper());
  private RecordCodec codec = new RecordCodec.Bytes();
  private Tell tell;
  private Spill spill;
  private Order order;
  private long nanos = MILLIS;

  private void open(boolean always, FlowConfig.Acknowledge acknowledge) {
    tell = new Tell(new Counters(), reports(), new FlightEvents(null, null));
    SpillReports spillReports = new SpillReports(tell);
    spill =
        new Spill(
            new SpillConfig(directory.resolve("s"), 16 << 20, SpillConfig.Kind.BYTES, 0, null),
            new SpillFiles(),
            spillReports,
            () -> true);
    Sink sink = new Discarding();
    Pipeline.Parts parts =
        new Pipeline.Parts("A", sink, codec, spill, spillReports, new Pipeline.SinkState() {});
    FlowConfig config =
        new FlowConfig(
            SLOTS,
            always,
            FlowConfig.WhenFull.BLOCK,
            Integer.MAX_VALUE,
            0,
            0,
            acknowledge,
            "",
            TimeUnit.SECONDS.toNanos(5));
    order = new Order(ring, parts, config, tell);
    order.nanoClock = () -> nanos;
    order.open();
  }

  private static Reports reports() {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(new ContextBase());
    return new Reports(origin);
  }

  private static final class Discarding implements Sink {
    @Override
    public void deliver(Batch batch) {}

    @Override
    public void close() {}
  }

  @AfterEach
  void close() {
    spill.close();
  }

  private Receipt publish(String event, boolean waits) {
    Receipt receipt = waits ? new Receipt() : null;
    assertThat(ring.tryPublish(event.getBytes(UTF_8), 1, receipt)).as(event).isTrue();
    return receipt;
  }

  private void publish(String... events) {
    for (String event : events) {
      publish(event, false);
    }
  }

  /** Takes the next batch and gives it to a sink that takes all of it. */
  private boolean deliver() {
    if (!order.take()) {
      return false;
    }
    sinkReturns();
    return true;
  }

  private void sinkReturns() {
    Batch batch = order.flight();
    if (!batch.isFenced()) {
      delivered.add(new String(batch.bytes(), 0, batch.length(), UTF_8));
      tell.counters().delivered(batch.count() - batch.done(), batch.leftover());
      batch.done(batch.count());
    }
    order.finish();
  }

  private int spillAll() {
    int batches = 0;
    while (order.spill()) {
      batches++;
    }
    return batches;
  }

  @Test
  void shouldDeliverFromTheRingWithoutTheSpillInFairWeather() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a", "b");
    assertThat(spillAll()).isZero();
    assertThat(deliver()).isTrue();
    assertThat(deliver()).isFalse();
    assertThat(delivered).containsExactly("ab");
    assertThat(order.isDrained()).isTrue();
    assertThat(tell.counters().settled()).isEqualTo(2);
  }

  @Test
  void shouldLetEventsGatherUnlessACallerWaitsOrTheSpillHasMore() {
    open(false, FlowConfig.Acknowledge.WRITTEN);
    assertThat(order.isFlowing()).as("nothing there").isFalse();
    assertThat(order.isFair()).isTrue();
    publish("a");
    assertThat(order.isFlowing()).isTrue();
    publish("b", true);
    assertThat(order.isFlowing()).as("a caller waits").isFalse();
    assertThat(order.isFair()).as("a caller waits").isFalse();
    assertThat(spillAll()).isEqualTo(1);
    publish("c");
    assertThat(order.isFlowing()).as("the spill is to be read").isFalse();
    assertThat(order.isFair()).as("the spill is to be read").isFalse();
  }

  @Test
  void shouldWakeTheDelivererFromALookWhileACallWaits() throws Exception {
    open(false, FlowConfig.Acknowledge.WRITTEN);
    spill.close(); // else the spiller appends the event
    publish("a", true);
    Thread deliverer = new Thread(LockSupport::park);
    deliverer.start();
    Spiller spiller = new Spiller(order, new Sleeper(), deliverer, tell);
    Thread spilling = new Thread(spiller);
    spilling.start();
    deliverer.join(30_000);
    assertThat(deliverer.isAlive()).isFalse();
    spiller.close();
    spilling.join(30_000);
    assertThat(order.isClosed()).isTrue();
  }

  @Test
  void shouldSpillTheFlightFirstThenTheRingDownToHalfWhenTheSinkStalls() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a");
    order.take();
    publish("b", "c", "d", "e", "f", "g");
    nanos += 10 * MILLIS;
    assertThat(spillAll()).as("no stall yet").isZero();
    nanos += MILLIS;
    assertThat(spillAll()).isEqualTo(2);
    assertThat(ring.used()).isZero();
    publish("h");
    sinkReturns();
    assertThat(delivered).containsExactly("a");
    assertThat(deliver()).isTrue();
    assertThat(deliver()).isTrue();
    assertThat(delivered).containsExactly("a", "bcdefg", "h");
    assertThat(spill.events()).isZero();
  }

  /** Else the ring is full before the deliverer has read what a stall has left. */
  @Test
  void shouldGoOnWhileTheSpillHasMoreThanAMegabyteAndTheRingIsHigh() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a");
    order.take();
    nanos += 1001 * MILLIS;
    publish("x".repeat(700_000), "y".repeat(700_000));
    spillAll();
    sinkReturns();
    publish("b", "c", "d", "e", "f");
    assertThat(spillAll()).as("not high").isZero();
    publish("g");
    assertThat(spillAll()).isPositive();
    assertThat(ring.used()).isZero();
  }

  @Test
  void shouldSpillWhateverTheFillOnceABatchIsInTheSinkForMoreThanASecond() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a");
    order.take();
    nanos += 1000 * MILLIS;
    assertThat(spillAll()).isZero();
    nanos += MILLIS;
    assertThat(spillAll()).as("the flight alone").isEqualTo(1);
    publish("b");
    assertThat(spillAll()).isEqualTo(1);
    assertThat(spill.events()).isEqualTo(2);
    assertThat(order.isSaved()).isTrue();
  }

  @Test
  void shouldSendEverythingThroughTheSpillWithAlwaysAndReleaseCallersOnceItIsWritten() {
    open(true, FlowConfig.Acknowledge.WRITTEN);
    Receipt receipt = publish("a", true);
    assertThat(order.take()).as("not from the ring").isFalse();
    assertThat(receipt.isSettled()).isFalse();
    assertThat(spillAll()).isEqualTo(1);
    assertThat(receipt.await(0)).isTrue();
    assertThat(deliver()).isTrue();
    assertThat(delivered).containsExactly("a");
  }

  /** As when the log cannot be forced any more, so that the spill keeps all and fills up. */
  @Test
  void shouldDeliverFromTheRingWithAlwaysWhatTheSpillHasNoRoomFor() {
    open(true, FlowConfig.Acknowledge.NONE);
    publish("x".repeat(17 << 20));
    assertThat(order.take()).as("the spill may take it").isFalse();
    assertThat(spillAll()).isZero();
    assertThat(deliver()).isTrue();
  }

  /** A caller that waits is a stall of its own, and the flight goes with it. */
  @Test
  void shouldSpillUpToTheEventOfACallerThatWaits() {
    open(false, FlowConfig.Acknowledge.WRITTEN);
    Receipt inFlight = publish("a", true);
    order.take();
    publish("b");
    Receipt inRing = publish("c", true);
    assertThat(spillAll()).isEqualTo(2);
    assertThat(inFlight.await(0)).isTrue();
    assertThat(inRing.await(0)).isTrue();
    sinkReturns();
    assertThat(deliver()).isTrue();
    assertThat(delivered).containsExactly("a", "bc");
  }

  @Test
  void shouldAcknowledgeADeliveryThatIsFirst() {
    open(false, FlowConfig.Acknowledge.WRITTEN);
    Receipt receipt = publish("a", true);
    deliver();
    assertThat(receipt.await(0)).isTrue();
    assertThat(spill.events()).isZero();
  }

  @Test
  void shouldRefuseEverybodyWhileAlwaysHasNoSpill() {
    open(true, FlowConfig.Acknowledge.WRITTEN);
    spill.close();
    Receipt receipt = publish("a", true);
    assertThat(deliver()).as("from the ring").isTrue();
    assertThat(receipt.await(0)).isFalse();
  }

  @Test
  void shouldTakeAFlightAgainAfterAThrow() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a", "b");
    order.take();
    order.finish();
    assertThat(order.take()).isTrue();
    sinkReturns();
    assertThat(delivered).containsExactly("ab");
  }

  @Test
  void shouldSaveWhatAFencedDelivererLeftAndWhatIsBehindIt() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a");
    order.take();
    publish("b");
    order.flight().fence();
    assertThat(order.close(false)).as("a batch in flight and one in the ring").isFalse();
    assertThat(spillAll()).isEqualTo(2);
    assertThat(order.close(false)).isTrue();
    sinkReturns();
    assertThat(delivered).isEmpty();
    assertThat(tell.counters().count(LossCause.NOT_SAVED)).isZero();
    Tell before = tell;
    open(false, FlowConfig.Acknowledge.NONE);
    assertThat(deliver()).isTrue();
    assertThat(deliver()).isTrue();
    assertThat(delivered).containsExactly("a", "b");
    assertThat(before.counters().settled()).isZero();
    assertThat(tell.counters().settled()).as("of an earlier run").isZero();
  }

  /** What the sink took before the fence is not delivered by the next start. */
  @Test
  void shouldMarkWhatWasDoneBeforeTheEnd() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a");
    order.take();
    nanos += 2000 * MILLIS;
    spillAll();
    order.flight().done(1);
    order.flight().fence();
    assertThat(order.close(false)).isTrue();
    open(false, FlowConfig.Acknowledge.NONE);
    assertThat(order.take()).isFalse();
  }

  @Test
  void shouldCountWhatCannotBeSavedAtTheEnd() {
    open(false, FlowConfig.Acknowledge.WRITTEN);
    spill.close();
    publish("a");
    order.take();
    Receipt receipt = publish("b", true);
    order.flight().fence();
    assertThat(spillAll()).isZero();
    assertThat(order.close(false)).isFalse();
    assertThat(order.close(true)).isTrue();
    assertThat(tell.counters().count(LossCause.NOT_SAVED)).isEqualTo(2);
    assertThat(receipt.await(0)).isFalse();
    assertThat(ring.accepted()).isEqualTo(2);
  }

  /** A nested appender's event whose marker throws; the caller of it waits for the sink. */
  @Test
  void shouldSpillWhatIsBehindAFlightThatCannotBeEncoded() {
    codec = new RecordCodec.Events(noAppender(), reports());
    open(false, FlowConfig.Acknowledge.WRITTEN);
    LoggingEvent broken = new LoggingEvent(); // without a level
    Receipt inFlight = new Receipt();
    ring.tryPublish(broken, 1, inFlight);
    order.take();
    LoggingEvent whole = new LoggingEvent();
    whole.setLevel(Level.INFO);
    whole.setMessage("whole");
    whole.setMDCPropertyMap(Map.of());
    Receipt inRing = new Receipt();
    ring.tryPublish(whole, 1, inRing);
    assertThat(spillAll()).isEqualTo(2);
    assertThat(inRing.await(0)).isTrue();
    assertThat(inFlight.isSettled()).isFalse();
    assertThat(spill.events()).isEqualTo(1);
    order.flight().done(1);
    order.finish();
    assertThat(inFlight.await(0)).isTrue();
    assertThat(order.take()).isTrue();
    assertThat(((ILoggingEvent) order.flight().events()[0]).getMessage()).isEqualTo("whole");
  }

  @Test
  void shouldCountARunThatCannotBeEncodedAndGoOn() {
    codec = new RecordCodec.Events(noAppender(), reports());
    open(true, FlowConfig.Acknowledge.WRITTEN);
    Receipt receipt = new Receipt();
    ring.tryPublish(new LoggingEvent(), 1, receipt);
    assertThat(spillAll()).isEqualTo(1);
    assertThat(tell.counters().count(LossCause.ENCODE_FAILED)).isEqualTo(1);
    assertThat(receipt.isSettled()).isTrue();
    assertThat(receipt.await(0)).isFalse();
    assertThat(order.take()).as("its record, of no event").isTrue();
    order.finish();
    assertThat(order.isDrained()).isTrue();
  }

  private static NestedAppenderSink noAppender() {
    return new NestedAppenderSink(new AppenderAttachableImpl<>(), new Counters(), reports());
  }

  @Test
  void shouldSpillEverythingWhileTheJvmExits() {
    open(false, FlowConfig.Acknowledge.NONE);
    publish("a");
    assertThat(spillAll()).isZero();
    order.exit();
    assertThat(spillAll()).isEqualTo(1);
    assertThat(order.isSaved()).isTrue();
    assertThat(order.exitNanos()).isPositive();
  }
}
