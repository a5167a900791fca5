package io.spillway.internal.flow;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Races of application threads, which publish, with the thread that reads, releases and seals. */
public final class RingRaces {
  private RingRaces() {}

  private static EventRing ring(int slots) {
    return new EventRing(slots, Long.MAX_VALUE, new Sleeper(), new Sleeper());
  }

  private static boolean publish(EventRing ring, int event) {
    return ring.tryPublish(event, 0, null);
  }

  /** Reads and releases what is published; returns the events as digits. */
  private static int drain(EventRing ring) {
    int seen = 0;
    long last = ring.released();
    while (last - ring.released() < ring.capacity() && ring.event(last + 1) != null) {
      seen = 10 * seen + (Integer) ring.event(++last);
    }
    ring.release(last);
    return seen;
  }

  /** An event is either read or refused; none is lost in between. */
  @JCStressTest
  @Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "published, not sealed, read")
  @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "refused, sealed")
  @Outcome(expect = Expect.FORBIDDEN, desc = "lost behind the seal, or refused without one")
  @State
  public static class PublishAndSeal {
    private final EventRing ring = ring(4);

    /** Publishes an event. */
    @Actor
    public void publish(III_Result r) {
      r.r1 = RingRaces.publish(ring, 1) ? 1 : 0;
    }

    /** Seals the ring. */
    @Actor
    public void seal(III_Result r) {
      r.r2 = ring.seal() ? 1 : 0;
    }

    /** Reads the rest, as the spiller does before it tries to seal again. */
    @Arbiter
    public void rest(III_Result r) {
      r.r3 = drain(ring);
    }
  }

  /** With two publishers each event is read once. */
  @JCStressTest
  @Outcome(
      id = {"12, 2", "21, 2"},
      expect = Expect.ACCEPTABLE,
      desc = "each once, and counted")
  @Outcome(expect = Expect.FORBIDDEN, desc = "lost, doubled, or miscounted")
  @State
  public static class TwoPublishers {
    private final EventRing ring = ring(4);

    /** Publishes the first event. */
    @Actor
    public void one() {
      publish(ring, 1);
    }

    /** Publishes the second event. */
    @Actor
    public void other() {
      publish(ring, 2);
    }

    /** Reads both events. */
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
    private final EventRing ring = ring(2);

    /** Starts with a full ring. */
    public PublishIntoAFullRing() {
      RingRaces.publish(ring, 1);
      RingRaces.publish(ring, 2);
    }

    /** Publishes a third event. */
    @Actor
    public void publish(III_Result r) {
      r.r2 = RingRaces.publish(ring, 3) ? 1 : 0;
    }

    /** Reads and frees the slots. */
    @Actor
    public void drain(III_Result r) {
      r.r1 = RingRaces.drain(ring);
    }

    /** Reads the rest. */
    @Arbiter
    public void rest(III_Result r) {
      r.r3 = RingRaces.drain(ring);
    }
  }

  /** The spiller knows of each caller whose event it can see, and of none that was refused. */
  @JCStressTest
  @Outcome(id = "-1, 0, 0", expect = Expect.ACCEPTABLE, desc = "refused: full")
  @Outcome(id = "-1, 1, 0", expect = Expect.ACCEPTABLE, desc = "published later")
  @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "seen with its caller")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a caller forgotten, or counted for ever")
  @State
  public static class CallersAreCounted {
    private final EventRing ring = ring(2);

    /** Starts with a full ring. */
    public CallersAreCounted() {
      RingRaces.publish(ring, 1);
      RingRaces.publish(ring, 2);
    }

    /** Publishes an event whose caller waits. */
    @Actor
    public void publish(III_Result r) {
      r.r2 = ring.tryPublish(3, 0, new Receipt()) ? 1 : 0;
    }

    /** Frees the slots, then looks at the next. */
    @Actor
    public void look(III_Result r) {
      ring.release(1);
      boolean seen = ring.event(2) != null;
      boolean known = ring.hasCallers();
      r.r1 = seen ? known ? 1 : 0 : -1;
    }

    /** Reads the rest. */
    @Arbiter
    public void rest(III_Result r) {
      drain(ring);
      r.r3 = ring.hasCallers() ? 1 : 0;
    }
  }
}
