package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import org.junit.jupiter.api.Test;

class HandOffTest {
  private static final DropPolicy KEEP_WARN = new DropPolicy(true, true, 3, 0);

  private final HandOff memory = new HandOff(1_000);

  private Batch offered(int... levels) {
    Batch batch = new ByteBatch(new byte[136], 1).with(new Tally(0, levels)); // 200 bytes in all
    assertThat(memory.offer(batch)).isTrue();
    return batch;
  }

  @Test
  void shouldDropTheOldestUntilThereIsRoomButWhatIsKeptOrInFlight() {
    Batch inFlight = offered(0, 0, 1, 0, 0);
    Batch kept = offered(0, 0, 0, 1, 0);
    offered(0, 1, 0, 0, 0);
    offered(0, 0, 1, 0, 0);
    offered(0, 0, 1, 0, 0);
    assertThat(memory.take()).isSameAs(inFlight);

    assertThat(memory.evict(KEEP_WARN, 400)).containsExactly(0, 1, 1, 0, 0);
    assertThat(memory.take()).isSameAs(inFlight);
    assertThat(memory.bytes()).isEqualTo(600);
    assertThat(memory.evict(KEEP_WARN, 400)).as("there is room").isNull();

    memory.remove();
    assertThat(memory.evict(KEEP_WARN, 1_000)).containsExactly(0, 0, 1, 0, 0);
    assertThat(memory.evict(KEEP_WARN, 1_000)).as("nothing but kept ones").isNull();
    assertThat(memory.take()).isSameAs(kept);
    memory.remove();
    assertThat(memory.take()).isNull();
  }
}
