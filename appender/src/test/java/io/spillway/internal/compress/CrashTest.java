package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The process dies at each file operation of a run over a {@link Corpus}, and of the run after
 * that: the disk then is as a kill leaves it, for no operation has an effect any more. Kills of a
 * real process are in {@link ArchiveKillTest}.
 */
@Timeout(1_800)
@Tag("slow")
@Tag("gate")
class CrashTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int CHAINS = Integer.getInteger("spillway.test.crashes", FULL ? 600 : 8);
  private static final int PARALLEL = 6;

  @TempDir(factory = InMemory.class)
  Path directory;

  @Test
  void shouldLoseNothingWhereverItDies() throws Exception {
    List<Point> points = Point.ofWholeRun(directory.resolve("whole"), FULL);
    assertThat(points).extracting(Point::operation).contains("write", "sync", "rename", "delete");
    inParallel(points.stream().map(List::of).toList());
  }

  @Test
  void shouldLoseNothingWhenItDiesInTheRecovery() throws Exception {
    List<Point> points = Point.ofWholeRun(directory.resolve("whole"), true);
    Random random = new Random(7);
    List<List<Point>> chains = new ArrayList<>();
    for (int i = 0; i < CHAINS; i++) {
      chains.add(
          Stream.generate(() -> points.get(random.nextInt(points.size()))).limit(3).toList());
    }
    inParallel(chains);
  }

  private void inParallel(List<List<Point>> crashes) throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(PARALLEL);
    try {
      List<Future<?>> runs = new ArrayList<>();
      for (List<Point> at : crashes) {
        Path place = directory.resolve("run" + runs.size());
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

  private static void crashAndRecover(Path place, List<Point> at) throws IOException {
    Corpus corpus = Corpus.plant(place);
    StringBuilder where = new StringBuilder();
    try {
      for (Point point : at) {
        where.append(runUntil(place, new Crash(point))).append("; ");
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
