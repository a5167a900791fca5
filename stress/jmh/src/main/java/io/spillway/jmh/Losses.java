package io.spillway.jmh;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Secondary figures beside a score, so that calls that dropped their event are not mistaken for
 * cheap ones: events per iteration on average, including calls just before and after the timed
 * ones.
 */
@State(Scope.Thread)
@AuxCounters(AuxCounters.Type.EVENTS)
public class Losses {
  /** Events dropped by an appender that may drop. */
  public long dropped;

  /** Events that went through the disk. */
  public long spilled;

  /** Called by JMH. */
  public Losses() {}

  /**
   * Waits for the appender to become idle, so that an iteration does not include work of the
   * previous one.
   */
  @TearDown(Level.Iteration)
  public void settle(PublishState state) throws InterruptedException {
    Subject.Settlement settlement = state.settle();
    dropped = settlement.dropped();
    spilled = settlement.spilled();
  }
}
