package io.spillway.internal.route;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Races of a log call that waits for its receipt with the drainer, which writes and settles. */
public final class ReceiptRaces {
  private ReceiptRaces() {}

  /**
   * A wake-up is not missed; a caller that missed one would wait for its full timeout, and then
   * return "in time".
   */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "woken, and sees what was written before")
  @Outcome(expect = Expect.FORBIDDEN, desc = "a wake-up was missed, or came before the write")
  @State
  public static class WakeUp {
    private static final long SECONDS_10 = 10_000_000_000L;

    private volatile Receipt receipt;
    private int written;

    /** Logs an event. */
    @Actor
    public void log(I_Result r) {
      Receipt mine = new Receipt();
      receipt = mine;
      long start = System.nanoTime();
      boolean acknowledged = mine.await(0, SECONDS_10);
      boolean late = System.nanoTime() - start >= SECONDS_10 / 2;
      r.r1 = acknowledged && !late ? written : -1;
    }

    /** Writes the event and settles its receipt. */
    @Actor
    public void drain() {
      Receipt its = receipt;
      while (its == null) {
        Thread.onSpinWait();
        its = receipt;
      }
      written = 1;
      Receipt.settle(its, true);
    }
  }

  /** The timeout expires while the event is written: either result is allowed. */
  @JCStressTest
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "too late")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "in time")
  @Outcome(expect = Expect.FORBIDDEN, desc = "never settled")
  @State
  public static class TimeOut {
    private volatile Receipt receipt;

    /** Logs an event. */
    @Actor
    public void log(II_Result r) {
      Receipt mine = new Receipt();
      receipt = mine;
      r.r1 = mine.await(0, 1_000) ? 1 : 0;
    }

    /** Writes the event and settles its receipt. */
    @Actor
    public void drain(II_Result r) {
      Receipt its = receipt;
      while (its == null) {
        Thread.onSpinWait();
        its = receipt;
      }
      Receipt.settle(its, true);
      r.r2 = its.isSettled() ? 1 : 0;
    }
  }
}
