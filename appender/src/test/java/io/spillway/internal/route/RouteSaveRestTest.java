package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.sink.Tally;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillListener;
import io.spillway.internal.spill.SpillTesting;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.Rig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a stop that gives up on the sink leaves for the next start, and what is lost of it there.
 */
class RouteSaveRestTest {
  @TempDir private Path directory;

  private final ContextBase context = new ContextBase();
  private final Counters counters = new Counters();
  private final Delivery delivery = new Delivery();
  private SpillKind kind = SpillKind.BYTES;
  private DropPolicy policy = Routes.NO_DROPS;
  private Spill spill;
  private Route route;

  @AfterEach
  void close() {
    if (spill != null) {
      spill.close();
    }
  }

  private void start(SpillMode mode, BatchCodec codec) throws IOException {
    spill =
        SpillTesting.open(
            new SpillConfig(directory, 1 << 20, kind, 0, null, policy.tallies()),
            new SpillListener() {});
    route = route(new Route.Overflow(spill, codec, mode, () -> false, false, policy));
  }

  private Route route(Route.Overflow overflow) {
    return new Route(
        new PipelineContext("route", counters, reports()),
        new HandOff(1 << 20),
        overflow,
        new EpisodeReports("route", counters, null));
  }

  private Reports reports() {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    return new Reports(origin);
  }

  private static Batch chunk(String text, int events) {
    return new ByteBatch(text.getBytes(StandardCharsets.UTF_8), events);
  }

  private Batch beginNext() {
    Batch batch = route.next();
    assertThat(delivery.begin(batch)).isTrue();
    route.beforeDelivery();
    return batch;
  }

  private long giveUp() {
    delivery.fence();
    return route.saveRest(delivery, false);
  }

  private List<String> afterRestart() throws IOException {
    spill.close();
    start(SpillMode.OVERFLOW, BatchCodec.bytes());
    List<String> texts = new ArrayList<>();
    for (Batch batch = route.next(); batch != null; batch = route.next()) {
      texts.add(new String(((ByteBatch) batch).bytes(), StandardCharsets.UTF_8));
      route.finished();
    }
    return texts;
  }

  @ParameterizedTest
  @EnumSource(SpillMode.class)
  void shouldNotKeepAChunkThatTheSinkTookBeforeTheFence(SpillMode mode) throws IOException {
    start(mode, BatchCodec.bytes());
    Routes.place(route, chunk("taken", 3));
    Routes.place(route, chunk("rest", 2));
    beginNext();
    assertThat(delivery.claim(3)).isTrue();
    delivery.done(3);

    assertThat(giveUp()).isZero();
    assertThat(afterRestart()).containsExactly("rest");
  }

  @Test
  void shouldSaveAChunkThatTheSinkHasNotTaken() throws IOException {
    start(SpillMode.OVERFLOW, BatchCodec.bytes());
    Routes.place(route, chunk("in flight", 3));
    Routes.place(route, chunk("rest", 2));
    beginNext();

    assertThat(giveUp()).isZero();
    assertThat(afterRestart()).containsExactly("in flight", "rest");
  }

  /** A disk that is slow, but works, writes for longer than an exit waits without progress. */
  @Test
  void shouldTakeEachRecordThatIsWrittenForProgress() throws IOException {
    start(SpillMode.OVERFLOW, BatchCodec.bytes());
    for (int i = 0; i < 3; i++) {
      Routes.place(route, chunk("rest", 1));
    }
    long before = route.handledOfRest();

    assertThat(giveUp()).isZero();
    assertThat(route.handledOfRest()).isGreaterThanOrEqualTo(before + 3);
  }

  @Test
  void shouldCountEventsThatCannotBeEncodedForTheNextStart() throws IOException {
    start(SpillMode.OVERFLOW, new OneEventShort());
    Routes.place(route, chunk("rest", 5));

    assertThat(giveUp()).as("saved, as far as it can be").isZero();
    assertThat(counters.count(LossCause.ENCODE_FAILED)).isEqualTo(1);
    assertThat(counters.count(LossCause.NOT_SAVED)).isZero();
    spill.close();
    start(SpillMode.OVERFLOW, BatchCodec.bytes());
    assertThat(route.next().events()).isEqualTo(4);
  }

  @Test
  void shouldCountWhatCannotBeSavedWithoutASpill() {
    route =
        route(
            new Route.Overflow(
                null, BatchCodec.bytes(), SpillMode.OVERFLOW, () -> false, false, Routes.NO_DROPS));
    Routes.place(route, chunk("rest", 5));

    assertThat(giveUp()).isEqualTo(5);
    assertThat(counters.count(LossCause.NOT_SAVED)).isEqualTo(5);
  }

  /** It is the exit that wants them there, not a sink that is behind. */
  @Test
  void shouldBeginNoSpillEpisodeWithWhatIsLoggedBehindABacklog() throws IOException {
    start(SpillMode.OVERFLOW, BatchCodec.bytes());
    Routes.place(route, chunk("rest", 2));
    assertThat(giveUp()).isZero();
    spill.endReading();
    Batch late = chunk("late", 1);
    assertThat(route.placeBehindBacklog(late, route.encodeForBacklog(late), false)).isTrue();

    Reports.flush(context);
    assertThat(context.getStatusManager().getCopyOfStatusList()).isEmpty();
    assertThat(afterRestart()).containsExactly("rest", "late");
  }

  private void startAgain(BatchCodec codec) throws IOException {
    spill.close();
    start(SpillMode.ALWAYS, codec);
  }

  /**
   * Of events that this run has not accepted none may count as settled: others are pending. Nor is
   * a setting wrong then, and an ERROR status ends the start of a Spring Boot application.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountWhatCannotBeDecodedKeepItAndGoOn(boolean leftover) throws IOException {
    kind = SpillKind.EVENTS;
    start(SpillMode.ALWAYS, BatchCodec.events(reports()));
    spill.append(new Spill.Payload(new byte[] {9, 9}, 0, 2, 3, 0));
    ILoggingEvent[] good = {EventCodec.sample()};
    assertThat(Routes.place(route, new EventBatch(good, 0, 0))).isTrue();
    if (leftover) {
      startAgain(BatchCodec.events(reports()));
    }

    assertThat(route.next().events()).as("the good one").isEqualTo(1);
    assertThat(counters.count(LossCause.SPILL_DAMAGED)).isEqualTo(3);
    assertThat(counters.settled()).isEqualTo(leftover ? 0 : 3);
    route.finished();
    assertThat(route.next()).isNull();
    assertThat(route.hasBacklog()).isFalse();
    Reports.flush(context);
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .singleElement()
        .asString()
        .startsWith((leftover ? "WARN" : "ERROR") + " in ")
        .contains("cannot be decoded, it is lost (SPILL_DAMAGED). To do: ");
    spill.close();
    assertThat(Rig.filesBelow(directory))
        .extracting(Path::toString)
        .anyMatch(file -> file.endsWith(".corrupt"))
        .noneMatch(file -> file.endsWith(".seg"));
  }

  @Test
  void shouldNotCountWhatExpiresOfAnEarlierRunAsItsOwn() throws IOException {
    policy = new DropPolicy(true, false, Tally.LEVELS, 60_000);
    start(SpillMode.ALWAYS, BatchCodec.bytes());
    Routes.place(route, chunk("old", 5).with(new Tally(0, new int[] {0, 0, 5, 0, 0})));
    startAgain(BatchCodec.bytes());

    assertThat(route.next()).isNull();
    assertThat(counters.count(LossCause.EXPIRED)).isEqualTo(5);
    assertThat(counters.settled()).isZero();
  }

  @Test
  void shouldNotCountWhatMakesRoomOfAnEarlierRunAsItsOwn() throws IOException {
    policy = new DropPolicy(true, true, Tally.LEVELS, 0);
    start(SpillMode.ALWAYS, BatchCodec.bytes());
    Batch batch = chunk("x".repeat(40_000), 5).with(new Tally(0, new int[] {0, 0, 5, 0, 0}));
    boolean placed = true;
    while (placed) {
      placed = Routes.place(route, batch);
    }
    startAgain(BatchCodec.bytes());

    assertThat(Routes.place(route, batch)).isFalse();
    assertThat(route.makeRoom(batch, true)).isTrue();
    assertThat(counters.count(LossCause.EVICTED)).isPositive();
    assertThat(counters.settled()).isZero();
  }

  /** Leaves one event out of every batch, as a codec does that cannot encode it. */
  private static final class OneEventShort extends BatchCodec {
    private final BatchCodec bytes = BatchCodec.bytes();

    @Override
    public Spill.Payload encode(Batch batch, int skip, EventCodec.Foreign how) {
      Spill.Payload all = bytes.encode(batch, skip, how);
      return new Spill.Payload(all.bytes(), all.offset(), all.length(), all.events() - 1, 0);
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
}
