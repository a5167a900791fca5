package io.spillway.internal.ring;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Application threads publish while the drainer polls and seals. That it sleeps through no event is
 * tried by EventRingTest, since a sleep is too rare here.
 */
public final class RingRaces {
  private RingRaces() {}

  private static int drain(EventRing<Integer> ring) {
    int[] seen = new int[1];
    ring.release(
        ring.read(
            (sequence, event, arguments) -> {
              seen[0] = 10 * seen[0] + event;
              return true;
            }));
    return seen[0];
  }

  /** An event is either polled or refused, none slips in between. */
  @JCStressTest
  @Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "published, not sealed, polled")
  @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "refused, sealed")
  @Outcome(expect = Expect.FORBIDDEN, desc = "lost behind the seal, or refused without one")
  @State
  public static class PublishAndSeal {
    private final EventRing<Integer> ring = EventRing.withSlots(4);

    /** Logs. */
    @Actor
    public void publish(III_Result r) {
      r.r1 = ring.tryPublish(1) ? 1 : 0;
    }

    /** Ends. */
    @Actor
    public void seal(III_Result r) {
      r.r2 = ring.seal() ? 1 : 0;
    }

    /** Polls what is there, as the drainer does before it tries the seal again. */
    @Arbiter
    public void rest(III_Result r) {
      r.r3 = r.r2 == 1 ? 0 : drain(ring);
    }
  }

  /** With two publishers each event is polled once. */
  @JCStressTest
  @Outcome(
      id = {"12, 2", "21, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "each once, and counted")
  @Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled, or miscounted")
  @State
  public static class TwoPublishers {
    private final EventRing<Integer> ring = EventRing.withSlots(4);

    /** Logs. */
    @Actor
    public void one() {
      ring.tryPublish(1);
    }

    /** Logs. */
    @Actor
    public void other() {
      ring.tryPublish(2);
    }

    /** Polls. */
    @Arbiter
    public void rest(II_Result r) {
      r.r1 = drain(ring);
      r.r2 = (int) ring.accepted();
    }
  }

  /** A slot is given back only after its event was read, and no event is read twice. */
  @JCStressTest
  @Outcome(id = "12, 1, 3", expect = Expect.ACCEPTABLE, desc = "accepted, behind the others")
  @Outcome(id = "12, 0, 0", expect = Expect.ACCEPTABLE, desc = "refused: full")
  @Outcome(expect = Expect.FORBIDDEN, desc = "an event overwritten, lost or doubled")
  @State
  public static class PublishIntoAFullRing {
    private final EventRing<Integer> ring = EventRing.withSlots(2);

    /** The ring is full. */
    public PublishIntoAFullRing() {
      ring.tryPublish(1);
      ring.tryPublish(2);
    }

    /** Logs. */
    @Actor
    public void publish(III_Result r) {
      r.r2 = ring.tryPublish(3) ? 1 : 0;
    }

    /** Drains. */
    @Actor
    public void drain(III_Result r) {
      r.r1 = RingRaces.drain(ring);
    }

    /** Drains the rest. */
    @Arbiter
    public void rest(III_Result r) {
      r.r3 = RingRaces.drain(ring);
    }
  }
}
