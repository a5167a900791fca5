package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.Pulse;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.Batcher;
import io.spillway.internal.ring.Drainer;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.route.Deliverer;
import io.spillway.internal.route.HandOff;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Predecessors;
import io.spillway.internal.route.Route;
import io.spillway.internal.route.SpillMode;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillListener;
import io.spillway.internal.spill.SpillRecord;
import io.spillway.internal.spill.SpillTesting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a stop tells, and how long whoever stops waits for it. */
class EndingTest {
  @TempDir Path directory;

  private final ContextAwareBase origin = new ContextAwareBase();
  private Drainer<String> drainer;
  private long waitedNanos;

  @BeforeEach
  void setContext() {
    origin.setContext(new ContextBase());
  }

  @Test
  void shouldNotBlameTheSinkForWhatIsSetAside() throws Exception {
    PipelineContext context = new PipelineContext("test", new Counters(), new Reports(origin));
    EventRing<String> ring = new EventRing<>(1, event -> 0, 1);
    SpillConfig config = new SpillConfig(directory, 1 << 20, SpillKind.EVENTS, 0, null, false);
    try (Spill spill = SpillTesting.open(config, new SpillListener())) {
      spill.append(new Spill.Payload(new byte[2], 0, 2, 2, 0));
      await().until(() -> isSetAside(spill));
      Ending ending =
          new Ending(
              context,
              new Ending.Subject(ring, null, null, null, new Predecessors.Holding(null, spill)),
              () -> {});
      ring.tryPublish("too large");
      ring.tryPublish("to be read");
      ending.tell();
      ring.tryPublish("to be taken");
      ending.tell();
    }
    String aside = "2 events wait in files that cannot be read or delivered now";
    Reports.flush(origin.getContext());
    assertThat(origin.getContext().getStatusManager().getCopyOfStatusList())
        .extracting(Status::getMessage)
        .satisfiesExactly(
            message -> assertThat(message).contains(aside).doesNotContain("maxFlushTime"),
            message -> assertThat(message).contains("within maxFlushTime: 1 events wait"),
            message -> assertThat(message).contains(aside));
  }

  /** Without a disk, a sink and threads: it takes no step, and whoever waits looks on. */
  private Ending looked(Runnable look) {
    Counters counters = new Counters();
    PipelineContext context = new PipelineContext("test", counters, new Reports(origin));
    EpisodeReports episodes = new EpisodeReports("test", counters, null);
    DropPolicy noDrops = new DropPolicy(false, false, Tally.LEVELS, 0);
    EventRing<String> ring = new EventRing<>(64, event -> 0, 1 << 20);
    Route route =
        new Route(
            context,
            new HandOff(1),
            new Route.Overflow(
                null, BatchCodec.bytes(), SpillMode.OVERFLOW, () -> false, false, noDrops),
            episodes);
    Deliverer deliverer = new Deliverer(context, route, null, null);
    drainer =
        new Drainer<>(
            context,
            new Drainer.Source<>(ring, NoBatcher::new, event -> event, noDrops),
            route,
            deliverer,
            new Pulse(counters, episodes));
    ring.tryPublish("waits");
    return new Ending(
        context,
        new Ending.Subject(ring, drainer, route, deliverer, new Predecessors.Holding(null, null)),
        () -> {}) {
      @Override
      boolean awaitOver(long nanos) {
        look.run();
        waitedNanos += nanos;
        return false;
      }
    };
  }

  private static final class NoBatcher implements Batcher<String> {
    @Override
    public boolean add(String event, Object[] arguments) {
      return false;
    }

    @Override
    public Batch take() {
      return null;
    }
  }

  /** The page's table of how long a stop takes: most times, in the order of its rows. */
  private static List<String> mostTimes() throws IOException {
    String page = Files.readString(Path.of("..", "GUARANTEES.md"));
    return page.substring(page.indexOf("### How long a stop takes"))
        .lines()
        .filter(line -> line.startsWith("| "))
        .skip(1)
        .limit(7)
        .map(line -> line.split(" *[|] *")[2])
        .toList();
  }

  @Test
  void shouldWaitForADrainerAsLongAsThePageSays() throws Exception {
    Ending still = looked(() -> {});
    assertThat(still.await(false)).isFalse();
    assertThat(Duration.ofNanos(waitedNanos)).as("without progress").isEqualTo(seconds(10));
    assertThat(told()).contains("For 10 seconds there has been no thread", "1 events are pending");

    waitedNanos = 0;
    Ending slow = looked(() -> drainer.thread().at(waitedNanos));
    assertThat(slow.await(false)).isFalse();
    assertThat(Duration.ofNanos(waitedNanos)).as("with progress").isEqualTo(seconds(30));
    assertThat(told())
        .contains("A stop takes 30 seconds longer than maxFlushTime", "1 events left to encode");

    assertThat(mostTimes().get(2)).isEqualTo("30 seconds; 10 seconds without progress");
    assertThat(mostTimes().get(5)).isEqualTo("10 seconds");
  }

  /** An exit loses what is left, so that it waits as long as there is progress. */
  @Test
  void shouldWaitAtAnExitForADrainerThatIsSlow() {
    long hour = Duration.ofHours(1).toNanos();
    Ending slow =
        looked(
            () -> {
              if (waitedNanos < hour) {
                drainer.thread().at(waitedNanos);
              }
            });
    assertThat(slow.await(true)).isFalse();
    assertThat(Duration.ofNanos(waitedNanos)).isEqualTo(Duration.ofHours(1).plus(seconds(10)));
    assertThat(told()).contains("they are lost (NOT_SAVED) if the JVM ends before that");
  }

  /** It counts looks, too, but of a thread that ends while it waits. */
  @Test
  void shouldWaitForRoomAsLongAsThePageSays() throws IOException {
    assertThat(mostTimes().get(3)).isEqualTo("1.5 seconds");
    assertThat(Duration.ofNanos(Ending.ROOM_PATIENCE_NANOS)).isEqualTo(Duration.ofMillis(1_500));
  }

  private static Duration seconds(int seconds) {
    return Duration.ofSeconds(seconds);
  }

  private String told() {
    Reports.flush(origin.getContext());
    return origin.getContext().getStatusManager().getCopyOfStatusList().toString();
  }

  private static boolean isSetAside(Spill spill) {
    SpillRecord record = spill.read();
    if (record != null) {
      spill.undelivered(record, 0);
    }
    return spill.setAsideEvents() == 2;
  }
}
