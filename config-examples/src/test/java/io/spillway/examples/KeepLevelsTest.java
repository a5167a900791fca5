package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** With ring and spill full, a log call of a warning waits, and others are dropped and counted. */
// In a thread of its own, since a log call that waits hears no interrupt.
@Tag("slow")
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class KeepLevelsTest {
  private static final int DROPS = 2_000;
  private static final int MOST = 100_000; // 64 MB of spill and the ring are for 38,000
  private static final Pattern LINE = Pattern.compile("(INFO|WARN) .* - event (\\d+) ");

  @TempDir Path logs;
  private volatile boolean enough;
  private int warnings; // by one thread, until that has ended

  @Test
  void shouldKeepWarningsAndDropOthers() throws Exception {
    int logged;
    long dropped;
    try (Example example = new Example("keep-levels", logs)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender = example.file(example.root(), "FILE");
      SpillwayMetrics metrics = appender.getMetrics();
      Traffic traffic =
          new Traffic((number, text) -> example.root().info("event {} {}", number, text));
      BlockedFile blocked = new BlockedFile(appender);
      example.expect(BlockedFile.REPORT);
      example.expect("The ring is full, events are dropped (QUEUE_FULL)");

      while (metrics.getDropped() < DROPS || hasRoom(metrics)) {
        assertThat(traffic.logged()).as("room for").isLessThan(MOST);
        traffic.logLong(10);
      }
      int before = traffic.logged();
      Thread warner =
          new Thread(
              () -> {
                while (!enough) {
                  example.root().warn("event {} ", MOST + warnings++);
                }
              });
      warner.start();
      await().atMost(Example.PATIENCE).until(() -> metrics.getBlockedCalls() > 0);
      dropped = metrics.getDropped();
      while (metrics.getDropped() == dropped) {
        assertThat(traffic.logged()).as("beside a warning that waits").isLessThan(before + MOST);
        traffic.logLong(1);
      }
      enough = true;
      blocked.lift();
      warner.join();
      await().atMost(Example.PATIENCE).until(() -> metrics.getPending() == 0);

      dropped = metrics.getDropped();
      assertThat(metrics.lossOf(LossCause.QUEUE_FULL)).isEqualTo(dropped);
      assertThat(metrics.getLost()).isZero();
      logged = traffic.logged();
    }
    List<String> lines = new ArrayList<>();
    // Whether it comes to a rollover depends on how much was dropped. The archive is the first
    // name.
    for (String name : LogFiles.names(logs)) {
      assertThat(name).matches("app(\\.1\\.log\\.gz|\\.log)");
      lines.addAll(LogFiles.lines(logs.resolve(name)));
    }
    List<Integer> others = numbers(lines, "INFO");
    assertThat(numbers(lines, "WARN"))
        .isEqualTo(IntStream.range(MOST, MOST + warnings).boxed().toList());
    assertThat(others).isSorted().doesNotHaveDuplicates();
    assertThat(others.size() + dropped).isEqualTo(logged);
  }

  private static boolean hasRoom(SpillwayMetrics metrics) {
    return (long) metrics.value("SpillBytes") < metrics.getSpillCapacityBytes() / 10 * 9;
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
