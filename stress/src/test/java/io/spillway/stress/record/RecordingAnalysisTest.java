package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Waits;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("own")
@Timeout(60)
class RecordingAnalysisTest {
  @TempDir Path directory;

  /** Whoever joins a thread holds its monitor while it looks; ending, the thread waits for that. */
  @Test
  void shouldNotTakeTheEndOfAThreadForAWaitInsideLogging() throws Exception {
    Path file = directory.resolve("end.jfr");
    FlightRecording recording = new FlightRecording(file);
    CountDownLatch end = new CountDownLatch(1);
    Thread thread = new Thread(() -> await(end), "app-000");
    thread.start();
    synchronized (thread) {
      end.countDown();
      while (thread.getState() != Thread.State.BLOCKED) {
        Thread.onSpinWait();
      }
    }
    thread.join();
    recording.close();

    assertThat(RecordingFile.readAllEvents(file))
        .as("it did wait")
        .anyMatch(RecordingAnalysisTest::isOfTheThread);
    Waits waits = RecordingAnalysis.of(file, "app-", load(0, 0));
    assertThat(waits.byFrame()).isEmpty();
    assertThat(waits.eventsByKind()).isEmpty();
    assertThat(waits.complete()).isTrue();
  }

  @Test
  void shouldTellWhoAskedForACollectionAfterTheWarmUp() throws Exception {
    Path file = directory.resolve("collection.jfr");
    FlightRecording recording = new FlightRecording(file);
    System.gc();
    recording.close();

    Waits measured = RecordingAnalysis.of(file, "app-", load(0, 0));
    assertThat(measured.pauseSeconds()).isPositive();
    assertThat(measured.collections()).hasSize(1).first().matches(f -> f.threadSeconds() > 0);
    Waits inWarmUp = RecordingAnalysis.of(file, "app-", load(0, Long.MAX_VALUE / 2e9));
    assertThat(inWarmUp.pauseSeconds()).isZero();
    assertThat(inWarmUp.collections()).isEmpty();
  }

  private static LoadFigures load(long startEpochNanos, double warmUpSeconds) {
    LoadFigures.Rotation none = new LoadFigures.Rotation(false, false, 0, 0);
    return new LoadFigures(
        List.of(),
        0,
        null,
        0,
        startEpochNanos,
        warmUpSeconds,
        Long.MAX_VALUE / 1e9,
        List.of(),
        0,
        0,
        0,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        none,
        List.of());
  }

  private static boolean isOfTheThread(RecordedEvent event) {
    return event.getEventType().getName().equals(FlightRecording.MONITOR_ENTER)
        && event.getThread().getJavaName().equals("app-000");
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
