package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.TrialResult;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Tag("own")
class RecordingAnalysisTest {
  @TempDir Path directory;
  private byte[] alive;

  /** Whoever joins a thread holds its monitor while it looks; ending, the thread waits for that. */
  @Test
  @Timeout(60)
  void shouldNotTakeTheEndOfAThreadForAWaitInsideLogging() throws Exception {
    Path file = directory.resolve("end.jfr");
    long startEpochNanos = System.currentTimeMillis() * 1_000_000;
    FlightRecording recording = new FlightRecording(file, false);
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
    TrialResult.Parks parks = RecordingAnalysis.of(file, "app-", since(startEpochNanos)).parks();
    assertThat(parks.byFrame()).isEmpty();
    assertThat(parks.events()).isZero();
  }

  @Test
  void shouldTellWhatIsAliveAfterACollectionAndLeaveOutTheOneAskedFor() throws Exception {
    Path file = directory.resolve("heap.jfr");
    FlightRecording recording = new FlightRecording(file, false);
    alive = new byte[20 << 20];
    System.gc();
    recording.close();

    RecordingAnalysis analysis = RecordingAnalysis.of(file, "app-", since(0));

    assertThat(alive).isNotNull();
    assertThat(analysis.heap().afterCollectionBytes()).isGreaterThan(20 << 20);
    assertThat(analysis.heap().peakBytes())
        .isGreaterThanOrEqualTo(analysis.heap().afterCollectionBytes());
    assertThat(analysis.heap().limitBytes())
        .isBetween(analysis.heap().peakBytes(), Runtime.getRuntime().maxMemory() * 2);
    assertThat(RecordingFile.readAllEvents(file))
        .as("there was one")
        .anyMatch(event -> event.getEventType().getName().equals(WaitEvents.COLLECTION));
    assertThat(analysis.pauses().collections()).isZero();
    assertThat(analysis.pauses().totalPauseMillis()).isZero();
  }

  private static RecordingAnalysis.Span since(long epochNanos) {
    return new RecordingAnalysis.Span(epochNanos, epochNanos, Long.MAX_VALUE);
  }

  private static boolean isOfTheThread(RecordedEvent event) {
    return event.getEventType().getName().equals(WaitEvents.MONITOR_ENTER)
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
