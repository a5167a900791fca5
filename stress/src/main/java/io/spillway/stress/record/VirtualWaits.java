package io.spillway.stress.record;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Sees the waits of one virtual thread inside log calls, as its scheduler: one begins when the
 * thread leaves its carrier, and ends when it is handed in again. It may be handed in before its
 * carrier has come to say that it left; whoever of the two finds the wait ends it. Nothing here
 * waits for anybody, because it runs in the appender's threads, too.
 */
public final class VirtualWaits {
  /** How the names of virtual threads begin. */
  public static final String VIRTUAL_THREAD = "app-virtual-";

  private final String name;
  private final BooleanSupplier inCall;
  private final AtomicInteger handedIn = new AtomicInteger();
  private final AtomicReference<VirtualWait> open = new AtomicReference<>();
  private Thread thread; // set before it starts

  /**
   * Begins.
   *
   * @param name of the thread
   * @param inCall asked by its carrier when it has left, whether it is inside a log call
   */
  public VirtualWaits(String name, BooleanSupplier inCall) {
    this.name = name;
    this.inCall = inCall;
  }

  /** Names the thread; once, before it starts. */
  public void of(Thread virtual) {
    thread = virtual;
  }

  /** Lets a carrier run the thread up to its next wait. */
  public void schedule(Runnable task, Executor carriers) {
    int number = handedIn.incrementAndGet();
    end();
    carriers.execute(
        () -> {
          task.run();
          left(number);
        });
  }

  private void left(int number) {
    if (!inCall.getAsBoolean()) {
      return; // the load's own pacing, or its end
    }
    VirtualWait wait = new VirtualWait();
    wait.begin();
    wait.applicationThread = name;
    wait.frame = LoggingFrames.nearest(thread.getStackTrace());
    open.set(wait);
    if (handedIn.get() != number) {
      end();
    }
  }

  private void end() {
    VirtualWait wait = open.getAndSet(null);
    if (wait != null) {
      wait.commit();
    }
  }
}
