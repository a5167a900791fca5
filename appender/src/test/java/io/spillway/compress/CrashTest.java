package io.spillway.compress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process dies at each file operation of a run over a {@link Corpus}, and of the run after
 * that: the disk then is as a kill leaves it, for no operation has an effect any more. Kills of a
 * real process are in {@link ArchiveKillTest}.
 */
@Timeout(1_800)
class CrashTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int STRIDE = FULL ? 1 : 13;
  private static final int CHAINS = FULL ? 3_000 : 8;
  private static final int PARALLEL = 6;

  @TempDir Path directory;

  @Test
  void shouldLoseNothingWhereverItDies() throws Exception {
    long operations = operationsOfWholeRun();
    assertThat(operations).isGreaterThan(150);
    List<long[]> crashes = new ArrayList<>();
    for (long at = 1; at <= operations; at += STRIDE) {
      crashes.add(new long[] {at});
    }
    inParallel(crashes);
  }

  @Test
  void shouldLoseNothingWhenItDiesInTheRecovery() throws Exception {
    long operations = operationsOfWholeRun();
    Random random = new Random(7);
    List<long[]> crashes = new ArrayList<>();
    for (int i = 0; i < CHAINS; i++) {
      crashes.add(
          new long[] {
            1 + random.nextLong(operations),
            1 + random.nextLong(operations),
            1 + random.nextLong(operations)
          });
    }
    inParallel(crashes);
  }

  private long operationsOfWholeRun() throws IOException {
    Path place = directory.resolve("whole");
    Corpus corpus = Corpus.plant(place);
    try (ArchiverRig rig = new ArchiverRig(place).start()) {
      rig.awaitIdle();
      corpus.assertArchivedOnce();
      return rig.files.operations();
    }
  }

  private void inParallel(List<long[]> crashes) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(PARALLEL);
    try {
      List<Future<?>> runs = new ArrayList<>();
      for (int i = 0; i < crashes.size(); i++) {
        Path place = directory.resolve("run" + i);
        long[] at = crashes.get(i);
        runs.add(
            pool.submit(
                () -> {
                  crashAndRecover(place, at);
                  return null;
                }));
      }
      for (Future<?> run : runs) {
        run.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static void crashAndRecover(Path place, long[] at) throws IOException {
    Corpus corpus = Corpus.plant(place);
    StringBuilder where = new StringBuilder();
    try {
      for (long operation : at) {
        Crash crash = new Crash(operation);
        where.append(operation).append(" = ").append(runUntil(place, crash)).append("; ");
        corpus.assertNothingLost();
      }
      try (ArchiverRig rig = new ArchiverRig(place).start()) {
        rig.awaitIdle();
        corpus.assertArchivedOnce();
        assertThat(rig.metrics().failures()).isZero();
      }
    } catch (AssertionError e) {
      throw new AssertionError("died before " + where + Samples.names(place), e);
    }
    Samples.below(place).forEach(file -> file.toFile().delete());
  }

  private static String runUntil(Path place, Crash crash) {
    try (ArchiverRig rig = new ArchiverRig(place)) {
      rig.files.hook(crash);
      rig.start();
      rig.await(
          "crash", () -> crash.isOver() || rig.policy.swept.get() > 0 && rig.leftovers().isEmpty());
      rig.archiver.stop();
      rig.await("end", () -> !rig.hasWorkerThread());
    }
    return crash.where();
  }
}
