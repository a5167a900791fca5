package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.SizeAndTimeBasedFileNamingAndTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What retention does where Logback's has no answer, and what clocks do to names. */
@Timeout(60)
class RetentionTest {
  private static final Instant BEGIN = Instant.parse("2026-05-10T12:00:00Z");

  @TempDir(factory = InMemory.class)
  Path directory;

  private RollingRig rig;
  private SizeAndTimeBasedFileNamingAndTriggeringPolicy<ILoggingEvent> clock;

  @AfterEach
  void stop() {
    GatedFormat.reset();
    rig.close();
  }

  private void start(String pattern, boolean withFile, int maxHistory, long cap) {
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    rig = new RollingRig(Host.STOCK, withFile ? directory.resolve("app.log") : null);
    policy.setContext(rig.context);
    policy.setFileNamePattern(directory.resolve(pattern).toString());
    policy.setMaxHistory(maxHistory);
    policy.setTotalSizeCap(new FileSize(cap));
    policy.setCleanHistoryOnStart(true);
    clock = new SizeAndTimeBasedFileNamingAndTriggeringPolicy<>();
    clock.setMaxFileSize(new FileSize(30));
    clock.setCurrentTime(BEGIN.toEpochMilli());
    policy.setTimeBasedFileNamingAndTriggeringPolicy(clock);
    rig.with(policy, policy).start();
  }

  private void log(Duration since, String message) {
    clock.setCurrentTime(BEGIN.plus(since).toEpochMilli());
    rig.log(message);
  }

  private Set<String> names() {
    return Tree.names(directory);
  }

  private void write(String name) throws IOException {
    Files.writeString(directory.resolve(name), "left\n");
  }

  /** Also names that were taken, and a rolled file of an expired period. */
  @Test
  void shouldDeleteAllOfAnExpiredPeriod() throws IOException {
    for (String name :
        new String[] {
          "0.log.gz", "1.log.gz", "0.log.1.gz", "2.log", "0.log.gz.other", "x.log.gz"
        }) {
      write("app.2026-05-06." + name);
      write("app.2026-05-09." + name);
    }
    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gz", true, 2, 0);
    rig.awaitArchived();
    assertThat(names())
        .filteredOn(name -> name.contains("05-06"))
        .containsExactlyInAnyOrder("app.2026-05-06.0.log.gz.other", "app.2026-05-06.x.log.gz");
    assertThat(names()).filteredOn(name -> name.contains("05-09")).hasSize(6);
  }

  /** A burst must not delete what there is room for once it is compressed. */
  @Test
  void shouldNotCountNorDeleteForTheCapWhatWaits() {
    GatedFormat.GATE.shut();
    start("app.%d{yyyy-MM-dd, UTC}.%i.log" + GatedFormat.SUFFIX, true, 5, 150);
    for (int i = 0; i < 6; i++) {
      log(Duration.ZERO, "message " + i + " " + "x".repeat(100));
    }
    rig.await("a compression", GatedFormat.GATE::isHolding);
    assertThat(names()).hasSize(6 + 1);
    GatedFormat.reset();
    rig.awaitArchived();
    assertThat(names().stream().filter(name -> name.endsWith(GatedFormat.SUFFIX)))
        .as("the newest that fit")
        .hasSizeBetween(2, 4)
        .anyMatch(name -> name.contains(".4.log"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldOverwriteNothingWhenTheClockIsSetBackAndForth(boolean withFile) {
    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gz", withFile, 30, 0);
    StringBuilder all = new StringBuilder();
    int[] days = {0, 1, 2, 0, 1, -3, 2, 3, 0, 5};
    for (int i = 0; i < days.length; i++) {
      log(Duration.ofDays(days[i]), "m" + i);
      all.append("m").append(i).append('\n');
    }
    rig.awaitArchived();
    String found = String.join("", Tree.of(directory).values());
    assertThat(found.lines().sorted()).isEqualTo(all.toString().lines().sorted().toList());
    assertThat(rig.errors()).isEmpty();
  }

  /** A day of 25 hours is one period, as for Logback. */
  @Test
  void shouldRollOverAtMidnightOfALongDay() {
    start("app.%d{yyyy-MM-dd, Europe/Berlin}.%i.log", true, 0, 0);
    Duration midnight = Duration.between(BEGIN, Instant.parse("2026-10-24T22:00:00Z"));
    log(midnight.minusMinutes(1), "before");
    for (int hour = 0; hour < 25; hour++) {
      log(midnight.plusHours(hour), "h");
    }
    log(midnight.plusHours(25), "after");
    assertThat(Tree.of(directory))
        .containsEntry("app.log", "after\n")
        .containsEntry("app.2026-10-24.0.log", "before\n");
    assertThat(
            Tree.of(directory).entrySet().stream()
                .filter(file -> file.getKey().contains("10-25"))
                .mapToLong(file -> file.getValue().lines().count())
                .sum())
        .isEqualTo(25);
  }

  /** Without {@code <file>} a run goes on with the active file of the run before. */
  @ParameterizedTest
  @ValueSource(strings = {"", ".gz"})
  void shouldGoOnWithTheFileOfTheRunBefore(String suffix) {
    String pattern = "app.%d{yyyy-MM-dd, UTC}.%i.log" + suffix;
    start(pattern, false, 0, 0);
    log(Duration.ZERO, "first, of so many bytes that it is full");
    log(Duration.ZERO, "second");
    rig.awaitArchived();
    rig.close();
    start(pattern, false, 0, 0);
    log(Duration.ZERO, "third");
    rig.awaitArchived();
    assertThat(Tree.of(directory))
        .hasSize(2)
        .containsEntry("app.2026-05-10.1.log", "second\nthird\n");
  }
}
