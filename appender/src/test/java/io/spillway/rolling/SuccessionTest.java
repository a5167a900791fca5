package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Compressor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One policy follows another on the same names. */
@Timeout(60)
class SuccessionTest {
  @TempDir Path directory;

  @AfterEach
  void letGo() {
    GatedFormat.reset();
  }

  private RollingRig rig(OnDemand trigger) {
    return rig(Host.STOCK, trigger);
  }

  private RollingRig rig(Host host, OnDemand trigger) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(directory + "/app.%i.log" + GatedFormat.SUFFIX);
    return new RollingRig(host, directory.resolve("app.log")).with(policy, trigger);
  }

  /** Logback never stops the policies of an appender that it could not start. */
  @Test
  void shouldEndTheArchivingOfAPolicyWhoseAppenderNeverStarted() {
    RollingRig neverStarted = rig(new OnDemand());
    assertThat(neverStarted.appender.isStarted()).isFalse();
    assertThat(Compressor.isAlive()).isTrue();

    OnDemand trigger = new OnDemand();
    try (RollingRig next = rig(trigger).start()) {
      next.log("one");
      trigger.roll();
      next.log("two");
      next.await("archived", () -> Files.exists(archive(1)));
    }
    Compressor.awaitEnd();
  }

  @Test
  void shouldHandOverACompressionThatIsUnderWay() {
    OnDemand trigger = new OnDemand();
    GatedFormat.GATE.shut();
    RollingRig first = rig(trigger).start();
    try (first) {
      first.log("one");
      trigger.roll();
      first.log("two");
      first.await("under way", GatedFormat.GATE::isHolding);
    } // does not wait for it
    OnDemand triggerOfNext = new OnDemand();
    try (RollingRig next = rig(triggerOfNext).start()) {
      triggerOfNext.roll();
      next.log("three");
      GatedFormat.reset();
      next.await(
          "archived",
          () ->
              Tree.names(directory)
                  .equals(
                      Set.of(
                          "app.log",
                          archive(1).getFileName().toString(),
                          archive(2).getFileName().toString())));
      assertThat(Tree.of(directory))
          .containsEntry(archive(1).getFileName().toString(), "two\n")
          .containsEntry(archive(2).getFileName().toString(), "one\n");
      next.await("counted", () -> archived(next) == 2);
      assertThat(archived(first)).isZero();
    }
  }

  /** A stop that has begun, and waits for an archive until the gate opens. */
  private static Thread stopThatWaits(RollingRig rig, OnDemand trigger) {
    rig.log("one");
    trigger.roll();
    rig.log("two");
    rig.await("under way", GatedFormat.GATE::isHolding);
    Thread stop = new Thread(rig.appender::stop);
    stop.start();
    rig.await("waiting", () -> isWaiting(stop));
    return stop;
  }

  /** Before it ends anything: events are still accepted. */
  @Test
  void shouldWarnOfAStartBesideAStopThatWaitsForArchives() throws Exception {
    OnDemand trigger = new OnDemand();
    GatedFormat.GATE.shut();
    try (RollingRig rig = rig(Host.SPILLWAY, trigger).start()) {
      Thread stop = stopThatWaits(rig, trigger);

      rig.appender.start();

      assertThat(rig.appender.isStarted()).as("still accepts events").isTrue();
      assertThat(rig.statuses())
          .anyMatch(status -> status.contains("call start() after stop() has returned"));
      GatedFormat.reset();
      stop.join();
    }
  }

  /** Nor does it end what the first one waits for. */
  @Test
  void shouldWaitForArchivesInASecondStopAsInTheFirst() throws Exception {
    OnDemand trigger = new OnDemand();
    GatedFormat.GATE.shut();
    try (RollingRig rig = rig(Host.SPILLWAY, trigger).start()) {
      Thread first = stopThatWaits(rig, trigger);
      Thread second = new Thread(rig.appender::stop);
      second.start();
      rig.await("waiting, or through", () -> isWaiting(second) || !second.isAlive());
      GatedFormat.reset();
      first.join();
      second.join();
      assertThat(archive(1)).exists();
    }
  }

  private static boolean isWaiting(Thread stop) {
    return Arrays.stream(stop.getStackTrace())
        .anyMatch(frame -> frame.getMethodName().equals("awaitArchived"));
  }

  private static long archived(RollingRig rig) {
    return ArchivingPolicy.metricsOf(rig.appender).archived();
  }

  private Path archive(int index) {
    return directory.resolve("app." + index + ".log" + GatedFormat.SUFFIX);
  }

  /** Its first row is what a stop takes for compression. */
  @Test
  void shouldWaitForCompressionAsLongAsThePageSays() throws Exception {
    String page = Files.readString(Path.of("..", "GUARANTEES.md"));
    assertThat(page.substring(page.indexOf("### How long a stop takes")))
        .containsPattern(
            "\\| part \\|.*\n.*\n\\| compression: .*\\| 30 seconds, at full speed; 1 second in which"
                + " nothing is compressed");
    assertThat(Duration.ofNanos(ArchivingPolicy.MOST_WAIT_NANOS)).isEqualTo(Duration.ofSeconds(30));
  }
}
