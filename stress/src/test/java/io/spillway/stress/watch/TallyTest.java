package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TallyTest {

  private static final long SECOND = 1_000_000_000L;
  private static final List<Place.Frame> STACK =
      List.of(Place.Frame.of("com.acme.Cache.get"), Place.Frame.of("com.acme.Task.run"));
  private static final Place CACHE = WaitRule.place(STACK, true);

  private final Tally tally = new Tally(0);

  @Test
  void shouldCountAWaitOnceThatDumpsAndTheFlightRecorderShow() {
    dump(0);
    dump(1);
    dump(2);
    tally.waited(1, CACHE, SECOND / 2, 5 * SECOND / 2);
    dump(3);
    tally.end(4 * SECOND);

    WatchFigures.Group group = figures();
    assertThat(group.waits()).isEqualTo(1);
    // Two seconds by the recorder; by dumps alone the half before them and the last one.
    assertThat(group.threadSeconds()).isCloseTo(3.5, within(1e-9));
    assertThat(group.sampledThreadSeconds()).isCloseTo(1.5, within(1e-9));
    assertThat(group.threads()).isEqualTo(1);
    assertThat(group.threadsAtOnce()).isEqualTo(1);
    assertThat(group.threadSecondsBySecond()).hasSize(4);
  }

  @Test
  void shouldCountAWaitThatNeitherBeganNorEndedWithinTheWatch() {
    for (int second = 0; second < 10; second++) {
      dump(second);
    }
    tally.end(10 * SECOND);

    assertThat(figures().waits()).isZero();
    assertThat(figures().threadSeconds()).isCloseTo(10, within(1e-9));
    assertThat(figures().maxSeconds()).isCloseTo(10, within(1e-9));
  }

  @Test
  void shouldNotAddADumpThatAnEventHasOvertaken() {
    tally.waited(1, CACHE, SECOND / 2, 3 * SECOND / 2);
    dump(1);
    tally.end(4 * SECOND);

    assertThat(figures().threadSeconds()).isCloseTo(1, within(1e-9));
  }

  /** Virtual threads are new ones for each request. */
  @Test
  void shouldKeepNothingOfThreadsThatNoDumpWillShowAgain() {
    Samples samples = new Samples();
    samples.dump(0, 0);
    samples.add(1, CACHE.key());
    samples.cover(1, 0, SECOND);
    for (int thread = 2; thread < 1_000; thread++) {
      samples.cover(thread, SECOND, 2 * SECOND);
    }
    samples.dump(3 * SECOND, 3 * SECOND);
    assertThat(samples.remembered()).isZero();
  }

  @Test
  void shouldTellApartNoMoreThreadsThanItHasRoomFor() {
    for (int thread = 0; thread < Tally.MOST_THREADS + 10; thread++) {
      tally.waited(thread, CACHE, 0, SECOND);
    }
    tally.end(SECOND);

    assertThat(figures().threads()).isEqualTo(Tally.MOST_THREADS);
    assertThat(figures().waits()).isEqualTo(Tally.MOST_THREADS + 10);
  }

  @Test
  void shouldCountOnlyWhatLiesWithinTheWatch() {
    tally.waited(1, CACHE, -5 * SECOND, SECOND);
    tally.end(2 * SECOND);
    tally.waited(2, CACHE, SECOND, 9 * SECOND);
    tally.waited(3, CACHE, 3 * SECOND, 9 * SECOND);

    assertThat(figures().threadSeconds()).isCloseTo(2, within(1e-9));
    assertThat(figures().threads()).isEqualTo(2);
  }

  @Test
  void shouldNameTheThreadThatHoldsTheMonitor() {
    ThreadDumps.Sample waiting = sample(1, Thread.State.BLOCKED, STACK, "0x1", Set.of());
    List<Place.Frame> atDisk = List.of(Place.Frame.of("java.io.FileOutputStream.write"));
    ThreadDumps.Sample owner = sample(2, Thread.State.RUNNABLE, atDisk, null, Set.of("0x1"));
    tally.dumped(new ThreadDumps.Dump(0, 0, List.of(waiting, owner)));
    tally.end(SECOND);

    assertThat(figures().heldBy()).isEqualTo("thread-2 in java.io.FileOutputStream.write");
  }

  @Test
  void shouldNameTheCallThatWaitedForMostOfTheTime() {
    List<Place.Frame> parked =
        List.of(Place.Frame.of("java.util.concurrent.locks.LockSupport.park"));
    List<Place.Frame> stack = Stream.concat(parked.stream(), STACK.stream()).toList();
    for (int i = 0; i < 10; i++) {
      tally.waited(1, WaitRule.place(stack, false), i, i + 1);
    }
    tally.waited(2, CACHE, 0, SECOND);
    tally.end(SECOND);

    assertThat(figures().call()).isEqualTo("monitor");
    assertThat(figures().stack()).isEqualTo(STACK.stream().map(Place.Frame::toString).toList());
  }

  @Test
  void shouldCountAWriteToAFileOnlyIfTheNextDumpShowsItToo() {
    List<Place.Frame> write =
        List.of(
            Place.Frame.of("java.io.FileOutputStream.writeBytes"),
            Place.Frame.of("com.acme.Task.run"));
    for (int second = 0; second < 3; second++) {
      long at = second * SECOND;
      ThreadDumps.Sample busy =
          second == 1
              ? sample(1, Thread.State.RUNNABLE, STACK, null, Set.of())
              : sample(1, Thread.State.RUNNABLE, write, null, Set.of());
      ThreadDumps.Sample stuck = sample(2, Thread.State.RUNNABLE, write, null, Set.of());
      tally.dumped(new ThreadDumps.Dump(at, at, List.of(busy, stuck)));
    }
    tally.end(3 * SECOND);

    assertThat(figures().frame()).isEqualTo("com.acme.Task.run");
    assertThat(figures().threads()).isEqualTo(1);
    assertThat(figures().threadSeconds()).isCloseTo(2, within(1e-9));
  }

  private void dump(int second) {
    long at = second * SECOND;
    ThreadDumps.Sample waiting = sample(1, Thread.State.BLOCKED, STACK, null, Set.of());
    tally.dumped(new ThreadDumps.Dump(at, at, List.of(waiting)));
  }

  private static ThreadDumps.Sample sample(
      long id, Thread.State state, List<Place.Frame> stack, String waitsFor, Set<String> owns) {
    return new ThreadDumps.Sample(id, "thread-" + id, state, stack, waitsFor, owns);
  }

  private WatchFigures.Group figures() {
    List<WatchFigures.Group> all = tally.figures(100 * SECOND);
    assertThat(all).hasSize(1);
    return all.get(0);
  }
}
