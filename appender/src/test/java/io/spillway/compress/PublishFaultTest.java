package io.spillway.compress;

import static org.assertj.core.api.Assertions.assertThat;

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
  private static final int STRIDE = Boolean.getBoolean("spillway.test.full") ? 1 : 23;
  private static final int PARALLEL = 16; // they mostly wait for the next attempt

  @TempDir Path directory;

  private long operationsOfWholeRun() throws IOException {
    Path place = directory.resolve("whole");
    Corpus corpus = Corpus.plant(place);
    try (ArchiverRig rig = new ArchiverRig(place).start()) {
      rig.awaitIdle();
      corpus.assertArchivedOnce();
      return rig.files.operations();
    }
  }

  @Test
  void shouldSurviveEveryFailureThatPasses() throws Exception {
    inParallel(PublishFaultTest::failOnce);
  }

  @Test
  void shouldSurviveEveryFailureThatStays() throws Exception {
    inParallel(PublishFaultTest::failUntilMended);
  }

  private interface Run {
    void run(Path place, long at) throws IOException;
  }

  private void inParallel(Run run) throws Exception {
    long operations = operationsOfWholeRun();
    ExecutorService pool = Executors.newFixedThreadPool(PARALLEL);
    try {
      List<Future<?>> runs = new ArrayList<>();
      for (long at = 1; at <= operations; at += STRIDE) {
        long operation = at;
        Path place = directory.resolve("run" + at);
        runs.add(
            pool.submit(
                () -> {
                  run.run(place, operation);
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

  private static void failOnce(Path place, long at) throws IOException {
    Corpus corpus = Corpus.plant(place);
    StringBuffer where = new StringBuffer();
    try (ArchiverRig rig = new ArchiverRig(place)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (number == at) {
              where.append(operation).append(' ').append(file.getFileName());
              throw new IOException("Input/output error (injected)");
            }
          });
      rig.start();
      rig.awaitIdle();
      corpus.assertArchivedOnce();
      assertThat(rig.metrics().failures()).isLessThanOrEqualTo(1);
    } catch (AssertionError e) {
      throw new AssertionError("failed at " + at + " = " + where + Samples.names(place), e);
    }
  }

  private static void failUntilMended(Path place, long at) throws IOException {
    Corpus corpus = Corpus.plant(place);
    AtomicLong failed = new AtomicLong();
    try (ArchiverRig rig = new ArchiverRig(place)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (number >= at) {
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
