package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.LossCause;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/**
 * Promise 10: no altered event is delivered; damage costs at most the rest of its segment, is
 * counted, and a copy is kept. The corpus of every bit and every offset is the spill's own test;
 * this is what a user sees of some of them.
 */
class P10DamageTest extends Promise {
  private static final int CASES = FULL ? 1_000 : 14;
  private static final int EVENTS = 3_000;
  private static final int SEAL = 24; // bytes behind the last record, without an event

  /** What a stop over a stuck sink leaves in the spill, in a copy. */
  private Path leave(Kind kind) throws IOException {
    Probe probe = new Probe(kind, directory).width(40);
    probe.settings.setSpillMode("ALWAYS");
    probe.settings.setMaxFlushTime("20");
    probe.gate.shut();
    probe.start();
    probe.log("0", 0, EVENTS);
    probe.stop();
    assertThat(probe.metrics().getLost()).isZero();
    Path copy = copy(probe.spill(), directory.resolve("copy"));
    probe.close();
    return copy;
  }

  private static Path copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (Path file : Probe.filesBelow(from)) {
      Path target = to.resolve(from.relativize(file));
      Files.createDirectories(target.getParent());
      Files.copy(file, target);
    }
    return to;
  }

  private static Path largest(Path spill) {
    return Probe.filesBelow(spill).stream()
        .max(Comparator.comparing(file -> file.toFile().length()))
        .orElseThrow();
  }

  private record Outcome(int missing, long counted, boolean kept) {}

  /** A start over a damaged copy: what it delivers is what was logged, in order. */
  private Outcome start(
      Kind kind, Path spill, int number, BiFunction<byte[], Random, byte[]> damage)
      throws IOException {
    Shell.run("rm", "-rf", directory.resolve("spill"), directory.resolve("app.log"));
    Path damaged = largest(copy(spill, directory.resolve("spill")));
    Files.write(damaged, damage.apply(Files.readAllBytes(damaged), new Random(number)));
    try (Probe probe = new Probe(kind, directory).width(40).start()) {
      probe.log("1", 0, 100);
      probe.awaitDelivered();
      SequenceCheck check = new SequenceCheck(probe.logFile()).assertInOrderWithoutFragments();
      check.assertComplete("1", 100);
      assertThat(check.of("0").length()).as("no number that was not logged").isLessThan(EVENTS + 1);
      assertThat(check.duplicates()).as("nothing was delivered before").isZero();
      assertThat(probe.lines()).allMatch(line -> line.length() == 40);
      return new Outcome(
          EVENTS - check.of("0").cardinality(),
          probe.metrics().lossOf(LossCause.SPILL_DAMAGED),
          Probe.filesBelow(probe.spill()).stream()
              .anyMatch(file -> file.toString().contains(".corrupt")));
    }
  }

  @Both
  void aFlippedBitCostsCountedEventsAndAltersNone(Kind kind) throws IOException {
    Path spill = leave(kind);
    List<Outcome> outcomes = new ArrayList<>();
    for (int number = 0; number < CASES; number++) {
      outcomes.add(
          start(
              kind,
              spill,
              number,
              (bytes, random) -> {
                int at = 64 + random.nextInt(bytes.length - 64); // behind the header
                bytes[at] ^= (byte) (1 << random.nextInt(8));
                return bytes;
              }));
    }
    List<Outcome> losing = outcomes.stream().filter(it -> it.missing > 0).toList();
    assertThat(losing).as("flips that cost events").isNotEmpty();
    assertThat(losing).as("lost and not counted").allMatch(it -> it.counted > 0);
    assertThat(losing).as("no copy kept").allMatch(Outcome::kept);
    assertThat(outcomes).as("more than lost").allMatch(it -> it.counted <= it.missing);
  }

  /** The last segment of a crash ends somewhere: no damage, but what is cut off is not there. */
  @Both
  void aTornTailEndsReading(Kind kind) throws IOException {
    Path spill = leave(kind);
    for (int number = 0; number < CASES / 2; number++) {
      Outcome torn =
          start(
              kind,
              spill,
              number,
              (bytes, random) -> Arrays.copyOf(bytes, random.nextInt(bytes.length - SEAL)));
      assertThat(torn.missing).isPositive();
      assertThat(torn.counted).isLessThanOrEqualTo(torn.missing);
    }
  }
}
