package io.spillway.internal.spill;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Races of the drainer, which appends to the spill, with the deliverer, which reads, settles and
 * seals.
 */
public final class SpillRaces {
  private SpillRaces() {}

  /** A new record does not count as delivered while an older one is being settled. */
  @JCStressTest
  @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the new record waits")
  @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "empty, and an event may overtake")
  @State
  public static class AppendAndSettle {
    private final SpillCounters counters = new SpillCounters();

    /** Starts with an older record that waits. */
    public AppendAndSettle() {
      counters.appended(10);
    }

    /** Delivers the older record. */
    @Actor
    public void deliver() {
      counters.settled(10, 10);
    }

    /** Appends a new record of the same size, then decides between memory and spill. */
    @Actor
    public void append(I_Result r) {
      counters.appended(10);
      r.r1 = counters.isEmpty() ? 1 : 0;
    }
  }

  /** A thread that sees everything settled also sees the delivery. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not settled yet")
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "not settled yet, delivered")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "settled and delivered")
  @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "settled before it is delivered")
  @State
  public static class SettledMeansDelivered {
    private final SpillCounters counters = new SpillCounters();
    private int delivered;

    /** Starts with a record that waits. */
    public SettledMeansDelivered() {
      counters.appended(10);
    }

    /** Delivers the record. */
    @Actor
    public void deliver() {
      delivered = 1;
      counters.settled(10, 10);
    }

    /** Decides between memory and spill. */
    @Actor
    public void decide(II_Result r) {
      r.r1 = counters.isEmpty() ? 1 : 0;
      r.r2 = delivered;
    }
  }

  private static LiveSegment segment(long firstSequence) {
    SegmentFormat.SegmentHeader header =
        new SegmentFormat.SegmentHeader(SpillKind.BYTES, 0, 1, firstSequence, 0, 0, 0, 0, 0, false);
    return new LiveSegment(null, null, header, null, null);
  }

  /** A thread that reads the seal and then the mark gets the last mark. */
  @JCStressTest
  @Outcome(id = "-1, .*", expect = Expect.ACCEPTABLE, desc = "not sealed yet")
  @Outcome(id = "100, 100", expect = Expect.ACCEPTABLE, desc = "sealed with the record")
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "sealed before the record")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a record behind the mark of a sealed segment")
  @State
  public static class SealAndMark {
    private final LiveSegment segment = segment(0);
    private final long begin = segment.mark().offset();

    /** Appends a record. */
    @Actor
    public void append() {
      if (segment.claim()) {
        segment.commit(new LiveSegment.Mark(begin + 100, 1));
        segment.release();
      }
    }

    /** Seals, then reads the mark. */
    @Actor
    public void read(II_Result r) {
      segment.seal();
      r.r1 = segment.isSealed() ? (int) (segment.mark().offset() - begin) : -1;
    }

    /** Records the end of the segment. */
    @Arbiter
    public void end(II_Result r) {
      r.r2 = (int) (segment.mark().offset() - begin);
    }
  }

  /** A seal is final, whether it comes before, during or after an append. */
  @JCStressTest
  @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "sealed first")
  @Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "appended first")
  @Outcome(expect = Expect.FORBIDDEN, desc = "never sealed, or claimed again")
  @State
  public static class SealIsFinal {
    private final LiveSegment segment = segment(0);

    /** Appends a record. */
    @Actor
    public void append(III_Result r) {
      if (segment.claim()) {
        r.r1 = 1;
        segment.release();
      }
    }

    /** Seals the segment. */
    @Actor
    public void seal() {
      segment.seal();
    }

    /** Checks that the segment is sealed and refuses a claim. */
    @Arbiter
    public void end(III_Result r) {
      r.r2 = segment.isSealed() ? 1 : 0;
      r.r3 = segment.claim() ? 1 : 0;
    }
  }

  /** A thread that follows the link sees a complete segment, its first record behind the mark. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "no link yet")
  @Outcome(id = "7, 0", expect = Expect.ACCEPTABLE, desc = "linked, nothing in it yet")
  @Outcome(id = "7, 1", expect = Expect.ACCEPTABLE, desc = "linked, with its first record")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a segment in the making")
  @State
  public static class LinkNext {
    private final LiveSegment last = segment(0);

    /** Begins the next segment and appends to it. */
    @Actor
    public void roll() {
      LiveSegment next = segment(7);
      last.seal();
      last.linkNext(next);
      if (next.claim()) {
        next.commit(new LiveSegment.Mark(next.mark().offset() + 100, 8));
        next.release();
      }
    }

    /** Follows the chain. */
    @Actor
    public void read(II_Result r) {
      LiveSegment next = last.next();
      if (next != null) {
        r.r1 = (int) next.firstSequence;
        r.r2 = (int) (next.mark().sequence() - 7);
      }
    }
  }
}
