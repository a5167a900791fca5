package io.spillway.stress.record;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Sees the waits of one virtual thread inside log calls, as its scheduler: one begins when the
 * thread has left its carrier, and ends when a carrier is about to run it again. Until then its
 * stack stands where it waited, so that is when it is looked at. {@link Thread#yield} makes a
 * thread leave its carrier, too, but is no wait.
 */
public final class VirtualWaits {
  /** How the names of virtual threads begin. */
  public static final String VIRTUAL_THREAD = "app-virtual-";

  private final String name;
  private final BooleanSupplier inCall;
  private Thread thread; // set before it starts
  private Turn last; // of whoever runs the thread: one carrier after the other
  private volatile Thread looking;

  /**
   * Begins.
   *
   * @param name of the thread
   * @param inCall asked by its carriers while it does not run, whether it is inside a log call
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
    // Reading the stack of a thread that may run hands it in once more; whoever reads will run it.
    if (Thread.currentThread() != looking) {
      carriers.execute(new Turn(task));
    }
  }

  private static VirtualWait begun() {
    VirtualWait wait = new VirtualWait();
    wait.begin();
    return wait;
  }

  /** From where the thread is handed in up to where it has left its carrier. */
  private final class Turn implements Runnable {
    private final Runnable task;
    private final VirtualWait handedIn = begun();
    private volatile VirtualWait left;

    Turn(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      if (last != null && inCall.getAsBoolean()) {
        // Handed in, it may run again before its last carrier has come to say that it left.
        VirtualWait wait = last.left;
        end(wait == null ? handedIn : wait);
      }
      last = this;
      task.run();
      left = begun();
    }

    private void end(VirtualWait wait) {
      looking = Thread.currentThread();
      StackTraceElement[] stack = thread.getStackTrace();
      looking = null;
      wait.kind = WaitEvents.kind(stack);
      if (wait.kind != null) {
        wait.applicationThread = name;
        wait.frame = LoggingFrames.nearest(stack);
        wait.commit();
      }
    }
  }

  /** A wait of a virtual application thread inside a log call. */
  @Name(VirtualWait.NAME)
  @Label("Wait of a virtual thread")
  @StackTrace(false)
  static final class VirtualWait extends Event {
    static final String NAME = "io.spillway.stress.VirtualWait";

    @Label("Application Thread")
    String applicationThread;

    @Label("Kind")
    String kind; // what the recorder calls such a wait of a platform thread

    @Label("Logging Frame")
    String frame;
  }
}
