package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.status.Status;
import io.spillway.metrics.Health;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.ProbeChild;
import io.spillway.testkit.ProbeChild.Sink;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tight;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Promise 14: with a spill directory that cannot be used, at the start or while running, the
 * appender works on the ring, says so, and recovers by itself.
 */
class P14SpillDirectoryTest extends Promise {
  private Probe probe(Kind kind) {
    Probe probe = new Probe(kind, directory).width(100);
    probe.settings.setSpillMode("ALWAYS");
    return probe;
  }

  /** Events go through without a spill; health and a status message tell. */
  private static void assertWorksOnTheRing(Probe probe, Path spill) {
    probe.log("1", 0, 1_000);
    probe.awaitDelivered();
    assertThat(probe.metrics().health().status()).isEqualTo(Health.Status.DEGRADED);
    assertThat(probe.metrics().getHealthReason()).containsIgnoringCase("spill");
    probe.awaitStatus(Status.WARN, spill.toString());
  }

  /** The spill is used without anybody's help, and nothing was lost. */
  private static void assertRecovered(Probe probe, String stream, String... before) {
    SpillwayMetrics metrics = probe.metrics();
    long spilled = metrics.getSpilled();
    int[] logged = {0};
    Probe.await(
        "spills again",
        () -> {
          probe.log(stream, logged[0], ++logged[0]);
          return metrics.getSpilled() > spilled;
        });
    SequenceCheck check = probe.assertLog(stream, logged[0]).assertNoDuplicates();
    for (String each : before) {
      check.assertComplete(each, 1_000);
    }
    assertThat(metrics.getLost() + metrics.getDropped()).isZero();
  }

  /** Its parent, or it itself, can be entered, but nothing can be created there. */
  @ParameterizedTest
  @CsvSource({"WRAPPED, tight/spill", "FILE, tight/spill", "WRAPPED, tight", "FILE, tight"})
  void isReadOnlyAtTheStart(Kind kind, String spill) throws IOException {
    try (Tight tight = new Tight(Files.createDirectory(directory.resolve("tight")));
        Probe probe = probe(kind)) {
      probe.settings.setSpillDirectory(directory.resolve(spill).toString());
      probe.start();
      assertWorksOnTheRing(probe, directory.resolve(spill));
      tight.open();
      assertRecovered(probe, "2", "1");
    }
  }

  @Both
  void isRemovedWhileRunning(Kind kind) {
    try (Probe probe = probe(kind)) {
      probe.settings.setMaxSpillSize("16 MB");
      probe.start();
      probe.log("1", 0, 1_000);
      probe.awaitDelivered();
      Shell.run("rm", "-rf", probe.spill());
      probe.gate.shut();
      int[] logged = {0};
      Probe.await(
          "created again",
          () -> {
            probe.log("2", logged[0], logged[0] += 100);
            return Files.isDirectory(probe.spill());
          });
      probe.gate.open();
      probe.assertLog("2", logged[0]);
      assertRecovered(probe, "3", "1");
    }
  }

  @Both
  void isRemovedWhileItHoldsEvents(Kind kind) {
    try (Probe probe = probe(kind)) {
      probe.start();
      probe.gate.shut();
      int[] logged = {0};
      Probe.await(
          "spills",
          () -> {
            probe.log("1", logged[0], logged[0] += 100);
            return probe.metrics().getSpilled() > 0;
          });
      Shell.run("rm", "-rf", probe.spill());
      Probe.await(
          "created again, though the segment has room",
          () -> {
            probe.log("1", logged[0], ++logged[0]);
            return Files.isDirectory(probe.spill());
          });
      probe.gate.open();
      probe.assertLog("1", logged[0]);
    }
  }

  @Both
  void isHeldByAnotherProcess(Kind kind) {
    try (Fork other = ProbeChild.fork(kind, directory, Sink.SHUT, 0, "SpillMode=ALWAYS")) {
      other.awaitAtLeast("spilled", 1_000);
      try (Probe probe = probe(kind)) {
        probe.log(directory.resolve("second.log"));
        probe.start();
        assertWorksOnTheRing(probe, probe.spill());
        other.kill();
        assertRecovered(probe, "2", "1");
        // What the other one had in the spill is there for whoever takes it over.
        assertThat(probe.assertLog().of("0").cardinality()).isGreaterThanOrEqualTo(1_000);
      }
    }
  }
}
