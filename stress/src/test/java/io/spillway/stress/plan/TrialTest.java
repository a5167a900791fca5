package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.TrialResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TrialTest {

  private static final long GB = 1L << 30;
  private static final double GZIP_BYTES_PER_SECOND = 100e6;

  private final Trial trial =
      new Trial("async", TrialResult.Role.PEER, "", "<configuration/>", Map.of());

  @Test
  void shouldKeepNamesAndOrderIfThereIsOneSize() {
    Trial other = new Trial("sync", TrialResult.Role.PEER, "", "<configuration/>", Map.of());
    List<Trial> trials = List.of(trial.at(GB), other.at(GB));

    assertThat(Trial.bySize(trials)).isEqualTo(trials);
  }

  @Test
  void shouldNameSizesIfThereAreSeveralAndPutSmallOnesFirst() {
    List<Trial> trials =
        Trial.bySize(
            List.of(trial.at(4 * GB), trial.at(GB), trial.at(1536 << 20), trial.at(10_000_001)));

    assertThat(trials)
        .extracting(Trial::name)
        .containsExactly("async-10000001B", "async-1GB", "async-1536MB", "async-4GB");
    assertThat(trials).isSortedAccordingTo((a, b) -> Long.compare(a.sizeBytes(), b.sizeBytes()));
  }

  @Test
  void shouldEstimateEachTrialAtItsSize() {
    Estimate one = estimate(1, false, trial.at(GB));
    Estimate other = estimate(1, false, trial.at(4 * GB));
    Estimate both = estimate(1, false, trial.at(GB), trial.at(4 * GB));

    assertThat(one.of(trial.at(GB)).rotationSeconds()).isBetween(10.7, 13.0);
    assertThat(other.of(trial.at(4 * GB)).rotationSeconds()).isBetween(43.0, 52.0);
    assertThat(both.totalSeconds())
        .isCloseTo(one.totalSeconds() + other.totalSeconds(), within(0.001));
    assertThat(estimate(3, false, trial.at(GB)).totalSeconds())
        .isGreaterThan(2.5 * one.totalSeconds());
  }

  @Test
  void shouldSayHowManyTrialsItWillBe() {
    assertThat(estimate(1, false, trial.at(GB)).describe()).startsWith("1 trial, about ");
    assertThat(estimate(2, false, trial.at(GB)).describe()).startsWith("2 trials, about ");
  }

  @Test
  void shouldCountOneTrialAtATimeUnlessAllAreKept() {
    long one = estimate(1, false, trial.at(GB)).diskBytes();
    long other = estimate(1, false, trial.at(4 * GB)).diskBytes();

    long both = estimate(1, false, trial.at(GB), trial.at(4 * GB)).diskBytes();
    long kept = estimate(1, true, trial.at(GB), trial.at(4 * GB)).diskBytes();

    assertThat(one).isBetween((long) (1.3 * GB), (long) (1.7 * GB));
    assertThat(both).isEqualTo(other);
    assertThat(kept).isBetween(other + one - GB / 10, other + one);
  }

  /** Else the file would be full in the warm-up. */
  @Test
  void shouldFillTheFileLessIfEventsCarryMuch() {
    RunOptions plain = new SmallRun(Path.of("")).options();
    RunOptions much = new SmallRun(Path.of("")).allExtras().options();

    assertThat(GB - trial.at(GB).prefillBytes(much))
        .isGreaterThan(2 * (GB - trial.at(GB).prefillBytes(plain)));
  }

  @Test
  void shouldExpectHalfACoreForSpillwaysPolicies() {
    Trial own =
        Trials.builtIn().stream()
            .filter(known -> known.name().equals("spillway-fixed-window"))
            .findFirst()
            .orElseThrow();

    assertThat(estimate(1, false, own.at(GB)).of(own.at(GB)).rotationSeconds())
        .isEqualTo(2 * estimate(1, false, trial.at(GB)).of(trial.at(GB)).rotationSeconds());
  }

  private static Estimate estimate(int repeats, boolean keep, Trial... trials) {
    RunOptions options =
        new SmallRun(Path.of(""))
            .rate(5000)
            .warmUp(3)
            .around(5)
            .repeats(repeats)
            .keep(keep)
            .options();
    return new Estimate(options, List.of(trials), GZIP_BYTES_PER_SECOND);
  }
}
