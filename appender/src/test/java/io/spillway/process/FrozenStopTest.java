package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A stop waits a second for the ring to be spilled; a virtual machine that is paused for longer
 * meanwhile, as it is while it is moved to another host, must not use it up.
 */
@Timeout(120)
@Tag("slow")
@Tag("gate")
class FrozenStopTest {
  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void shouldLoseNothingIfTheMachineStandsStillDuringAStop(Kind kind) {
    try (Fork child = Fork.start(FrozenStopChild.class, List.of("-Xmx512m"), kind, directory)) {
      child.awaitLine("stopping");
      child.freeze(Duration.ofMillis(1_500));
      child.awaitEnd(0);

      assertThat(child.number("pending")).isPositive();
      assertThat(child.number("lost")).isZero();
    }
  }
}
