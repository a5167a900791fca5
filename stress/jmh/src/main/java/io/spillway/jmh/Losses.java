package io.spillway.jmh;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Secondary figures beside a score, so that nobody takes a call that dropped its event for a cheap
 * one: mean events of an iteration, the calls just before and after the timed ones included.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Losses {
  /** Events dropped by an appender that may. */
  public long dropped;

  /** Events that went through the disk. */
  public long spilled;

  /** Made by JMH. */
  public Losses() {}

  /** Waits for the appender to become idle, so that no iteration pays for the one before. */
  @TearDown(Level.Iteration)
  public void settle(PublishState state) throws InterruptedException {
    Subject.Settlement settlement = state.settle();
    dropped = settlement.dropped();
    spilled = settlement.spilled();
  }
}
