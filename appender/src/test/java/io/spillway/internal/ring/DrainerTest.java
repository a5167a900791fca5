package io.spillway.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.Pulse;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.route.Deliverer;
import io.spillway.internal.route.HandOff;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Receipt;
import io.spillway.internal.route.Route;
import io.spillway.internal.route.SpillMode;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillTesting;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class DrainerTest {
  private static final DropPolicy POLICY = new DropPolicy(true, false, 2, 0); // all are kept
  private static final List<String> EVENTS = List.of("0", "1", "2", "3", "4", "5");

  @TempDir private Path directory;

  private final Counters counters = new Counters();
  private final AtomicBoolean noRoom = new AtomicBoolean(true);
  private final AtomicBoolean failsOnce = new AtomicBoolean();
  private final Codec codec = new Codec();
  private DropPolicy policy = POLICY;
  private SpillMode mode = SpillMode.OVERFLOW;
  private BooleanSupplier lacksRoom = noRoom::get;

  /** Each event is a batch. */
  private static class One implements Batcher<String> {
    private Batch batch;

    @Override
    public boolean add(String event, Object[] arguments) {
      batch = new ByteBatch(event.getBytes(StandardCharsets.UTF_8), 1);
      return false;
    }

    @Override
    public Batch take() {
      Batch taken = batch;
      batch = null;
      return taken;
    }
  }

  /** Once, there is no memory for a batch. */
  private static final class Codec extends BatchCodec {
    private final BatchCodec bytes = BatchCodec.bytes();
    private String tooLarge;

    @Override
    public Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how) {
      if (text(batch).equals(tooLarge)) {
        tooLarge = null;
        throw new OutOfMemoryError("injected");
      }
      return bytes.encode(batch, skip, how);
    }

    @Override
    public Batch decode(byte[] payload, int events, int skip) throws CodecException {
      return bytes.decode(payload, events, skip);
    }

    @Override
    public BatchCodec another() {
      return this;
    }
  }

  private static String text(Batch batch) {
    return new String(((ByteBatch) batch).bytes(), StandardCharsets.UTF_8);
  }

  private Spill spill() throws IOException {
    SpillConfig config =
        new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, policy.tallies());
    return SpillTesting.open(config, new FaultyDisk().hook(this::beforeOperation));
  }

  private void beforeOperation(long number, String operation, Path path) throws IOException {
    if (operation.equals("write") && !path.endsWith("cursor")) {
      if (lacksRoom.getAsBoolean()) {
        throw new IOException("No space left on device");
      }
      if (failsOnce.getAndSet(false)) {
        throw new IOException("Input/output error");
      }
    }
  }

  private Route route(PipelineContext context, Spill spill) {
    return new Route(
        context,
        new HandOff(1),
        new Route.Overflow(spill, codec, mode, () -> false, false, policy),
        new EpisodeReports("test", counters, null));
  }

  /** Makes batchers, of which one is of no use at an event, and for some time no other. */
  private static final class Maker implements Supplier<Batcher<String>> {
    private final String choke;
    private volatile boolean works = true;
    private final AtomicBoolean chokes = new AtomicBoolean(true);
    private final AtomicInteger asked = new AtomicInteger();

    Maker(String choke) {
      this.choke = choke;
    }

    @Override
    public Batcher<String> get() {
      if (!works) {
        asked.incrementAndGet();
        throw new IllegalStateException("on purpose");
      }
      return new One() {
        @Override
        public Batch take() {
          Batch taken = super.take();
          if (taken != null && text(taken).equals(choke) && chokes.getAndSet(false)) {
            works = false;
            throw new IllegalStateException("on purpose");
          }
          return taken;
        }
      };
    }

    void work() {
      works = true;
    }
  }

  private Drainer<String> drainer(
      EventRing<String> ring, Supplier<Batcher<String>> batchers, Spill spill) {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(new ContextBase());
    PipelineContext context = new PipelineContext("test", counters, new Reports(origin));
    Route route = route(context, spill);
    return new Drainer<>(
        context,
        new Drainer.Source<>(ring, batchers, event -> event, policy),
        route,
        new Deliverer(context, route, null, null),
        new Pulse(counters, new EpisodeReports("test", counters, null)));
  }

  private static void end(Drainer<String> drainer) {
    drainer.finish();
    drainer.giveUp();
    await().until(() -> !drainer.isAlive());
  }

  /** The second event is alone in its batch, as large ones are. */
  private static final class Pair implements Batcher<String> {
    private final Deque<Batch> batches = new ArrayDeque<>();

    @Override
    public boolean add(String event, Object[] arguments) {
      batches.add(new ByteBatch(event.getBytes(StandardCharsets.UTF_8), 1));
      return batches.size() < 2;
    }

    @Override
    public Batch take() {
      return batches.poll();
    }
  }

  @Test
  @Timeout(60)
  void shouldAcknowledgeNeitherOfTwoBatchesOfWhichTheFirstIsInMemory() throws Exception {
    AtomicInteger writes = new AtomicInteger();
    lacksRoom = () -> writes.getAndIncrement() == 0;
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    List<Receipt> receipts = List.of(new Receipt(), new Receipt());
    try (Spill spill = spill()) {
      Drainer<String> drainer = drainer(ring, Pair::new, spill);
      ring.tryPublish("first", receipts.get(0));
      ring.tryPublish("alone", receipts.get(1));
      drainer.start();
      await().until(() -> receipts.get(1).isSettled());
      assertThat(spill.waitingBytes()).as("the second is written").isPositive();
      assertThat(receipts).extracting(receipt -> receipt.await(0, 0)).containsOnly(false);
      end(drainer);
    }
  }

  /** They wait as long as the ring has room; then the oldest are lost, and publishers go on. */
  @Test
  @Timeout(60)
  void shouldTakeABatcherThatCannotBeMadeForAnEncoderThatDoesNotReturn() throws Exception {
    noRoom.set(false);
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    Maker maker = new Maker("0");
    try (Spill spill = spill()) {
      Drainer<String> drainer = drainer(ring, maker, spill);
      EVENTS.forEach(ring::tryPublish);
      drainer.start();
      await().until(() -> maker.asked.get() > 20); // for longer than a second
      assertThat(counters.count(LossCause.ENCODE_FAILED)).as("there is room").isZero();
      for (int i = 0; i < 1_000; i++) {
        while (!ring.tryPublish("late " + i)) {
          assertThat(Thread.interrupted()).as("timed out: publishers wait").isFalse();
          Thread.onSpinWait();
        }
      }
      await().until(() -> ring.used() <= 48); // three quarters
      long lost = counters.count(LossCause.ENCODE_FAILED);
      assertThat(lost).isEqualTo(EVENTS.size() + 1_000 - ring.used());
      maker.work();
      await().until(ring::isEmpty);
      assertThat(counters.count(LossCause.ENCODE_FAILED)).isEqualTo(lost);

      end(drainer);
    }
  }

  @Test
  @Timeout(60)
  void shouldEndThoughNoBatcherCanBeMade() throws Exception {
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    Maker maker = new Maker("0");
    try (Spill spill = spill()) {
      Drainer<String> drainer = drainer(ring, maker, spill);
      EVENTS.forEach(ring::tryPublish);
      drainer.start();
      await().until(() -> maker.asked.get() > 0);
      end(drainer);
    }
    assertThat(counters.count(LossCause.ENCODE_FAILED)).isEqualTo(EVENTS.size());
  }

  /** Whoever has claimed it may have lost the processor, and is not to wait for it as well. */
  @Test
  @Timeout(60)
  void shouldParkWhileASlotIsClaimedAndNotPublished() throws Exception {
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    try (Spill spill = spill()) {
      Drainer<String> drainer = drainer(ring, One::new, spill);
      drainer.start();
      Claimed claimed = Claimed.of(ring);
      long before = drainer.handled();
      int parks = 0;
      long seen = before;
      while (parks < 50) { // the first few are of its idling
        long now = drainer.handled(); // moves with each look at the slot
        if (now != seen && LockSupport.getBlocker(drainer.thread()) != null) {
          seen = now;
          parks++;
        }
        assertThat(Thread.interrupted()).as("timed out: it does not park, looks " + now).isFalse();
        Thread.onSpinWait();
      }
      claimed.publish("claimed");
      await().until(ring::isEmpty);
      end(drainer);
    }
  }

  /** Where events come one at a time, a pause that is to gather more is one more wake-up. */
  @Test
  @Timeout(60)
  void shouldGatherOnlyWhereEventsComeTogether() throws Exception {
    noRoom.set(false);
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    try (Spill spill = spill()) {
      Drainer<String> drainer = drainer(ring, One::new, spill);
      drainer.start();
      gathers(drainer, ring); // it knows of none before it
      for (int i = 0; i < 20; i++) {
        assertThat(gathers(drainer, ring)).as("event %s", i).isFalse();
      }
      boolean gathered = false;
      while (!gathered) { // pauses can pass unseen
        gathers(drainer, ring);
        ring.tryPublish("the second of a pair, which ends its sleep at once");
        sleeps(drainer, ring);
        gathered = gathers(drainer, ring);
        assertThat(Thread.interrupted()).as("timed out: it never gathers").isFalse();
      }
      end(drainer);
    }
  }

  /** Whether it is seen to pause between an event after a lull and its next sleep. */
  private static boolean gathers(Drainer<String> drainer, EventRing<String> ring) {
    sleeps(drainer, ring);
    long later = System.nanoTime() + 3_000_000; // longer than it would pause
    while (System.nanoTime() - later < 0) {
      Thread.onSpinWait();
    }
    ring.tryPublish("event");
    return sleeps(drainer, ring);
  }

  private static boolean sleeps(Drainer<String> drainer, EventRing<String> ring) {
    boolean paused = false;
    boolean empty;
    Object blocker;
    do {
      empty = ring.isEmpty();
      blocker = LockSupport.getBlocker(drainer.thread());
      paused |= blocker == drainer;
      Thread.onSpinWait();
    } while (!(empty && blocker instanceof Sleeper) && !Thread.currentThread().isInterrupted());
    return paused;
  }

  /** The batcher fails while it reads on behind a batch that finds no room. */
  @Test
  @Timeout(60)
  void shouldPlaceWhatIsABatchThoughNoBatcherCanBeMade() throws Exception {
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    Maker maker = new Maker("2");
    try (Spill spill = spill()) {
      Drainer<String> drainer = drainer(ring, maker, spill);
      EVENTS.forEach(ring::tryPublish);
      drainer.start();
      await()
          .until(
              () -> {
                ring.askForRoom();
                return maker.asked.get() > 0;
              });
      noRoom.set(false);
      await().until(() -> !drainer.hasNoRoom());
      maker.work();
      await().until(ring::isEmpty);
      end(drainer);
    }
    assertThat(counters.count(LossCause.ENCODE_FAILED)).isZero();
  }

  /** What memory holds makes room only for want of room, and not because the spill is first. */
  @Test
  @Timeout(60)
  void shouldDropNothingOfMemoryWhileTheRingHasRoomThoughTheSpillCannotBeWritten()
      throws Exception {
    policy = new DropPolicy(true, true, Tally.LEVELS, 0);
    mode = SpillMode.ALWAYS;
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    try (Spill spill = spill()) {
      Drainer<String> drainer = drainer(ring, One::new, spill);
      EVENTS.forEach(ring::tryPublish);
      drainer.start();
      await().until(() -> drainer.hasNoRoom() || counters.count(LossCause.EVICTED) > 0);
      assertThat(counters.count(LossCause.EVICTED)).isZero();
      await()
          .until(
              () -> {
                ring.tryPublish("more");
                return counters.count(LossCause.EVICTED) > 0;
              });
      assertThat(ring.used()).isGreaterThan(32);
      end(drainer);
    }
  }

  @Test
  void shouldSaveAllThatHasNoPlaceThoughMemoryIsShortMeanwhile() throws Exception {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(new ContextBase());
    PipelineContext context = new PipelineContext("test", counters, new Reports(origin));
    EventRing<String> ring = EventRing.withSlots(64, event -> 0, 1 << 20);
    try (Spill spill = spill()) {
      Route route = route(context, spill);
      Drainer<String> drainer =
          new Drainer<>(
              context,
              new Drainer.Source<>(ring, One::new, event -> event, POLICY),
              route,
              new Deliverer(context, route, null, null),
              new Pulse(counters, new EpisodeReports("test", counters, null)));
      EVENTS.forEach(ring::tryPublish);
      drainer.start();
      await()
          .until(
              () -> {
                ring.askForRoom();
                return ring.isEmpty();
              });
      drainer.finish();
      drainer.giveUp();
      await().until(() -> !drainer.isAlive());

      noRoom.set(false);
      assertThat(route.saveRest(new Delivery(), false)).isZero();
      codec.tooLarge = "3";
      assertThatThrownBy(() -> drainer.saveUnplaced(false)).isInstanceOf(OutOfMemoryError.class);
      failsOnce.set(true); // a failure of a moment does not lose them either
      assertThat(drainer.saveUnplaced(false)).isZero();
      assertThat(failsOnce).isFalse();
    }
    assertThat(counters.count(LossCause.NOT_SAVED)).isZero();
    List<String> saved = new ArrayList<>();
    try (Spill spill = spill()) {
      Route next = route(context, spill);
      for (Batch batch = next.next(); batch != null; batch = next.next()) {
        saved.add(text(batch));
        next.finished();
      }
    }
    assertThat(saved).isEqualTo(EVENTS);
  }
}
