package io.spillway.stress.watch;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the watch early when this JVM is told to end, by Ctrl-C or a termination signal, and holds
 * the JVM's end back until the recording is stopped and the figures are written.
 */
final class StopSignal implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 10;

  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch finished = new CountDownLatch(1);
  private final Thread hook = new Thread(this::stop, "stop-watching");

  StopSignal() {
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Waits for the signal, and says whether it has come. */
  boolean await(long nanos) throws InterruptedException {
    return asked.await(nanos, TimeUnit.NANOSECONDS);
  }

  private void stop() {
    asked.countDown();
    try {
      if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println(
            "The watch did not end in time; its recording ends by itself, within seconds.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** All is done; the JVM may end. */
  @Override
  public void close() {
    finished.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      asked.countDown(); // the JVM is ending already: the hook runs, and has been told
    }
  }
}
