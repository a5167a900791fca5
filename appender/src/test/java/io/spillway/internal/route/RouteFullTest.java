package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillListener;
import io.spillway.internal.spill.SpillTesting;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A spill at its limit, or on a full disk. */
class RouteFullTest {
  private static final long SPILL_BYTES = 300_000;
  private static final long MEMORY_BYTES = 100_000;
  private static final int BATCH_BYTES = 40_000;

  @TempDir private Path directory;

  private final Counters counters = new Counters();
  private final ContextBase context = new ContextBase();
  private final Delivery delivery = new Delivery();

  /** As with a log that has lost something: what is delivered stays there. */
  @Test
  void shouldTellOfAFullSpillOnlyOnceMemoryIsFull() throws Exception {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    Reports reports = new Reports(origin);
    SpillConfig config =
        new SpillConfig(directory, SPILL_BYTES, SpillKind.BYTES, 1_000_000, null, false);
    try (Spill spill = Spill.of(config, new SpillListener() {}, () -> false)) {
      spill.open();
      Route route =
          new Route(
              new PipelineContext("full", counters, reports),
              new HandOff(MEMORY_BYTES),
              new Route.Overflow(
                  spill, BatchCodec.bytes(), SpillMode.ALWAYS, () -> false, false, Routes.NO_DROPS),
              new EpisodeReports("full", counters, null));
      place(route);
      while (route.isWritten()) {
        deliver(route);
        place(route);
      }
      assertThat(spill.isEmpty()).as("all of it is delivered").isTrue();
      reports.info("memory has taken one");
      await().until(() -> messages().contains("memory has taken one"));
      assertThat(messages()).noneMatch(message -> message.contains("maxSpillSize"));

      while (Routes.place(route, batch())) {
        assertThat(route.isWritten()).isFalse();
      }
      await()
          .until(
              () ->
                  messages().stream()
                      .anyMatch(
                          message -> message.startsWith("The spill has reached maxSpillSize")));
    }
  }

  /** Log calls that wait for the write put the first into the spill, and the rest follows it. */
  @Test
  void shouldBeginNoEpisodeWhileTheSinkKeepsUpThoughTheSpillIsNeverEmpty() throws Exception {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    Reports reports = new Reports(origin);
    SpillConfig config = new SpillConfig(directory, 100_000_000, SpillKind.BYTES, 0, null, false);
    try (Spill spill = Spill.of(config, new SpillListener() {}, () -> false)) {
      spill.open();
      Route route =
          new Route(
              new PipelineContext("kept up", counters, reports),
              new HandOff(MEMORY_BYTES),
              new Route.Overflow(
                  spill,
                  BatchCodec.bytes(),
                  SpillMode.OVERFLOW,
                  () -> false,
                  false,
                  Routes.NO_DROPS),
              new EpisodeReports("kept up", counters, null));
      BatchCodec codec = route.anotherCodec();
      assertThat(route.place(batch(), codec, EventCodec.Foreign.UNWATCHED, null, true)).isTrue();
      for (int i = 0; i < 10; i++) {
        place(route);
        assertThat(route.isWritten()).isTrue();
        deliver(route);
        assertThat(route.isSpilling()).as("after %d more", i).isFalse();
      }
      place(route);
      place(route);
      assertThat(route.isSpilling()).as("it is behind now").isTrue();
    }
  }

  /** A quota of the log's directory does not concern a spill elsewhere on its disk. */
  @Test
  void shouldLeaveReturningSpaceToTheSinkOnlyOnceTheSpillHasHadNoRoomEither() throws Exception {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    Reports reports = new Reports(origin);
    SpillConfig config = new SpillConfig(directory, 100_000_000, SpillKind.BYTES, 0, null, false);
    FaultyDisk disk = new FaultyDisk();
    AtomicBoolean barred = new AtomicBoolean(true);
    try (Spill spill = SpillTesting.open(config, disk)) {
      Route route =
          new Route(
              new PipelineContext("no room", counters, reports),
              new HandOff(MEMORY_BYTES),
              new Route.Overflow(
                  spill,
                  BatchCodec.bytes(),
                  SpillMode.OVERFLOW,
                  barred::get,
                  false,
                  Routes.NO_DROPS),
              new EpisodeReports("no room", counters, null));
      while (spill.isEmpty()) {
        place(route);
      }
      place(route);
      assertThat(route.isWritten()).as("there is room").isTrue();

      disk.hook(RouteFullTest::full);
      assertThat(Routes.place(route, batch())).isFalse();
      disk.hook((number, operation, path) -> {});
      assertThat(Routes.place(route, batch())).as("what returns is the sink's").isFalse();
      barred.set(false);
      place(route);
      barred.set(true);
      place(route);

      disk.hook(RouteFullTest::full);
      assertThat(Routes.place(route, batch())).isFalse();
      disk.hook((number, operation, path) -> {});
      fillMemory(route);
      assertThat(Routes.place(route, batch())).as("it is the sink's still").isFalse();

      barred.set(false);
      fillMemory(route);
      barred.set(true);
      place(route);
      assertThat(route.isWritten()).as("the full disk is of the past").isTrue();
    }
  }

  /** As much as it takes, once all that waits is delivered. */
  private static void fillMemory(Route route) {
    while (route.next() != null) {
      route.finished();
    }
    for (int i = 0; i < MEMORY_BYTES / BATCH_BYTES; i++) {
      place(route);
      assertThat(route.isWritten()).isFalse();
    }
  }

  private static void full(long number, String operation, Path path) throws IOException {
    if (operation.equals("write")) {
      throw new IOException("No space left on device");
    }
  }

  private static Batch batch() {
    return new ByteBatch(new byte[BATCH_BYTES], 1);
  }

  private static void place(Route route) {
    assertThat(Routes.place(route, batch())).isTrue();
  }

  private void deliver(Route route) {
    Batch batch = route.next();
    assertThat(delivery.begin(batch)).isTrue();
    route.beforeDelivery();
    assertThat(delivery.claim(1)).isTrue();
    delivery.done(1);
    route.finished();
  }

  private List<String> messages() {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .map(Status::getMessage)
        .toList();
  }
}
