package io.spillway.internal.sink;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Races of a stop, which fences the deliverer, with the deliverer. */
public final class DeliveryRaces {
  private DeliveryRaces() {}

  private static Batch batch() {
    return new ByteBatch(new byte[0], 1);
  }

  /** A batch that the sink took is not saved; any other is. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not delivered, saved")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "delivered, not saved")
  @Outcome(
      id = "1, 0",
      expect = Expect.ACCEPTABLE_INTERESTING,
      desc = "in the sink when it was fenced: delivered, and saved as well")
  @Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "neither delivered nor saved: lost")
  @State
  public static class ClaimAndFence {
    private final Delivery delivery = new Delivery();
    private final Batch batch = batch();

    /** Starts with a batch in flight. */
    public ClaimAndFence() {
      delivery.begin(batch);
    }

    /** Delivers the batch. */
    @Actor
    public void deliver(II_Result r) {
      if (delivery.claim(1)) {
        r.r1 = 1;
        delivery.done(1);
      }
    }

    /** Fences the deliverer and saves the rest. */
    @Actor
    public void stop(II_Result r) {
      delivery.fence();
      r.r2 = delivery.takenOf(batch);
    }
  }

  /** A fence that sees the next batch does not apply the last batch's count to it. */
  @JCStressTest
  @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "all of the next batch is saved")
  @Outcome(id = "1", expect = Expect.FORBIDDEN, desc = "events of the next batch are skipped: lost")
  @State
  public static class BeginAndFence {
    private final Delivery delivery = new Delivery();
    private final Batch last = batch();
    private final Batch next = batch();

    /** Starts with the last batch delivered. */
    public BeginAndFence() {
      delivery.begin(last);
      delivery.claim(1);
      delivery.done(1);
    }

    /** Begins the next batch. */
    @Actor
    public void deliver() {
      delivery.begin(next);
    }

    /** Fences the deliverer and saves the rest. */
    @Actor
    public void stop(I_Result r) {
      delivery.fence();
      r.r1 = delivery.takenOf(next);
    }
  }

  /** No claim succeeds once the fence is up. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "fenced before the first claim")
  @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "fenced after the first claim")
  @Outcome(id = "0, 1", expect = Expect.FORBIDDEN, desc = "claimed behind the fence")
  @Outcome(id = "1, 1", expect = Expect.FORBIDDEN, desc = "claimed behind the fence")
  @State
  public static class NoClaimBehindTheFence {
    private final Delivery delivery = new Delivery();

    /** Starts with a batch of two events in flight. */
    public NoClaimBehindTheFence() {
      delivery.begin(new ByteBatch(new byte[0], 2));
    }

    /** Delivers the first event. */
    @Actor
    public void deliver(II_Result r) {
      if (delivery.claim(1)) {
        r.r1 = 1;
        delivery.done(1);
      }
    }

    /** Fences the deliverer. */
    @Actor
    public void stop() {
      delivery.fence();
    }

    /** Claims the second event after both actors. */
    @Arbiter
    public void claimAgain(II_Result r) {
      r.r2 = delivery.claim(2) ? 1 : 0;
    }
  }
}
