package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.Health;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.AcknowledgedChild;
import io.spillway.testkit.AcknowledgedChild.Told;
import io.spillway.testkit.Faults;
import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.ProbeChild;
import io.spillway.testkit.ProbeChild.Sink;
import io.spillway.testkit.SequenceCheck;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promises 12 and 13: any I/O error, once or for ever, keeps the count: accepted = delivered +
 * pending + lost; a failed fsync is never taken for success. The spill's own tests let the Nth
 * operation fail, for all N; these are real disks and real system calls.
 */
class P12to13IoErrorTest extends Promise {
  private static final String WRITES = "write,pwrite64,ftruncate,fsync,fdatasync";

  /** It dies for good, with events on it. */
  @Test
  void theDeathOfTheSpillsDiskIsSurvivedAndCounted() {
    try (LoopDisk disk = new LoopDisk(directory)) {
      Probe probe = new Probe(Kind.FILE, directory).width(100);
      probe.settings.setSpillDirectory(disk.directory().resolve("spill").toString());
      probe.settings.setSpillMode("ALWAYS");
      probe.settings.setMaxFlushTime("100");
      try (probe) {
        probe.gate.shut();
        probe.start();
        SpillwayMetrics metrics = probe.metrics();
        probe.log("0", 0, 5_000);
        Probe.await("spilled", () -> metrics.getRingUsed() == 0);
        disk.cutPower();
        probe.log("1", 0, 5_000); // for which the ring has room
        Probe.await("failures", () -> (long) metrics.value("SpillFailures") > 0);
        assertThat(metrics.health().status()).isNotEqualTo(Health.Status.UP);
        probe.gate.open();
        Probe.await(
            "delivered from the ring",
            () -> probe.lines().stream().anyMatch(P12to13IoErrorTest::last));
        probe.log("2", 0, 100);
        probe.stop();
        assertThat(metrics.getAccepted()).isEqualTo(10_100);
        assertThat(metrics.getDelivered() + metrics.getPending() + metrics.getLost())
            .as("delivered " + metrics.getDelivered() + ", lost " + metrics.getLost())
            .isEqualTo(10_100);
        assertThat(probe.lines()).hasSize((int) metrics.getDelivered());
        SequenceCheck check = new SequenceCheck(probe.logFile()).assertInOrderWithoutFragments();
        check.assertComplete("1", 5_000).assertComplete("2", 100).assertNoDuplicates();
      }
    }
  }

  private static boolean last(String line) {
    return line.startsWith("#1:") && line.endsWith("4999.");
  }

  /** Writing the log fails, at times or each time, for as long as strace is attached. */
  @ParameterizedTest
  @ValueSource(strings = {"error=EIO:when=2+3", "error=EIO"})
  void aLogThatCannotBeWrittenCostsNothing(String how) {
    try (Fork child = ProbeChild.fork(Kind.FILE, directory, Sink.OPEN, 0)) {
      child.awaitAtLeast("delivered", 100);
      List<Path> files = List.of(directory.resolve("app.log"));
      Faults.during(child, WRITES, how, files, () -> child.awaitAtLeast("sinkfailures", 5));
      assertConserved(child);
    }
  }

  /** The same of the spill, which alone writes at positions, while it is written and read. */
  @ParameterizedTest
  @CsvSource({"WRAPPED, error=EIO:when=2+3", "FILE, error=EIO:when=1"})
  void aSpillThatCannotBeWrittenCostsNothing(Kind kind, String how) {
    try (Fork child = ProbeChild.fork(kind, directory, Sink.STALLING, 0, "SpillMode=ALWAYS")) {
      child.awaitAtLeast("spilled", 1_000);
      Faults.during(
          child, "pwrite64", how, List.of(), () -> child.awaitAtLeast("spillfailures", 1));
      assertConserved(child);
    }
  }

  private void assertConserved(Fork child) {
    ProbeChild.end(child, directory);
    assertThat(child.number("missing")).isZero();
    new SequenceCheck(directory.resolve("app.log"))
        .assertInOrderWithoutFragments()
        .assertComplete("0", (int) child.number("accepted"))
        .assertNoDuplicates();
  }

  /** Syncs fail, all or some, and are not done; then the power is cut. */
  @ParameterizedTest
  @ValueSource(strings = {"error=EIO", "error=EIO:when=2+3"})
  void aFailedFsyncIsNeverTakenForSuccess(String how) {
    List<Told> witness = new ArrayList<>();
    try (LoopDisk disk = new LoopDisk(directory)) {
      try (Fork child = AcknowledgedChild.fork(Kind.FILE, disk.directory(), "SYNCED", "100", 0)) {
        Probe.await("told", () -> AcknowledgedChild.told(child, "acknowledged").size() >= 50);
        Faults.during(
            child,
            "fsync,fdatasync",
            how,
            List.of(),
            () -> {
              Probe.await("told", () -> AcknowledgedChild.told(child, "missed").size() >= 50);
              witness.addAll(AcknowledgedChild.told(child, "acknowledged")); // before the cut
              disk.cutPower();
              child.kill();
            });
      }
      disk.mountAgain();
      AcknowledgedChild.assertNoneMissing(witness, Kind.FILE, disk.directory());
    }
  }
}
