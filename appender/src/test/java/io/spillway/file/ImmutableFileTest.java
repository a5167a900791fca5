package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Permission withdrawn with {@code chattr +i}, which binds root as well. */
@Timeout(60)
class ImmutableFileTest {
  private static final Duration PROMISED = Duration.ofSeconds(1);

  @TempDir Path directory;
  private Path logs;
  private Path log;

  @BeforeEach
  void requireFileAttributes() throws IOException {
    logs = Files.createDirectory(directory.resolve("logs"));
    log = logs.resolve("app.log");
    Shell.Result result = Shell.attempt("chattr", "+i", logs);
    Assumptions.assumeTrue(
        result.exitCode() == 0,
        () -> "skipped, chattr +i does not work here (be root, on ext4 or xfs): " + result);
    Shell.run("chattr", "-i", logs);
  }

  @AfterEach
  void makeDeletable() {
    Shell.attempt("chattr", "-R", "-i", logs);
  }

  private FileRig started() {
    return new FileRig(log).spill(directory.resolve("spill")).start();
  }

  @Test
  void shouldHoldEventsWhileTheFileIsImmutableAndResumeWithinASecond(TestReporter reporter) {
    try (FileRig rig = started()) {
      rig.log(1_000);
      rig.awaitDelivered();
      Shell.run("chattr", "+i", log);
      rig.log(1_000);
      // The pauses between attempts have grown to their longest by then.
      rig.await("failing", () -> rig.metrics().getSinkFailures() >= 7);
      assertThat(rig.metrics().getDelivered()).isEqualTo(1_000);

      Duration resumed = rig.resumesAfter(() -> Shell.run("chattr", "-i", log));

      rig.awaitDelivered();
      reporter.publishEntry("resumed after ms", String.valueOf(resumed.toMillis()));
      assertThat(resumed).isLessThanOrEqualTo(PROMISED);
      Numbered.assertWhole(Numbered.lines(log), 0, 2_000);
      rig.assertAllDelivered();
      assertThat(rig.statuses("Cannot write to file")).isBetween(1L, 2L);
    }
  }

  @Test
  void shouldTearNothingWhenTheFileTurnsImmutableInTheMiddleOfWriting() throws Exception {
    try (FileRig rig = started()) {
      Thread logging = new Thread(() -> rig.log(100_000));
      logging.start();
      while (logging.isAlive()) {
        Shell.attempt("chattr", "+i", log);
        Shell.attempt("chattr", "-i", log);
      }
      logging.join();
      rig.awaitDelivered();

      Numbered.assertWhole(Numbered.lines(log), 0, 100_000);
      rig.assertAllDelivered();
    }
  }

  @Test
  void shouldWriteOnWhenTheDirectoryIsImmutableAndCreateTheNextFileWhenItIsNot() {
    try (FileRig rig = started()) {
      rig.log(100);
      rig.awaitDelivered();
      Shell.run("chattr", "+i", logs);
      rig.policy.roll();
      rig.log(100);
      rig.awaitDelivered();
      assertThat(rig.policy.rolled()).isZero();
      Shell.run("chattr", "-i", logs);
      rig.policy.roll();
      rig.log(100);
      rig.awaitDelivered();

      Numbered.assertWhole(Numbered.lines(Path.of(log + ".1"), log), 0, 300);
      assertThat(Numbered.lines(log)).hasSize(100);
      rig.assertAllDelivered();
    }
  }

  @Test
  void shouldResumeWithinASecondWhenTheNextFileCouldNotBeCreated() {
    try (FileRig rig = started()) {
      rig.log(100);
      rig.awaitDelivered();
      rig.policy.onRollover(
          () -> {
            Shell.run("mv", log, log + ".moved");
            Shell.run("chattr", "+i", logs);
          });
      rig.policy.roll();
      rig.log(100);
      rig.await("failing", () -> rig.metrics().getSinkFailures() >= 7);

      Duration resumed = rig.resumesAfter(() -> Shell.run("chattr", "-i", logs));

      rig.awaitDelivered();
      assertThat(resumed).isLessThanOrEqualTo(PROMISED);
      Numbered.assertWhole(Numbered.lines(Path.of(log + ".moved"), log), 0, 200);
      rig.assertAllDelivered();
    }
  }

  @Test
  void shouldRollLogbacksFixedWindowOnceTheDirectoryPermitsIt() {
    FileRig unstarted = new FileRig(log).spill(directory.resolve("spill"));
    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(unstarted.context);
    rolling.setParent(unstarted.appender);
    rolling.setFileNamePattern(log + ".%i");
    rolling.setMinIndex(1);
    rolling.setMaxIndex(9);
    rolling.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
    size.setMaxFileSize(new FileSize(10_000));
    size.setCheckIncrement(new ch.qos.logback.core.util.Duration(1));
    size.start();
    unstarted.appender.setTriggeringPolicy(size);
    unstarted.appender.setRollingPolicy(rolling);
    try (FileRig rig = unstarted.start()) {
      Shell.run("chattr", "+i", logs);
      rig.log(300); // well beyond the size
      rig.awaitDelivered();
      rig.log(300);
      rig.awaitDelivered();
      assertThat(Path.of(log + ".1")).doesNotExist();
      Shell.run("chattr", "-i", logs);
      rig.await(
          "rolled over",
          () -> {
            rig.log(1);
            rig.awaitDelivered();
            return Files.exists(Path.of(log + ".1"));
          });

      Numbered.assertWhole(Numbered.lines(Path.of(log + ".1"), log), 0, rig.logged());
      rig.assertAllDelivered();
    }
  }
}
