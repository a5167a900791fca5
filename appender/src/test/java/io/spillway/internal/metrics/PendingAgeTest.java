package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The age of the oldest pending event, against a list of all acceptance times. */
class PendingAgeTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final PendingAge age = new PendingAge();

  @Test
  void shouldBeZeroWhenNothingIsPending() {
    assertThat(age.nanos(0, 5 * MILLI)).isZero();
    age.mark(3, 0, 100 * MILLI);
    assertThat(age.nanos(3, 200 * MILLI)).isZero();
  }

  @Test
  void shouldGrowUntilTheEventIsSettled() {
    age.mark(1, 0, 100 * MILLI);
    age.mark(2, 0, 300 * MILLI);
    assertThat(age.nanos(0, 400 * MILLI)).isEqualTo(300 * MILLI);
    assertThat(age.nanos(1, 400 * MILLI)).isEqualTo(100 * MILLI);
    assertThat(age.nanos(2, 400 * MILLI)).isZero();
  }

  @Test
  void shouldNotTakeAnEventForOneBeforeALongPause() {
    age.mark(1, 0, MILLI);
    long hour = TimeUnit.HOURS.toNanos(1);
    for (int i = 0; i < 2_000; i++) {
      age.mark(2 + i, 0, hour + i * 11 * MILLI);
    }
    assertThat(age.nanos(0, 2 * hour)).isEqualTo(2 * hour - MILLI);
    assertThat(age.nanos(1, 2 * hour)).isBetween(hour, hour + 200 * MILLI);
  }

  @Test
  void shouldBeExactAgainSoonAfterALongWait() {
    long accepted = 0;
    long now = 1;
    for (int i = 0; i < 360_000; i++) { // an hour, nothing is delivered
      now += 10 * MILLI;
      age.mark(++accepted, 0, now);
    }
    long most = 0;
    for (int i = 0; i < 60_000; i++) { // a minute in which one event is always pending
      now += MILLI;
      age.mark(accepted + 1, accepted, now);
      accepted++;
      most = i < 1_000 ? 0 : Math.max(most, age.nanos(accepted - 1, now));
    }
    assertThat(most).isLessThanOrEqualTo(10 * MILLI);
  }

  /** Hours of stops and goes of the sink, a mark a millisecond: bounded memory, known error. */
  @Test
  void shouldStayWithinItsErrorHoweverLongTheWait() {
    Random random = new Random(7);
    int steps = 2_000_000;
    long[] acceptedAt = new long[steps];
    long[] oldestThen = new long[steps];
    int accepted = 0;
    int settled = 0;
    long now = 1;
    long oldestWait = 0;
    for (int i = 0; i < steps; i++) {
      now += 1 + random.nextLong(10 * MILLI);
      oldestThen[accepted] = settled == accepted ? 0 : now - acceptedAt[settled];
      acceptedAt[accepted++] = now;
      age.mark(accepted, settled, now);
      boolean flows = i / 300_000 % 2 == 1; // stands still for a long time, then catches up
      settled = flows ? Math.min(accepted, settled + 3) : settled;
      long truth = settled == accepted ? 0 : now - acceptedAt[settled];
      oldestWait = settled == accepted ? 0 : Math.max(oldestWait, truth);
      long wait = settled == accepted ? 0 : Math.max(oldestThen[settled], truth);
      long shown = age.nanos(settled, now);
      if (shown < truth || shown > truth + 10 * MILLI + wait / 100) {
        assertThat(shown).as("step " + i + " of a wait of " + wait).isEqualTo(truth);
      }
    }
    assertThat(oldestWait).as("minutes of it at the end").isGreaterThan(60_000 * MILLI);
  }
}
