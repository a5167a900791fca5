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
 * Races of application threads, which publish, with the drainer, which polls and seals.
 * EventRingTest tests that the drainer sleeps through no event, since sleeps are too rare here.
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

  /** An event is either polled or refused; none is lost in between. */
  @JCStressTest
  @Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "published, not sealed, polled")
  @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "refused, sealed")
  @Outcome(expect = Expect.FORBIDDEN, desc = "lost behind the seal, or refused without one")
  @State
  public static class PublishAndSeal {
    private final EventRing<Integer> ring = EventRing.withSlots(4);

    /** Publishes an event. */
    @Actor
    public void publish(III_Result r) {
      r.r1 = ring.tryPublish(1) ? 1 : 0;
    }

    /** Seals the ring. */
    @Actor
    public void seal(III_Result r) {
      r.r2 = ring.seal() ? 1 : 0;
    }

    /** Polls the remaining events, as the drainer does before it tries to seal again. */
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

    /** Publishes the first event. */
    @Actor
    public void one() {
      ring.tryPublish(1);
    }

    /** Publishes the second event. */
    @Actor
    public void other() {
      ring.tryPublish(2);
    }

    /** Polls both events. */
    @Arbiter
    public void rest(II_Result r) {
      r.r1 = drain(ring);
      r.r2 = (int) ring.accepted();
    }
  }

  /** A slot is reused only after its event was read, and no event is read twice. */
  @JCStressTest
  @Outcome(id = "12, 1, 3", expect = Expect.ACCEPTABLE, desc = "accepted, behind the others")
  @Outcome(id = "12, 0, 0", expect = Expect.ACCEPTABLE, desc = "refused: full")
  @Outcome(expect = Expect.FORBIDDEN, desc = "an event overwritten, lost or doubled")
  @State
  public static class PublishIntoAFullRing {
    private final EventRing<Integer> ring = EventRing.withSlots(2);

    /** Starts with a full ring. */
    public PublishIntoAFullRing() {
      ring.tryPublish(1);
      ring.tryPublish(2);
    }

    /** Publishes a third event. */
    @Actor
    public void publish(III_Result r) {
      r.r2 = ring.tryPublish(3) ? 1 : 0;
    }

    /** Polls and frees the slots. */
    @Actor
    public void drain(III_Result r) {
      r.r1 = RingRaces.drain(ring);
    }

    /** Polls the rest. */
    @Arbiter
    public void rest(III_Result r) {
      r.r3 = RingRaces.drain(ring);
    }
  }
}
