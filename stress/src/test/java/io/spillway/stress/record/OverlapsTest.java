package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OverlapsTest {

  @Test
  void shouldFindTheMostAtOnceAsACountOfEveryMomentDoes() {
    Random random = new Random(7);
    Overlaps overlaps = new Overlaps(Integer.MAX_VALUE);
    int[] at = new int[2_000];
    for (int i = 0; i < 700; i++) {
      int start = random.nextInt(1_900);
      int end = start + 1 + random.nextInt(90);
      overlaps.add(start, end);
      for (int moment = start; moment < end; moment++) {
        at[moment]++;
      }
    }

    assertThat(overlaps.most()).isEqualTo(Arrays.stream(at).max().orElseThrow());
  }

  @Test
  void shouldKeepTheMostThatItHasForgotten() {
    Overlaps overlaps = new Overlaps(256);
    for (int i = 0; i < 3; i++) {
      overlaps.add(i, 10);
    }
    for (int i = 20; i < 1_020; i++) {
      overlaps.add(i, i + 1);
    }

    assertThat(overlaps.most()).isEqualTo(3);
  }
}
