package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Configured;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject.Kind;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A new configuration takes over while Logback's own policy still compresses for the old one, which
 * has given up waiting: the file that is there will be deleted as soon as its archive is whole.
 */
@Tag("slow")
@Timeout(180)
class SuccessorTest {
  private static final int FILLER_LINES = 24_000; // of 1,000 characters each, hard to compress
  private static final int EVENTS = 10_000;

  private static final String ROLLING =
      """
      <file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>
      <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
        <fileNamePattern>DIR/app.%i.log.gz</fileNamePattern><maxIndex>9</maxIndex>
      </rollingPolicy>
      <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy">
        <maxFileSize>20MB</maxFileSize><checkIncrement>1 millisecond</checkIncrement>
      </triggeringPolicy>
      """;
  private static final String SETTINGS =
      "<spillDirectory>DIR/spill</spillDirectory><maxFlushTime>100</maxFlushTime>";
  private static final String WRAPPED =
      "<appender name='FILE' class='ch.qos.logback.core.rolling.RollingFileAppender'>"
          + ROLLING
          + "</appender><appender name='SPILLWAY' class='io.spillway.SpillwayAppender'>"
          + SETTINGS
          + "<appender-ref ref='FILE'/></appender>";
  private static final String OWN_FILE =
      "<appender name='SPILLWAY' class='io.spillway.SpillwayRollingFileAppender'>"
          + SETTINGS
          + ROLLING
          + "</appender>";

  @TempDir Path directory;

  private Configured configured(Kind kind) {
    String appenders = (kind == Kind.WRAPPED ? WRAPPED : OWN_FILE);
    return new Configured(
        appenders.replace("DIR", directory.toString())
            + "<root level='INFO'><appender-ref ref='SPILLWAY'/></root>");
  }

  @ParameterizedTest
  @EnumSource
  void shouldLoseNothingWhileLogbackCompressesForTheOldConfiguration(Kind kind) throws Exception {
    writeFiller();
    Thread deliverer = startCompressingAndStop(kind);
    try (Configured next = configured(kind)) {
      log(next, 100, EVENTS);
      assertThat(deliverer.isAlive()).as("the old one still compresses").isTrue();
      assertThat(awaitDelivered(next)).as(() -> "" + next.statuses()).isTrue();
      assertThat(deliverer.isAlive()).isFalse();
    }
    List<String> lines = new ArrayList<>();
    Configured.contents(directory).values().forEach(text -> text.lines().forEach(lines::add));
    assertThat(lines.stream().filter(line -> line.startsWith("filler")).count())
        .as("archived once")
        .isEqualTo(FILLER_LINES);
    SequenceCheck check =
        new SequenceCheck(lines.stream().filter(line -> !line.startsWith("filler")).toList());
    check.assertComplete("0", EVENTS);
    // The event that a nested appender holds when it is given up on may come again.
    assertThat(check.duplicates()).isLessThanOrEqualTo(kind == Kind.WRAPPED ? 1 : 0);
  }

  /**
   * By a daemon, as Logback's scan of its configuration is, since its stop does not wait for
   * compression. Returns the thread that goes on compressing.
   */
  private Thread startCompressingAndStop(Kind kind) throws InterruptedException {
    Configured old = configured(kind);
    Thread scan = new Thread(old::close);
    scan.setDaemon(true);
    try {
      log(old, 0, 100);
      await().until(() -> Files.exists(directory.resolve("app.1.log.gz")));
      return deliverers().get(0);
    } finally {
      scan.start();
      scan.join();
    }
  }

  private void writeFiller() throws IOException {
    Random random = new Random(1);
    try (Writer out = Files.newBufferedWriter(directory.resolve("app.log"))) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < FILLER_LINES; i++) {
        line.setLength(0);
        line.append("filler ");
        while (line.length() < 1_000) {
          line.append(Long.toString(random.nextLong() >>> 1, Character.MAX_RADIX));
        }
        out.append(line).append('\n');
      }
    }
  }

  private static void log(Configured configured, int from, int to) {
    for (int i = from; i < to; i++) {
      configured.logger.info("#0:{}.", i);
    }
  }

  private static List<Thread> deliverers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("spillway-deliverer-SPILLWAY"))
        .toList();
  }

  private static boolean awaitDelivered(Configured configured) {
    return configured.appender("SPILLWAY") instanceof SpillwayAppender wrapping
        ? wrapping.awaitDelivered(FileRig.PATIENCE)
        : ((SpillwayRollingFileAppender<?>) configured.appender("SPILLWAY"))
            .awaitDelivered(FileRig.PATIENCE);
  }
}
