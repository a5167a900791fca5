package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** With ring, memory and spill full, each warning and the latest of the others come through. */
// In a thread of its own, since a log call that waits hears no interrupt.
@Tag("slow")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class KeepLevelsTest {
  private static final int EVICTED = 5_000;
  private static final int MOST = 100_000; // 64 MB of spill and 8 MB of memory are for 24,000
  private static final int WARN_EACH = 100;
  private static final Pattern LINE = Pattern.compile("(INFO|WARN) .* - event (\\d+) ");

  @TempDir Path logs;

  @Test
  void shouldKeepWarningsAndTheLatestOfTheOthers() throws Exception {
    int logged;
    long lost;
    try (Example example = new Example("keep-levels", logs)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender = example.file(example.root(), "FILE");
      SpillwayMetrics metrics = appender.getMetrics();
      Traffic traffic =
          new Traffic(
              (number, text) -> {
                if (number % WARN_EACH == 0) {
                  example.root().warn("event {} {}", number, text);
                } else {
                  example.root().info("event {} {}", number, text);
                }
              });
      BlockedFile blocked = new BlockedFile(appender);
      example.expect(BlockedFile.REPORT);
      example.expect("The spill has reached maxSpillSize");
      example.expect("whenFull=DROP_OLDEST: ");

      while (metrics.lossOf(LossCause.EVICTED) < EVICTED) {
        assertThat(traffic.logged()).as("room for").isLessThan(MOST);
        traffic.logLong(10);
        while (metrics.getRingUsed() > metrics.getRingCapacity() / 8 * 7 - 100
            && metrics.lossOf(LossCause.EVICTED) < EVICTED
            && !Thread.currentThread().isInterrupted()) {
          traffic.logLong(1); // it is for those who log that room is made
          LockSupport.parkNanos(100_000);
        }
      }
      blocked.lift();
      await().atMost(Example.PATIENCE).until(() -> metrics.getPending() == 0);

      assertThat(metrics.getBlockedCalls()).isZero();
      assertThat(metrics.lossOf(LossCause.EVICTED, "INFO"))
          .isEqualTo(metrics.lossOf(LossCause.EVICTED));
      assertThat(metrics.lossOf(LossCause.QUEUE_FULL, "WARN")).isZero();
      lost = metrics.getLost() + metrics.getDropped();
      assertThat(metrics.getLostByPolicy()).isEqualTo(lost);
      logged = traffic.logged();
    }
    List<String> lines = LogFiles.lines(logs, "app\\.\\d\\.log\\.gz", "app\\.log");
    List<Integer> warnings = numbers(lines, "WARN");
    List<Integer> others = numbers(lines, "INFO");
    assertThat(warnings).hasSize((logged - 1) / WARN_EACH + 1).isSorted().doesNotHaveDuplicates();
    assertThat(others).isSorted().doesNotHaveDuplicates();
    assertThat(warnings.size() + others.size() + lost).isEqualTo(logged);
  }

  private static List<Integer> numbers(List<String> lines, String level) {
    return lines.stream()
        .map(LINE::matcher)
        .filter(Matcher::find)
        .filter(line -> line.group(1).equals(level))
        .map(line -> Integer.valueOf(line.group(2)))
        .toList();
  }
}
