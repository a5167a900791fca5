package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each file operation of a run over a {@link Corpus} fails, once, and with all after it until the
 * disk is mended: nothing is lost at any time, and in the end everything is archived.
 */
@Timeout(1_800)
class PublishFaultTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int PARALLEL = 16; // they mostly wait for the next attempt

  @TempDir(factory = InMemory.class)
  Path directory;

  @Test
  void shouldSurviveEveryFailureThatPasses() throws Exception {
    inParallel(PublishFaultTest::failOnce);
  }

  @Test
  void shouldSurviveEveryFailureThatStays() throws Exception {
    inParallel(PublishFaultTest::failUntilMended);
  }

  private interface Run {
    void run(Path place, Point at) throws IOException;
  }

  private void inParallel(Run run) throws Exception {
    List<Point> points = Point.ofWholeRun(directory.resolve("whole"), FULL);
    ExecutorService pool = Executors.newFixedThreadPool(PARALLEL);
    try {
      List<Future<?>> runs = new ArrayList<>();
      for (Point point : points) {
        Path place = directory.resolve("run" + runs.size());
        runs.add(
            pool.submit(
                () -> {
                  run.run(place, point);
                  Samples.below(place).forEach(file -> file.toFile().delete());
                  return null;
                }));
      }
      for (Future<?> each : runs) {
        each.get();
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static void failOnce(Path place, Point at) throws IOException {
    Corpus corpus = Corpus.plant(place);
    Point.Watch watch = at.watch();
    try (ArchiverRig rig = new ArchiverRig(place)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (watch.isAt(operation)) {
              throw new IOException("Input/output error (injected)");
            }
          });
      rig.start();
      rig.awaitIdle();
      corpus.assertArchivedOnce();
      assertThat(rig.metrics().failures()).isLessThanOrEqualTo(1);
    } catch (AssertionError e) {
      throw new AssertionError("failed at " + at + Samples.names(place), e);
    }
  }

  private static void failUntilMended(Path place, Point at) throws IOException {
    Corpus corpus = Corpus.plant(place);
    AtomicLong failed = new AtomicLong();
    Point.Watch watch = at.watch();
    try (ArchiverRig rig = new ArchiverRig(place)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (watch.reached(operation) > 0) {
              failed.incrementAndGet();
              throw new IOException("No space left on device (injected)");
            }
          });
      rig.start();
      rig.await("failures", () -> failed.get() >= 3);
      corpus.assertNothingLost();
      rig.files.hook((number, operation, file) -> {});
      rig.awaitIdle();
      corpus.assertArchivedOnce();
      assertThat(rig.metrics().failures()).isPositive();
    } catch (AssertionError e) {
      throw new AssertionError("failed from " + at + Samples.names(place), e);
    }
  }
}
