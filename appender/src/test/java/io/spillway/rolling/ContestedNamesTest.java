package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.Health;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Compressor;
import java.lang.Thread.State;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Two logger contexts of one JVM whose appenders have files of their own, but one pattern. */
@Timeout(30)
class ContestedNamesTest {
  @TempDir Path directory;

  private RollingRig rig(Host host, String file, OnDemand trigger) {
    RollingRig rig = new RollingRig(host, directory.resolve(file));
    rig.appender.setName("OF-" + file);
    rig.context.setName("context-" + file);
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(directory + "/app.%i.log.gz");
    return rig.with(policy, trigger);
  }

  private static void assertTold(RollingRig rig, RollingRig holder) {
    assertThat(rig.errors())
        .anySatisfy(
            message ->
                assertThat(message)
                    .contains("Setting [fileNamePattern] has the value [")
                    .contains("/app.%i.log.gz]; allowed: names that appender [")
                    .contains("[" + holder.appender.getName() + "]")
                    .contains("of context [" + holder.context.getName() + "] does not use")
                    .contains("To do: give each appender a <file> and a [fileNamePattern]")
                    .contains("Nothing is rolled over until then; what is logged goes to ["));
  }

  private static void rollThrough(RollingRig rig, OnDemand trigger, String message) {
    trigger.roll();
    rig.log(message);
  }

  private void awaitFiles(RollingRig rig, Map<String, String> expected) {
    rig.await(expected + ", not " + Tree.of(directory), () -> expected.equals(Tree.of(directory)));
  }

  @ParameterizedTest
  @EnumSource
  void shouldLeaveTheNamesToALiveAppenderOfAnotherContext(Host host) {
    OnDemand trigger1 = new OnDemand();
    OnDemand trigger2 = new OnDemand();
    try (RollingRig first = rig(host, "1.log", trigger1).start();
        RollingRig second = rig(host, "2.log", trigger2).start()) {
      assertTold(second, first);
      first.log("a");
      second.log("b");
      rollThrough(first, trigger1, "c");
      rollThrough(second, trigger2, "d");
      awaitFiles(first, Map.of("1.log", "c\n", "2.log", "b\nd\n", "app.1.log.gz", "a\n"));
      assertThat(first.errors()).isEmpty();
      if (second.appender instanceof SpillwayRollingFileAppender<?> spillway) {
        assertThat(spillway.health().status()).isEqualTo(Health.Status.DEGRADED);
      }
      first.appender.stop(); // what is stopped stands in nobody's way
      second.await(
          "names are free",
          () -> {
            rollThrough(second, trigger2, "e");
            return Files.exists(directory.resolve("app.2.log.gz"));
          });
    }
    Compressor.awaitEnd();
  }

  /** Both policies are there before the first appender starts, so that neither has the names. */
  @ParameterizedTest
  @EnumSource
  void shouldLeaveTheNamesToOneOfTwoThatStartTogether(Host host) {
    OnDemand trigger1 = new OnDemand();
    OnDemand trigger2 = new OnDemand();
    try (RollingRig first = rig(host, "1.log", trigger1);
        RollingRig second = rig(host, "2.log", trigger2)) {
      first.start();
      second.start();
      first.log("a");
      second.log("b");
      rollThrough(first, trigger1, "c");
      rollThrough(second, trigger2, "d");
      awaitFiles(second, Map.of("1.log", "a\nc\n", "2.log", "d\n", "app.1.log.gz", "b\n"));
      assertTold(first, second);
      assertThat(second.errors()).isEmpty();
      second.appender.stop();
      first.await(
          "names are free",
          () -> {
            rollThrough(first, trigger1, "e");
            return Files.exists(directory.resolve("app.2.log.gz"));
          });
    }
    Compressor.awaitEnd();
  }

  /** As another class loader's policy may, which no register knows: a rename may replace a file. */
  @Test
  void shouldWaitForWhoRenamesTheSameFileThroughALink() throws Exception {
    Files.createSymbolicLink(directory.resolve("link"), directory);
    OnDemand trigger = new OnDemand();
    try (RollingRig rig = rig(Host.STOCK, "link/1.log", trigger).start()) {
      rig.log("a");
      Thread rolling = new Thread(() -> rollThrough(rig, trigger, "b"));
      synchronized (("io.spillway writes " + directory.toRealPath().resolve("1.log")).intern()) {
        rolling.start();
        rig.await(
            "in the rename",
            () -> Set.of(State.BLOCKED, State.TERMINATED).contains(rolling.getState()));
        assertThat(directory.resolve("1.log")).hasContent("a\n");
      }
      rolling.join();
      assertThat(directory.resolve("1.log")).hasContent("b\n");
    }
    Compressor.awaitEnd();
  }

  /** Such as in a reconfiguration during another: the policy is there, its appender refused. */
  @ParameterizedTest
  @EnumSource
  void shouldTakeTheNamesBackFromAPolicyWhoseAppenderNeverStarted(Host host) {
    OnDemand trigger = new OnDemand();
    try (RollingRig first = rig(host, "1.log", trigger)) {
      RollingRig neverStarted = rig(host, "2.log", new OnDemand());
      assertThat(neverStarted.appender.isStarted()).isFalse();
      first.start();
      first.log("a");
      rollThrough(first, trigger, "b");
      awaitFiles(first, Map.of("1.log", "b\n", "app.1.log.gz", "a\n"));
      assertThat(first.errors()).isEmpty();
    }
    Compressor.awaitEnd();
  }

  /** Without a file of its own it would write the file that the other archives. */
  @ParameterizedTest
  @CsvSource({"STOCK, false", "SPILLWAY, false", "SPILLWAY, true"})
  void shouldNotStartWithoutAFileOfItsOwn(Host host, boolean logbacks) {
    try (RollingRig first = dated(host, logbacks).start();
        RollingRig second = dated(host, logbacks)) {
      first.log("a");
      second.appender.start();
      assertThat(second.appender.isStarted()).isFalse();
      assertThat(second.errors())
          .anyMatch(m -> m.contains("[fileNamePattern]") && m.matches(".* (N|n)ot started.*"));
      first.log("b");
      assertThat(Tree.of(directory).values()).containsExactly("a\nb\n");
    }
    Compressor.awaitEnd();
  }

  private RollingRig dated(Host host, boolean logbacks) {
    RollingRig rig = new RollingRig(host, null);
    String pattern = directory + "/app.%d.log.gz";
    if (logbacks) {
      var theirs = new ch.qos.logback.core.rolling.TimeBasedRollingPolicy<ILoggingEvent>();
      theirs.setFileNamePattern(pattern);
      return rig.with(theirs, theirs);
    }
    TimeBasedRollingPolicy<ILoggingEvent> ours = new TimeBasedRollingPolicy<>();
    ours.setFileNamePattern(pattern);
    return rig.with(ours, ours);
  }

  /** With Logback's policies in Spillway's appender. */
  @Test
  void shouldLeaveTheNamesToALiveAppenderWhateverItsPolicy() {
    OnDemand trigger1 = new OnDemand();
    OnDemand trigger2 = new OnDemand();
    try (RollingRig first = stock("1.log", trigger1).start();
        RollingRig second = stock("2.log", trigger2).start()) {
      first.log("a");
      second.log("b");
      rollThrough(first, trigger1, "c");
      rollThrough(second, trigger2, "d");
      second.await("told", () -> !second.errors().isEmpty());
      assertThat(((SpillwayRollingFileAppender<?>) second.appender).health().status())
          .isEqualTo(Health.Status.DEGRADED);
      assertThat(Tree.of(directory))
          .isEqualTo(Map.of("1.log", "c\n", "2.log", "b\nd\n", "app.1.log", "a\n"));
      assertThat(Set.copyOf(first.errors())).isEmpty();
    }
  }

  private RollingRig stock(String file, OnDemand trigger) {
    RollingRig rig = new RollingRig(Host.SPILLWAY, directory.resolve(file));
    rig.appender.setName("OF-" + file);
    var policy = new ch.qos.logback.core.rolling.FixedWindowRollingPolicy();
    policy.setFileNamePattern(directory + "/app.%i.log");
    return rig.with(policy, trigger);
  }
}
