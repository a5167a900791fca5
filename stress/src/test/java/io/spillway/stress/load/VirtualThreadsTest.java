package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.record.RecordingAnalysis;
import io.spillway.stress.record.VirtualWaits;
import io.spillway.stress.report.TrialResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Every wait of a virtual thread, by its kind and in full, and nothing else. */
@Tag("own")
@Timeout(60)
@EnabledForJreRange(min = JRE.JAVA_21)
class VirtualThreadsTest {
  private static final String PARK = "jdk.ThreadPark";
  private static final long MILLIS = 1_000_000;

  @TempDir Path directory;
  private final VirtualThreads threads = new VirtualThreads();
  private final Object monitor = new Object();
  private volatile boolean inCall = true;
  private volatile int turn;
  private volatile long waitedNanos;

  /** What a thread does. */
  private interface Body {
    void run() throws Exception;
  }

  /** What is done to a thread. */
  private interface Meanwhile {
    void to(Thread thread) throws Exception;
  }

  private Thread start(String number, Body body) {
    Thread thread =
        threads.make(VirtualWaits.VIRTUAL_THREAD + number, () -> run(body), () -> inCall);
    thread.start();
    return thread;
  }

  private static void run(Body body) {
    try {
      body.run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private TrialResult.Parks recorded(Body body, Meanwhile meanwhile) throws Exception {
    Path file = directory.resolve("virtual.jfr");
    long startEpochNanos = System.currentTimeMillis() * MILLIS;
    FlightRecording recording = new FlightRecording(file, true);
    Thread thread = start("000", body);
    meanwhile.to(thread);
    thread.join();
    recording.close();
    return RecordingAnalysis.of(
            file,
            "app-",
            new RecordingAnalysis.Span(startEpochNanos, startEpochNanos, Long.MAX_VALUE))
        .parks();
  }

  private static void awaitState(Thread thread, Thread.State state) {
    while (thread.getState() != state) {
      Thread.onSpinWait();
    }
  }

  @Test
  void shouldTellParkFromSleep() throws Exception {
    TrialResult.Parks parks =
        recorded(
            () -> {
              LockSupport.parkNanos(50 * MILLIS);
              Thread.sleep(50);
              Thread.sleep(50);
            },
            thread -> {});

    assertThat(parks.eventsByKind()).isEqualTo(Map.of(PARK, 1L, "jdk.ThreadSleep", 2L));
    assertThat(parks.threadSeconds())
        .as("all three, by a clock of its own, which may differ by a tenth")
        .isBetween(0.12, 10.0);
  }

  /** Up to Java 23 they do not leave their carrier, and the flight recorder sees them. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_25)
  void shouldTellTheTwoWaitsForAMonitorApart() throws Exception {
    TrialResult.Parks parks =
        recorded(
            () -> {
              synchronized (monitor) {
                monitor.wait();
              }
              turn = 1;
              while (turn == 1) {
                Thread.onSpinWait();
              }
              synchronized (monitor) {
                turn = 3;
              }
            },
            thread -> {
              awaitState(thread, Thread.State.WAITING);
              synchronized (monitor) {
                monitor.notifyAll();
              }
              while (turn != 1) {
                Thread.onSpinWait();
              }
              synchronized (monitor) {
                turn = 2;
                awaitState(thread, Thread.State.BLOCKED);
              }
            });

    assertThat(parks.eventsByKind())
        .isEqualTo(Map.of("jdk.JavaMonitorWait", 1L, "jdk.JavaMonitorEnter", 1L));
  }

  @Test
  void shouldNotTakeAYieldForAWait() throws Exception {
    TrialResult.Parks parks =
        recorded(
            () -> {
              for (int i = 0; i < 10_000; i++) {
                Thread.yield();
              }
            },
            thread -> {});

    assertThat(parks.eventsByKind()).isEmpty();
  }

  @Test
  void shouldNotCountTheLoadsOwnPacing() throws Exception {
    inCall = false;

    TrialResult.Parks parks = recorded(() -> LockSupport.parkNanos(MILLIS), thread -> {});

    assertThat(parks.eventsByKind()).isEmpty();
  }

  /** A thread may be on its next carrier before the last one has come to say that it left. */
  @Test
  void shouldMissNoneOfManyShortWaits() throws Exception {
    int waits = 20_000;

    TrialResult.Parks parks =
        recorded(
            () -> {
              for (int i = 1; i <= waits; i++) {
                while (turn < i) {
                  LockSupport.park(this);
                }
              }
            },
            thread -> {
              for (int i = 1; i <= waits; i++) {
                awaitState(thread, Thread.State.WAITING);
                turn = i;
                LockSupport.unpark(thread);
              }
            });

    assertThat(parks.eventsByKind()).isEqualTo(Map.of(PARK, (long) waits));
  }

  /** What the thread waits for is to go on, not to be allowed to. */
  @Test
  void shouldCountTheWaitForACarrier() throws Exception {
    List<Thread> busy = new ArrayList<>();

    TrialResult.Parks parks =
        recorded(
            () -> {
              long start = System.nanoTime();
              while (turn == 0) {
                LockSupport.park(this);
              }
              waitedNanos = System.nanoTime() - start;
            },
            thread -> {
              awaitState(thread, Thread.State.WAITING);
              for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                busy.add(start("1" + i, () -> spin(200 * MILLIS)));
              }
              for (Thread each : busy) {
                awaitState(each, Thread.State.RUNNABLE);
              }
              turn = 1;
              LockSupport.unpark(thread);
            });

    for (Thread each : busy) {
      each.join();
    }
    assertThat(parks.eventsByKind()).isEqualTo(Map.of(PARK, 1L));
    assertThat(waitedNanos).as("it found no carrier").isGreaterThan(150 * MILLIS);
    assertThat(parks.maxSeconds() * 1e9).isBetween(waitedNanos * 0.9, waitedNanos * 1.1);
  }

  private static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
