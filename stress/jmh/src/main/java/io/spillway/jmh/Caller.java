package io.spillway.jmh;

import ch.qos.logback.classic.Logger;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One thread that logs, and counts what it logs. */
@State(Scope.Thread)
public class Caller {
  private long calls;
  private Logger logger;

  /** Called by JMH. */
  public Caller() {}

  /** Registers with the trial. */
  @Setup(Level.Trial)
  public void join(PublishState state) {
    logger = state.logger();
    state.add(this);
  }

  /** Logs one typical event of a service; its line has about 140 bytes. */
  void log() {
    logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", calls++);
  }

  long calls() {
    return calls;
  }
}
