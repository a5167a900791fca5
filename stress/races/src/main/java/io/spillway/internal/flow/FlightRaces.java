package io.spillway.internal.flow;

import io.spillway.internal.sink.Batch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Races of the deliverer with a stop, which fences it, and with a publisher, which wakes it. */
public final class FlightRaces {
  private FlightRaces() {}

  /** What the sink took unseen by the stop, which saves it once more, is one event at most. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "1, 1", "2, 2", "3, 3"},
      expect = Expect.ACCEPTABLE,
      desc = "each event either delivered or saved")
  @Outcome(
      id = {"1, 0", "2, 1", "3, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "one was in the sink: delivered, and saved as well")
  @Outcome(expect = Expect.FORBIDDEN, desc = "an event lost, or several doubled")
  @State
  public static class DoneAndFence {
    private static final int EVENTS = 3;

    private final Batch flight = Batch.ofEvents();

    /** Delivers events until the flight is fenced. */
    @Actor
    public void deliver(II_Result r) {
      int taken = 0;
      while (taken < EVENTS && !flight.isFenced()) {
        flight.done(++taken);
      }
      r.r1 = taken;
    }

    /** Fences the flight, and counts what need not be saved. */
    @Actor
    public void stop(II_Result r) {
      flight.fence();
      r.r2 = flight.done();
    }
  }

  /** An event that comes while the deliverer goes to sleep wakes it. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "awake, with the event")
  @Outcome(expect = Expect.FORBIDDEN, desc = "asleep, although there is an event")
  @State
  public static class SleepAndPublish {
    private static final long SECONDS_10 = 10_000_000_000L;

    private final Sleeper sleeper = new Sleeper();
    private final EventRing ring = new EventRing(2, Long.MAX_VALUE, sleeper, new Sleeper());

    /** Sleeps until there is an event. */
    @Actor
    public void deliver(I_Result r) {
      long start = System.nanoTime();
      while (ring.isEmpty()) {
        sleeper.sleepWhile(ring::isEmpty, SECONDS_10);
      }
      r.r1 = System.nanoTime() - start < SECONDS_10 / 2 ? 1 : 0;
    }

    /** Publishes an event. */
    @Actor
    public void publish() {
      ring.tryPublish(1, 0, null);
    }
  }
}
