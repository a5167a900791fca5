package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Places of records in the spill, against a list of all of them. */
class SpillPlacesTest {
  private final SpillPlaces places = new SpillPlaces();
  private final List<long[]> records = new ArrayList<>(); // events before it, place
  private long spilled;
  private long accepted;

  private void append(int lost, int events, long settled) {
    accepted += lost;
    records.add(new long[] {spilled, accepted});
    places.spilled(accepted, events, settled);
    spilled += events;
    accepted += events;
  }

  @Test
  void shouldKnowThePlaceOfTheOldest() {
    Random random = new Random(5);
    int oldest = 0;
    assertThat(places.oldest(0)).isEqualTo(Long.MAX_VALUE);
    for (int i = 0; i < 10_000; i++) {
      boolean all = oldest == records.size();
      append(random.nextInt(3), 1 + random.nextInt(5), all ? spilled : records.get(oldest)[0]);
      while (oldest < records.size() - random.nextInt(100)) {
        assertThat(places.oldest(records.get(oldest)[0])).isEqualTo(records.get(oldest)[1]);
        oldest++;
      }
    }
    assertThat(places.oldest(spilled)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldTellNoPlaceThatIsTooHighHoweverManyWait() {
    for (int i = 0; i < 1_000; i++) {
      append(i % 2, 3, 0);
    }
    for (long[] record : records) {
      assertThat(places.oldest(record[0])).isLessThanOrEqualTo(record[1]);
    }
    append(1, 1, spilled - 3);
    assertThat(places.oldest(spilled - 1)).as("known again").isEqualTo(accepted - 1);
  }
}
