package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the caller changes after the call is not in the message, wherever the event went. */
@Tag("shared")
class MutableArgumentTest {
  private static final int EVENTS = 2000;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"})
  void shouldKeepTheMessageOfTheCall(String spillMode) {
    GatedAppender sink = new GatedAppender();
    sink.shut();
    try (Rig rig = new Rig(directory, sink)) {
      rig.appender.setSpillMode(spillMode);
      rig.appender.setMemoryBuffer("64KB");
      rig.start();
      StringBuilder reused = new StringBuilder();
      List<Integer> list = new ArrayList<>();
      for (int i = 0; i < EVENTS; i++) {
        reused.setLength(0);
        reused.append("value").append(i);
        list.clear();
        list.add(i);
        rig.logger.info("{} of {}", reused, list);
      }
      reused.append(" changed");
      list.add(-1);
      sink.open();
      rig.awaitDelivered();
      assertThat(sink.messages())
          .isEqualTo(
              IntStream.range(0, EVENTS).mapToObj(i -> "value" + i + " of [" + i + "]").toList());
    }
  }
}
