package io.spillway.process;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.hook.DefaultShutdownHook;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Logs through a sink that stands still, then is slow, and lets the JVM end meanwhile. */
public final class ExitChild {
  static final int EVENTS = 30_000;
  private static final int SLOW_PASSES = 1_000;
  private static final int STRAGGLERS = 100;

  enum Ending {
    SYSTEM_EXIT,
    END_OF_MAIN,
    SIGTERM,
    LOGGING_HOOK,
    LOGBACK_HOOK,
    STUCK,
    STUCK_LOGGING_HOOK,
    SLOW_LOGGING_HOOK;

    /** Whether the sink does not take everything within maxFlushTime. */
    boolean leavesABacklog() {
      return ordinal() >= STUCK.ordinal();
    }
  }

  private ExitChild() {}

  public static void main(String[] arguments) throws Exception {
    Subject subject = new Subject(Subject.Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    Ending ending = Ending.valueOf(arguments[2]);
    if (Boolean.parseBoolean(arguments[3])) {
      subject.bufferNested();
    }
    int[] passed = {0};
    subject.gate.onPass(
        () -> {
          if (ending == Ending.SLOW_LOGGING_HOOK) {
            LockSupport.parkNanos(20_000_000);
          } else if (passed[0]++
              < SLOW_PASSES) { // as slow for few large batches as for many small ones
            LockSupport.parkNanos(1_000_000);
          }
        });
    if (ending.leavesABacklog()) {
      subject.settings().setMaxFlushTime("500");
    }
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, EVENTS);
    System.out.println("inflight " + subject.metrics().getPending());
    if (!ending.name().startsWith("STUCK")) {
      subject.gate.open();
    }
    switch (ending) {
      case END_OF_MAIN -> {}
      case SIGTERM -> {
        System.out.println("ready");
        new CountDownLatch(1).await();
      }
      case LOGGING_HOOK, STUCK_LOGGING_HOOK, SLOW_LOGGING_HOOK -> {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> logBeyondOurHook(subject)));
        exitFromAnotherThread();
      }
      case LOGBACK_HOOK -> {
        Runtime.getRuntime().addShutdownHook(new Thread(logbackHook(subject.context())));
        exitFromAnotherThread();
      }
      default -> exitFromAnotherThread();
    }
  }

  private static void exitFromAnotherThread() throws InterruptedException {
    Thread exiting = new Thread(() -> System.exit(0));
    exiting.start();
    exiting.join();
  }

  private static Runnable logbackHook(LoggerContext context) {
    DefaultShutdownHook hook = new DefaultShutdownHook();
    hook.setContext(context);
    return hook;
  }

  /** Logs while the appender's own exit hook runs, and on when it has ended. */
  private static void logBeyondOurHook(Subject subject) {
    int logged = 0;
    int after = 0;
    while (after < STRAGGLERS) {
      if (ExitHooks.haveEnded()) {
        after++;
      }
      subject.log("1", logged, ++logged);
      LockSupport.parkNanos(200_000);
    }
    System.out.println("stragglers " + logged);
    System.out.println("late " + after);
    System.out.println("dropped " + subject.metrics().getDropped());
  }
}
