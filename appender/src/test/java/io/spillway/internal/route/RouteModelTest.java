package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
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
import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tag;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * Drainer, deliverer, stops and restarts in every order that jqwik thinks of, over a real spill,
 * against a model that is a plain queue.
 */
class RouteModelTest {
  /** What can happen next. */
  enum Step {
    PLACE,
    PLACE_MANY,
    BEGIN_DELIVERY,
    END_DELIVERY,
    FORCED_STOP_AND_RESTART
  }

  private Path directory;
  private Spill spill;
  private Route route;
  private Delivery delivery;
  private Batch inFlight;
  private int placed;
  private long accepted; // by this run, lost ones included
  private final Deque<Long> places = new ArrayDeque<>(); // of what this run waits for
  private final Deque<String> model = new ArrayDeque<>();
  private boolean neverForced; // with a sync interval, and a log that cannot be forced
  private final Deque<String> unforced = new ArrayDeque<>(); // what comes again, newest first

  @BeforeTry
  void begin() throws IOException {
    directory = InMemory.create("route");
    model.clear();
    unforced.clear();
    neverForced = false;
    placed = 0;
    start();
  }

  private void start() throws IOException {
    startUnopened();
    spill.open();
  }

  private void startUnopened() {
    Counters counters = new Counters();
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(new ContextBase());
    Reports reports = new Reports(origin);
    SpillConfig config =
        new SpillConfig(
            directory, 1 << 20, SpillKind.BYTES, neverForced ? 1_000_000 : 0, null, false);
    spill = Spill.of(config, new SpillListener() {}, () -> false);
    HandOff memory = new HandOff(250); // about three batches
    PipelineContext context = new PipelineContext("model", counters, reports);
    route =
        new Route(
            context,
            memory,
            new Route.Overflow(
                spill, BatchCodec.bytes(), SpillMode.OVERFLOW, () -> false, false, Routes.NO_DROPS),
            new EpisodeReports("model", counters, null));
    delivery = new Delivery();
    inFlight = null;
    accepted = 0;
    places.clear();
  }

  @AfterTry
  void end() throws IOException {
    spill.close();
    for (Path path : io.spillway.testkit.Rig.filesBelow(directory)) {
      Files.delete(path);
    }
    Files.deleteIfExists(directory);
  }

  @Property(tries = 300)
  void shouldDeliverInTheOrderOfPlacing(@ForAll @Size(min = 5, max = 60) List<Step> steps)
      throws IOException {
    assertOrderOfPlacing(steps);
  }

  @Property(tries = 30_000)
  @Tag("full")
  void shouldDeliverInTheOrderOfPlacingEveryTime(@ForAll @Size(min = 5, max = 120) List<Step> steps)
      throws IOException {
    assertOrderOfPlacing(steps);
  }

  /** What a forced stop put before a half-delivered segment is gone when the next run begins. */
  @Example
  void shouldGoOnInTheMiddleOfASegmentAfterWhatWasPutBeforeItIsGone() throws IOException {
    String steps =
        """
        PLACE, BEGIN_DELIVERY, FORCED_STOP_AND_RESTART, PLACE,
        BEGIN_DELIVERY, END_DELIVERY, BEGIN_DELIVERY, END_DELIVERY,
        PLACE_MANY, PLACE, PLACE, PLACE,
        PLACE, BEGIN_DELIVERY, END_DELIVERY, PLACE,
        PLACE, BEGIN_DELIVERY, PLACE, FORCED_STOP_AND_RESTART,
        PLACE, PLACE, BEGIN_DELIVERY, PLACE_MANY,
        FORCED_STOP_AND_RESTART, FORCED_STOP_AND_RESTART, BEGIN_DELIVERY, PLACE_MANY,
        END_DELIVERY, PLACE, BEGIN_DELIVERY, PLACE,
        END_DELIVERY, FORCED_STOP_AND_RESTART, PLACE_MANY, PLACE_MANY,
        PLACE_MANY, FORCED_STOP_AND_RESTART, PLACE_MANY, BEGIN_DELIVERY,
        END_DELIVERY
        """;
    assertOrderOfPlacing(
        Stream.of(steps.split(",")).map(String::strip).map(Step::valueOf).toList());
  }

  /** The delivery of what memory holds threw; before it goes on, the spill opens, with more. */
  @Example
  void shouldEndWhatIsInFlightBeforeTheLeftoversOfASpillThatOpensLate() throws IOException {
    place();
    assertThat(route.saveRest(delivery, false)).isZero();
    spill.close();
    Path away = directory.resolveSibling(directory.getFileName() + "-away");
    Files.move(directory, away);
    Files.createFile(directory);
    startUnopened();
    assertThatThrownBy(spill::open).isInstanceOf(IOException.class);
    model.clear();
    place();
    beginDelivery();
    Files.delete(directory);
    Files.move(away, directory);
    while (!spill.isOpen()) {
      route.keep();
    }

    assertThat(route.next()).isSameAs(inFlight);
    endDelivery();
    assertThat(route.next()).isNotNull();
    assertThat(route.leftover()).isTrue();
    route.finished();
    assertThat(route.isEmpty()).isTrue();
  }

  /** Each stop waits a second for that in vain. */
  @Example
  void shouldDeliverAgainInOrderWhatIsNotForcedAtAStop() throws IOException {
    restartNeverForced();
    String steps =
        """
        PLACE_MANY, BEGIN_DELIVERY, END_DELIVERY, BEGIN_DELIVERY, END_DELIVERY,
        BEGIN_DELIVERY, END_DELIVERY, BEGIN_DELIVERY, END_DELIVERY, BEGIN_DELIVERY, END_DELIVERY,
        BEGIN_DELIVERY, END_DELIVERY, BEGIN_DELIVERY, END_DELIVERY,
        PLACE_MANY, BEGIN_DELIVERY, END_DELIVERY, FORCED_STOP_AND_RESTART,
        BEGIN_DELIVERY, END_DELIVERY, PLACE_MANY, BEGIN_DELIVERY, FORCED_STOP_AND_RESTART,
        PLACE
        """;
    assertOrderOfPlacing(
        Stream.of(steps.split(",")).map(String::strip).map(Step::valueOf).toList());
  }

  @Property(tries = 30)
  @Tag("full")
  void shouldDeliverAgainInOrderWhatIsNotForcedAtAStopEveryTime(
      @ForAll @Size(min = 5, max = 60) List<Step> steps) throws IOException {
    restartNeverForced();
    assertOrderOfPlacing(steps);
  }

  private void restartNeverForced() throws IOException {
    neverForced = true;
    spill.close();
    start();
  }

  private void assertOrderOfPlacing(List<Step> steps) throws IOException {
    for (Step step : steps) {
      switch (step) {
        case PLACE -> place();
        case PLACE_MANY -> {
          for (int i = 0; i < 7; i++) {
            place();
          }
        }
        case BEGIN_DELIVERY -> beginDelivery();
        case END_DELIVERY -> endDelivery();
        default -> forcedStopAndRestart();
      }
      assertSettledInTurn();
    }
    while (!model.isEmpty()) {
      beginDelivery();
      endDelivery();
    }
    assertThat(route.next()).as("nothing beyond the model").isNull();
    assertThat(route.isEmpty()).isTrue();
  }

  private void place() {
    String text = "event " + placed++;
    accepted += placed % 3 == 0 ? 2 : 0; // lost before it
    ByteBatch batch = new ByteBatch(text.getBytes(StandardCharsets.UTF_8), 1);
    batch.place(accepted);
    assertThat(Routes.place(route, batch)).isTrue();
    model.add(text);
    places.add(accepted++);
  }

  private void assertSettledInTurn() {
    long oldest = places.isEmpty() ? accepted : places.element();
    assertThat(route.settled(accepted)).isEqualTo(oldest);
  }

  private void beginDelivery() {
    if (inFlight == null) {
      inFlight = route.next();
      assertThat(inFlight == null).as("nothing to deliver").isEqualTo(model.isEmpty());
      if (inFlight != null) {
        assertThat(delivery.begin(inFlight)).isTrue();
        route.beforeDelivery();
      }
    }
  }

  private void endDelivery() {
    if (inFlight != null) {
      assertThat(delivery.claim(1)).isTrue();
      String text = new String(((ByteBatch) inFlight).bytes(), StandardCharsets.UTF_8);
      assertThat(text).isEqualTo(model.poll());
      delivery.done(1);
      boolean leftover = route.leftover();
      long waiting = spill.waitingBytes();
      route.finished();
      inFlight = null;
      if (!leftover) {
        places.remove();
      }
      if (leftover || spill.waitingBytes() < waiting) {
        unforced.push(text);
      }
    }
  }

  /** As when stop() gives up on a sink that has not begun the batch in flight. */
  private void forcedStopAndRestart() throws IOException {
    delivery.fence();
    assertThat(delivery.claim(1)).isFalse();
    assertThat(route.saveRest(delivery, false)).as("not saved").isZero();
    if (!places.isEmpty()) {
      assertThat(route.settled(accepted)).as("saved").isLessThanOrEqualTo(places.element());
    }
    spill.close();
    if (neverForced) {
      unforced.forEach(model::addFirst);
    }
    unforced.clear();
    start();
  }
}
