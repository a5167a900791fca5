package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Path;
import java.time.Duration;

/** What every example with a file of its own has to stand. */
final class Overflow {
  private static final int MORE = 1_000;

  private Overflow() {}

  /** Plain text through the root logger. */
  static Traffic thenRollOver(Example example, String appender) throws Exception {
    Logger root = example.root();
    Traffic traffic = new Traffic(root);
    thenRollOver(example, example.file(root, appender), traffic, () -> {});
    return traffic;
  }

  /**
   * The file takes no writes until all that is logged is in the spill; once all of it is there, the
   * file rolls over and more is logged.
   *
   * @param whileBlocked what else is to be seen then
   */
  static void thenRollOver(
      Example example,
      SpillwayRollingFileAppender<ILoggingEvent> appender,
      Traffic traffic,
      Runnable whileBlocked)
      throws Exception {
    SpillwayMetrics metrics = appender.getMetrics();
    Path file = Path.of(appender.getFile());
    BlockedFile blocked = new BlockedFile(file);
    example.expect(BlockedFile.REPORT);
    traffic.overflow(metrics);
    assertThat(LogFiles.names(file.getParent()))
        .as("the spill, beside the log")
        .anyMatch(name -> name.matches("\\Q" + file.getFileName() + "\\E\\.spill/.*\\.bytes"));
    whileBlocked.run();
    blocked.lift();
    traffic.awaitDelivered(metrics);

    rollOver(appender);
    traffic.log(MORE);
    traffic.awaitDelivered(metrics);
    assertThat(metrics.getRollovers()).as("rollovers").isOne();
  }

  /**
   * Before the next write. Logback's policies of time roll over by the clock alone, so it is set.
   */
  private static void rollOver(SpillwayRollingFileAppender<ILoggingEvent> appender) {
    if (appender.getRollingPolicy() instanceof TimeBasedRollingPolicy<?> daily) {
      long tomorrow = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
      daily.getTimeBasedFileNamingAndTriggeringPolicy().setCurrentTime(tomorrow);
    } else {
      appender.rollover();
    }
  }
}
