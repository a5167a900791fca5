package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.hook.DefaultShutdownHook;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.SequenceCheck;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Promise 21: exit and SIGTERM lose nothing if the spill has room, with any burst; what is logged
 * during an exit is delivered or spilled. {@link P21StopTest} has the stop.
 */
class P21ExitTest extends Promise {
  private static final int EVENTS = 30_000;
  private static final int STRAGGLERS = 200;

  /** How a JVM ends. */
  enum Ending {
    SYSTEM_EXIT,
    END_OF_MAIN,
    /** The same, long before the next force of the spill is due. */
    SYNCED,
    SIGTERM,
    /** Logback's own shutdown hook stops the context. */
    LOGBACK_HOOK,
    /** A hook of the application that logs, also after that of the appender. */
    LOGGING_HOOK,
    /** The same, over a sink that has not taken the burst. */
    STUCK_LOGGING_HOOK;

    boolean logsLate() {
      return ordinal() >= LOGGING_HOOK.ordinal();
    }
  }

  @ParameterizedTest
  @CsvSource({"SIGTERM, WRAPPED", "SYSTEM_EXIT, FILE", "LOGGING_HOOK, WRAPPED", "SYNCED, FILE"})
  void anExitLosesNothing(Ending ending, Kind kind) {
    exit(ending, kind);
  }

  static Stream<Arguments> endings() {
    return Stream.of(Ending.values())
        .flatMap(ending -> Stream.of(Kind.values()).map(kind -> Arguments.of(ending, kind)));
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("endings")
  void noExitLosesAnything(Ending ending, Kind kind) {
    exit(ending, kind);
  }

  private void exit(Ending ending, Kind kind) {
    int stragglers = 0;
    try (Fork child = Fork.start(Child.class, List.of(), kind, directory, ending)) {
      if (ending == Ending.SIGTERM) {
        child.awaitLine("ready");
        child.terminate();
      }
      child.awaitEnd(ending == Ending.SIGTERM ? 128 + 15 : 0);
      if (ending.logsLate()) {
        stragglers = (int) child.number("stragglers");
        assertThat(child.number("dropped")).isZero();
      }
    }
    try (Probe next = new Probe(kind, directory).start()) {
      SequenceCheck check = next.assertLog("0", EVENTS, "1", stragglers);
      assertThat(check.duplicates()).as("a batch").isLessThanOrEqualTo(512);
    }
  }

  /** Logs a burst over a slow or stuck sink, and ends. */
  public static final class Child {
    public static void main(String[] arguments) throws Exception {
      Ending ending = Ending.valueOf(arguments[2]);
      Probe probe = new Probe(Kind.valueOf(arguments[0]), Path.of(arguments[1]));
      int[] passed = {0};
      probe.gate.onPass(
          () -> {
            if (passed[0]++ < 300) {
              LockSupport.parkNanos(1_000_000);
            }
          });
      boolean stuck = ending == Ending.STUCK_LOGGING_HOOK;
      probe.settings.setMaxFlushTime(stuck ? "300" : "30 seconds");
      if (ending == Ending.SYNCED) {
        probe.settings.setSpillMode("ALWAYS");
        probe.settings.setSpillSync("1 hour");
      }
      probe.gate.shut();
      probe.start();
      probe.log("0", 0, EVENTS);
      if (!stuck) {
        probe.gate.open();
      }
      switch (ending) {
        case END_OF_MAIN, SYNCED -> {}
        case SIGTERM -> {
          System.out.println("ready");
          new CountDownLatch(1).await();
        }
        case LOGBACK_HOOK -> {
          DefaultShutdownHook hook = new DefaultShutdownHook();
          hook.setContext(probe.context);
          Runtime.getRuntime().addShutdownHook(new Thread(hook));
          exit();
        }
        case LOGGING_HOOK, STUCK_LOGGING_HOOK -> {
          Runtime.getRuntime().addShutdownHook(new Thread(() -> logBeyondTheOtherHooks(probe)));
          exit();
        }
        default -> exit();
      }
    }

    private static void exit() throws InterruptedException {
      Thread exiting = new Thread(() -> System.exit(0));
      exiting.start();
      exiting.join();
    }

    /** Until all other hooks have ended, and some more. */
    private static void logBeyondTheOtherHooks(Probe probe) {
      AtomicInteger logged = new AtomicInteger();
      int after = 0;
      while (after < STRAGGLERS) {
        after += isHookAlive() ? 0 : 1;
        probe.log("1", logged.get(), logged.incrementAndGet());
        LockSupport.parkNanos(100_000);
      }
      Probe.print("stragglers", logged.get());
      Probe.print("dropped", probe.metrics().getDropped() + probe.metrics().getLost());
    }

    /** Of the appender: its threads have names. */
    private static boolean isHookAlive() {
      return Thread.getAllStackTraces().keySet().stream()
          .anyMatch(thread -> thread.getName().startsWith("spillway-exit"));
    }
  }
}
