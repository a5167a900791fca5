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

  /** Made by JMH. */
  public Caller() {}

  /** Joins the trial. */
  @Setup(Level.Trial)
  public void join(PublishState state) {
    logger = state.logger();
    state.add(this);
  }

  /** One event, as a service logs it; about 140 bytes as a line. */
  void log() {
    logger.info("order {} accepted, 3 items, customer 4711, payment by card, total 99.90", calls++);
  }

  long calls() {
    return calls;
  }
}
