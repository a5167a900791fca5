package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Acknowledgement;
import io.spillway.testkit.AcknowledgedChild;
import io.spillway.testkit.AcknowledgedChild.Told;
import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.Tight;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * Promise 25: an event whose call was acknowledged is not lost, not by {@code kill -9} ({@code
 * WRITTEN}), not by a power cut ({@code SYNCED}); a call that was not returns in time and can tell.
 */
class P25AcknowledgeTest extends Promise {
  private static final int TIMES = FULL ? 100 : 2;
  private static final int EACH = 100; // acknowledged before a kill, at least

  private final List<Told> witness = new ArrayList<>();

  @Both
  void keepsWhatWasAcknowledgedBeforeAKill(Kind kind) {
    Random random = new Random(kind.ordinal());
    for (int kill = 0; kill < TIMES; kill++) {
      try (Fork child = start(kind, directory, "WRITTEN", kill, random)) {
        child.kill();
        witness.addAll(AcknowledgedChild.told(child, "acknowledged"));
      }
    }
    AcknowledgedChild.assertNoneMissing(witness, kind, directory);
  }

  @Test
  void keepsWhatWasSyncedBeforeAPowerCut() {
    Random random = new Random(TIMES);
    try (LoopDisk disk = new LoopDisk(directory)) {
      for (int cut = 0; cut < TIMES; cut++) {
        try (Fork child = start(Kind.FILE, disk.directory(), "SYNCED", cut, random)) {
          witness.addAll(AcknowledgedChild.told(child, "acknowledged")); // before the cut
          disk.cutPower();
          child.kill();
        }
        disk.mountAgain();
      }
      AcknowledgedChild.assertNoneMissing(witness, Kind.FILE, disk.directory());
    }
  }

  private static Fork start(
      Kind kind, Path directory, String acknowledge, int number, Random random) {
    Fork child = AcknowledgedChild.fork(kind, directory, acknowledge, "1 minute", number);
    child.awaitLine("acknowledged ");
    Probe.await("told", () -> AcknowledgedChild.told(child, "acknowledged").size() >= EACH);
    LockSupport.parkNanos(random.nextInt(200_000_000));
    assertThat(AcknowledgedChild.told(child, "missed")).isEmpty();
    return child;
  }

  /** No spill and a stuck sink: nobody can say that the event is safe. */
  @Both
  void aCallThatIsNotAcknowledgedReturnsInTimeAndTells(Kind kind) throws IOException {
    Path blocked = Files.createDirectory(directory.resolve("blocked"));
    try (Tight tight = new Tight(blocked);
        Probe probe = new Probe(kind, directory)) {
      probe.settings.setSpillDirectory(tight.directory.resolve("spill").toString());
      probe.settings.setAcknowledge("WRITTEN");
      probe.settings.setAcknowledgeTimeout("300");
      probe.gate.shut();
      probe.start();
      long received = Acknowledgement.received();
      long missed = Acknowledgement.missed();
      long began = System.nanoTime();
      probe.log("0", 0, 3);
      Duration took = Duration.ofNanos(System.nanoTime() - began);
      assertThat(took).isLessThan(Duration.ofSeconds(3));
      assertThat(Acknowledgement.missed() - missed).isEqualTo(3);
      assertThat(Acknowledgement.received()).isEqualTo(received);
      assertThat((long) probe.metrics().value("UnacknowledgedCalls")).isEqualTo(3);
      probe.gate.open();
      probe.assertLog("0", 3);
    }
  }

  /** The sink stands still. Only calls wait that have the marker, and not for the sink. */
  @Both
  @SuppressWarnings("deprecation") // nothing else nests markers
  void onlyCallsWithTheMarkerWait(Kind kind) {
    Marker audit = MarkerFactory.getDetachedMarker("AUDIT");
    Marker outer = MarkerFactory.getDetachedMarker("OUTER");
    outer.add(audit);
    try (Probe probe = new Probe(kind, directory)) {
      probe.settings.setAcknowledge("WRITTEN");
      probe.settings.setAcknowledgeMarker("AUDIT");
      probe.gate.shut();
      probe.start();
      long received = Acknowledgement.received();
      probe.log("0", 0, 100);
      assertThat(Acknowledgement.received()).isEqualTo(received);
      probe.logger.info(audit, "#1:0.");
      probe.logger.info(outer, "#1:1.");
      assertThat(Acknowledgement.received()).isEqualTo(received + 2);
      assertThat((long) probe.metrics().value("AcknowledgedCalls")).isEqualTo(2);
      assertThat(probe.metrics().getSpilled()).as("and all before it").isEqualTo(102);
      probe.gate.open();
      probe.assertLog("0", 100, "1", 2);
    }
  }
}
