package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class JoinsTest {
  /** As many as would fill the whole patience, if each counted for a wait. */
  private static final int INTERRUPTS = 1_000;

  private static final long PATIENCE_NANOS = 10_000_000_000L;

  @Test
  @Timeout(60)
  void shouldNotTakeInterruptsForTimeThatPasses() {
    Thread caller = Thread.currentThread();
    Thread awaited = new Thread(() -> interrupt(caller));
    awaited.start();

    boolean ended = Joins.awake(awaited, PATIENCE_NANOS);

    assertThat(ended).isTrue();
    assertThat(Thread.interrupted()).as("the caller's flag is kept").isTrue();
  }

  /** Each once the one before has been noticed. */
  private static void interrupt(Thread caller) {
    for (int i = 0; i < INTERRUPTS; i++) {
      caller.interrupt();
      while (caller.isInterrupted()) {
        Thread.onSpinWait();
      }
    }
  }
}
