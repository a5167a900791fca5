package io.spillway.stress.record;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Sees the waits of one virtual thread inside log calls, as its scheduler: one begins when the
 * thread leaves its carrier, and ends when it is handed in again. It may be handed in while its
 * carrier looks at it; whoever of the two finds the wait ends it. Who yields has left its carrier,
 * too, but waits for nothing: it is handed in before its carrier looks. Nothing here waits for
 * anybody, because it runs in the appender's threads, too.
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
    // Handed in again already, it has only let others go first, or waited for less than a look
    // takes.
    if (!inCall.getAsBoolean() || handedIn.get() != number) {
      return;
    }
    VirtualWait wait = new VirtualWait();
    wait.begin();
    StackTraceElement[] stack = thread.getStackTrace();
    wait.kind = kind(stack);
    if (wait.kind == null) {
      return;
    }
    wait.number = number;
    wait.applicationThread = name;
    wait.frame = LoggingFrames.nearest(stack);
    open(wait);
    if (handedIn.get() != number && open.compareAndSet(wait, null)) {
      wait.commit();
    }
  }

  /** A carrier that was held up may come with a wait that is over, after the next one. */
  private void open(VirtualWait wait) {
    VirtualWait other;
    do {
      other = open.get();
      if (other != null && other.number > wait.number) {
        wait.commit();
        return;
      }
    } while (!open.compareAndSet(other, wait));
    if (other != null) {
      other.commit();
    }
  }

  /**
   * The way in which it waits: the JDK's own frames on top tell; who waits to enter a monitor has
   * none.
   *
   * @return null if it has only let others go first
   */
  static String kind(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      String method = frame.getMethodName();
      switch (frame.getClassName()) {
        case "java.lang.Thread" -> {
          if (method.equals("yield")) {
            return null;
          }
          if (method.startsWith("sleep")) {
            return WaitEvents.SLEEP;
          }
        }
        case "java.lang.Object" -> {
          if (method.startsWith("wait")) {
            return WaitEvents.MONITOR_WAIT;
          }
        }
        case "java.util.concurrent.locks.LockSupport" -> {
          return WaitEvents.PARK;
        }
        default -> {
          if (!frame.getClassName().startsWith("java.lang.")
              && !frame.getClassName().startsWith("jdk.internal.")) {
            return WaitEvents.MONITOR_ENTER;
          }
        }
      }
    }
    return WaitEvents.MONITOR_ENTER;
  }

  private void end() {
    VirtualWait wait = open.getAndSet(null);
    if (wait != null) {
      wait.commit();
    }
  }
}
