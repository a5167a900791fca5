package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.CallSitesTest;
import io.spillway.testkit.Fork;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A class that cannot be initialized, because there is no memory when it is first used, stays
 * unusable for ever. So those that workers and log calls use are initialized when the appender
 * starts.
 */
@Timeout(60)
class InitializedTest {
  private static final Pattern INITIALIZING =
      Pattern.compile(".*Initializing '((?:io/spillway|com/lmax/disruptor)/\\S+)'.*");

  /** What a log call at a full ring meets, of another library. */
  private static final String FULL = "com/lmax/disruptor/InsufficientCapacityException";

  /** Of what is not there by default, of a stop, and of tools. */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "io/spillway/internal/metrics/EpisodeReports",
          "io/spillway/internal/metrics/EpisodeReports$Spilled",
          "io/spillway/internal/spill/Eviction",
          "io/spillway/internal/spill/SpillInspection$State",
          "io/spillway/internal/spill/SpillSyncer");

  @TempDir Path directory;

  @Test
  void shouldBeInitializedWhenTheAppenderStarts() throws Exception {
    Set<String> late = new TreeSet<>(CallSitesTest.withInitializers());
    assertThat(late).hasSizeGreaterThan(20);
    late.add(FULL);
    try (Fork child =
        Fork.start(StartedChild.class, List.of("-Xlog:class+init=info:stdout"), directory)) {
      child.awaitEnd(0);
      assertThat(child.number("started")).isOne();
      for (String line : child.output()) {
        Matcher initializing = INITIALIZING.matcher(line);
        if (initializing.matches()) {
          late.remove(initializing.group(1));
        }
      }
    }
    late.removeAll(ELSEWHERE);
    assertThat(late).isEmpty();
  }
}
