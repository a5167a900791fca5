package io.spillway.internal.flow;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** Races of a log call that waits for its receipt with the thread that writes and settles. */
public final class ReceiptRaces {
  private static final int TURNS = 10; // as often as a caller yields before it parks

  private ReceiptRaces() {}

  /** Waits for a receipt, then until its caller is about to park. */
  private static Receipt await(Hand hand) {
    while (hand.receipt == null) {
      Thread.onSpinWait();
    }
    for (int turn = 0; turn < TURNS; turn++) {
      Thread.yield();
    }
    return hand.receipt;
  }

  /** Hands the receipt of one thread to the other. */
  private static final class Hand {
    private volatile Receipt receipt;
  }

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

    private final Hand hand = new Hand();
    private int written;

    /** Logs an event. */
    @Actor
    public void log(I_Result r) {
      Receipt mine = new Receipt();
      hand.receipt = mine;
      long start = System.nanoTime();
      boolean acknowledged = mine.await(SECONDS_10);
      boolean late = System.nanoTime() - start >= SECONDS_10 / 2;
      r.r1 = acknowledged && !late ? written : -1;
    }

    /** Writes the event and settles its receipt. */
    @Actor
    public void write() {
      Receipt its = await(hand);
      written = 1;
      Receipt.settle(its, true);
    }
  }

  /** The timeout expires while the event is written. */
  @JCStressTest
  @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "too late")
  @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "in time")
  @Outcome(expect = Expect.FORBIDDEN, desc = "never settled, or with two answers")
  @State
  public static class TimeOut {
    private final Hand hand = new Hand();

    /** Logs an event, and asks twice. */
    @Actor
    public void log(II_Result r) {
      Receipt mine = new Receipt();
      hand.receipt = mine;
      boolean acknowledged = mine.await(1_000);
      r.r1 = mine.await(0) == acknowledged ? acknowledged ? 1 : 0 : -1;
    }

    /** Writes the event and settles its receipt. */
    @Actor
    public void write(II_Result r) {
      Receipt its = await(hand);
      Receipt.settle(its, true);
      r.r2 = its.isSettled() ? 1 : 0;
    }
  }
}
