package io.spillway.internal.route;

import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Races of the drainer, which offers batches, with the deliverer, which takes them. */
public final class HandOffRaces {
  private HandOffRaces() {}

  /** Batches are taken in order, and the count of bytes is zero once all are taken. */
  @JCStressTest
  @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "both taken later")
  @Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "the first taken at once")
  @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "the first taken at the second look")
  @Outcome(id = "1, 2, 0", expect = Expect.ACCEPTABLE, desc = "both taken, in order")
  @Outcome(expect = Expect.FORBIDDEN, desc = "out of order, or bytes miscounted")
  @State
  public static class FirstInFirstOut {
    private final HandOff memory = new HandOff(1 << 20);
    private final Batch first = new ByteBatch(new byte[1], 1);
    private final Batch second = new ByteBatch(new byte[2], 1);

    /** Offers both batches. */
    @Actor
    public void drain() {
      memory.offer(first);
      memory.offer(second);
    }

    /** Takes twice. */
    @Actor
    public void deliver(III_Result r) {
      r.r1 = take();
      r.r2 = take();
    }

    /** Takes the remaining batches. */
    @Arbiter
    public void rest(III_Result r) {
      int left = 0;
      while (take() != 0) {
        left++;
      }
      int taken = (r.r1 == 0 ? 0 : 1) + (r.r2 == 0 ? 0 : 1);
      r.r3 = taken + left == 2 && memory.bytes() == 0 ? 0 : -1;
    }

    private int take() {
      Batch batch = memory.peek();
      if (batch == null) {
        return 0;
      }
      memory.remove();
      return batch == first ? 1 : 2;
    }
  }

  /** The bytes in use are never below zero and never above what was offered. */
  @JCStressTest
  @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "within bounds")
  @Outcome(expect = Expect.FORBIDDEN, desc = "out of bounds, or wrong in the end")
  @State
  public static class BytesWithinBounds {
    private final HandOff memory = new HandOff(1 << 20);
    private final Batch batch = new ByteBatch(new byte[1], 1);

    /** Offers the batch. */
    @Actor
    public void drain(III_Result r) {
      memory.offer(batch);
      long bytes = memory.bytes();
      r.r1 = bytes < 0 || bytes > batch.heapBytes() ? 1 : 0;
    }

    /** Takes the batch if it is there. */
    @Actor
    public void deliver(III_Result r) {
      if (memory.peek() != null) {
        memory.remove();
      }
      long bytes = memory.bytes();
      r.r2 = bytes < 0 || bytes > batch.heapBytes() ? 1 : 0;
    }

    /** Takes the batch if it is left. */
    @Arbiter
    public void rest(III_Result r) {
      if (memory.peek() != null) {
        memory.remove();
      }
      r.r3 = (int) memory.bytes();
    }
  }
}
