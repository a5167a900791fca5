package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.Health;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.ProbeChild;
import io.spillway.testkit.ProbeChild.Sink;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise 11: a full disk, no inodes, a file-size limit: nothing is lost while ring and spill have
 * room, writing goes on within two seconds of room returning, and no line is torn.
 */
class P11FullDiskTest extends Promise {
  private static final int CYCLES = FULL ? 20 : 2;
  private static final Duration PROMISED = Duration.ofSeconds(2);
  private static final int BEYOND = 2_000; // events for which the disk has no room

  /** The time from room returning until the first event is written. */
  private static Duration resumes(Probe probe, Runnable cure) {
    long delivered = probe.metrics().getDelivered();
    cure.run();
    long began = System.nanoTime();
    Probe.await("written again", () -> probe.metrics().getDelivered() > delivered);
    return Duration.ofNanos(System.nanoTime() - began);
  }

  /** Logs until writing fails, and some more; returns the next number. */
  private static int fill(Probe probe, int from) {
    SpillwayMetrics metrics = probe.metrics();
    long failures = (long) metrics.value("SinkFailures");
    int next = from;
    while ((long) metrics.value("SinkFailures") == failures) {
      probe.log("0", next, next += 100);
      Probe.await(
          "written or failing",
          () -> metrics.getPending() == 0 || (long) metrics.value("SinkFailures") > failures);
    }
    probe.log("0", next, next += BEYOND);
    // The worst moment to be cured: the pauses between attempts have grown.
    Probe.await("attempts", () -> (long) metrics.value("SinkFailures") >= failures + 5);
    return next;
  }

  /** Each cycle the disk is freed by a ballast; the log itself is cut, as an operator does it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void losesNothingWhileTheLogsDiskIsFull(boolean shared) throws IOException {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=2m")) {
      Probe probe = new Probe(Kind.FILE, directory).width(100);
      probe.log(disk.directory().resolve("app.log"));
      if (shared) {
        probe.settings.setSpillDirectory(disk.directory().resolve("spill").toString());
      }
      try (probe) {
        probe.start();
        int next = 0;
        for (int cycle = 0; cycle < CYCLES; cycle++) {
          disk.ballast("ballast", 1 << 20);
          next = fill(probe, next);
          assertThat(probe.metrics().health().status()).isEqualTo(Health.Status.DEGRADED);
          probe.awaitStatus(1, "app.log", "No space left");
          assertThat(resumes(probe, () -> disk.drop("ballast"))).isLessThan(PROMISED);
          SequenceCheck check = probe.assertLog().assertNoDuplicates();
          assertThat(check.of("0").length()).isEqualTo(next);
          assertThat(check.of("0").cardinality())
              .as("events since the log was cut")
              .isEqualTo(next - check.of("0").nextSetBit(0));
          Shell.run("truncate", "-s", 0, probe.logFile());
        }
        assertThat(probe.metrics().getDelivered()).isEqualTo(next);
        assertThat(probe.metrics().getLost() + probe.metrics().getDropped()).isZero();
      }
    }
  }

  /** The spill's disk is full, or has no inodes: the ring holds what it can, then calls wait. */
  @ParameterizedTest
  @ValueSource(strings = {"size=1m", "size=64m,nr_inodes=2"})
  void losesNothingWhileTheSpillsDiskIsFull(String options) throws Exception {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), options);
        Probe probe = new Probe(Kind.FILE, directory).width(400)) {
      probe.settings.setSpillDirectory(disk.directory().resolve("spill").toString());
      probe.gate.shut();
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      int events = 60_000;
      Thread logging = new Thread(() -> probe.log("0", 0, events));
      logging.start();
      Probe.await("a waiting call", () -> metrics.getBlockedCalls() > 0);
      assertThat(metrics.health().status()).isEqualTo(Health.Status.DEGRADED);
      probe.awaitStatus(1, disk.directory().resolve("spill").toString());
      probe.gate.open();
      logging.join();
      probe.assertLog("0", events).assertNoDuplicates();
      assertThat(metrics.getLost() + metrics.getDropped()).isZero();
    }
  }

  /** Room returns to the spill: it is used again. */
  @Both
  void spillsAgainWithinTwoSecondsOfRoomReturning(Kind kind) {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=8m");
        Probe probe = new Probe(kind, directory).width(100)) {
      disk.ballast("ballast", (8 << 20) - 40_000);
      probe.settings.setSpillDirectory(disk.directory().resolve("spill").toString());
      probe.settings.setSpillMode("ALWAYS");
      probe.gate.shut();
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      probe.log("0", 0, 5_000);
      Probe.await("failures", () -> (long) metrics.value("SpillFailures") > 0);
      assertThat(metrics.health().status()).isEqualTo(Health.Status.DEGRADED);
      long spilled = metrics.getSpilled();
      disk.drop("ballast");
      long began = System.nanoTime();
      int[] logged = {5_000};
      Probe.await(
          "spilled again",
          () -> {
            probe.log("0", logged[0], ++logged[0]);
            return metrics.getSpilled() > spilled;
          });
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(PROMISED);
      probe.gate.open();
      probe.assertLog("0", logged[0]).assertNoDuplicates();
    }
  }

  /** {@code ulimit -f}: nothing is written beyond the limit, and nothing is torn at it. */
  @Test
  void losesNothingAtAFileSizeLimit() {
    try (Fork child = ProbeChild.fork(Kind.FILE, directory, Sink.OPEN, 0)) {
      child.awaitAtLeast("delivered", 100);
      long limit = directory.resolve("app.log").toFile().length() + 100_000;
      Shell.run("prlimit", "--pid", child.pid(), "--fsize=" + limit + ":");
      child.awaitAtLeast("sinkfailures", 2);
      assertThat(new SequenceCheck(directory.resolve("app.log")).glued()).isZero();
      Shell.run("prlimit", "--pid", child.pid(), "--fsize=unlimited:");
      ProbeChild.end(child, directory);
      assertThat(child.number("missing")).isZero();
      new SequenceCheck(directory.resolve("app.log"))
          .assertInOrderWithoutFragments()
          .assertComplete("0", (int) child.number("accepted"))
          .assertNoDuplicates();
    }
  }
}
