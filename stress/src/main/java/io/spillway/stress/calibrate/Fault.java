package io.spillway.stress.calibrate;

/** What the calibration appender does to an event, and where in each round of events. */
enum Fault {
  /** The calling thread parks. */
  PARK(10),
  /** The calling thread sleeps. */
  SLEEP(20),
  /** The event is thrown away. */
  DROP(30),
  /** The calling thread waits on a monitor that nobody notifies. */
  MONITOR_WAIT(40),
  /** The event is passed on twice. */
  DUPLICATE(50),
  /** The calling thread enters a monitor that another thread holds. */
  MONITOR_ENTER(60),
  /** The event is passed on after the next one of its thread. */
  SWAP(70),
  /** The event is passed on with the second half of its message missing. */
  TEAR(90);

  private final int slot;

  Fault(int slot) {
    this.slot = slot;
  }

  /** Which of the hundred places of a round is this fault's. */
  int slot() {
    return slot;
  }
}
