package io.spillway.stress.record;

import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Records the waits of one virtual thread inside log calls, as its scheduler: a wait begins when
 * the thread has left its carrier, and ends when a carrier is about to run it again. The stack is
 * read at that end, when it still shows where the thread waited. {@link Thread#yield} also makes a
 * thread leave its carrier, but is no wait.
 */
public final class VirtualWaits {
  /** Beginning of the names of virtual application threads. */
  public static final String VIRTUAL_THREAD = "app-virtual-";

  private final String name;
  private final BooleanSupplier inCall;
  private Thread thread; // set before the thread starts
  private Turn last; // used by one carrier at a time, the one that runs the thread
  private volatile Thread looking;

  /**
   * Creates the record of one thread's waits.
   *
   * @param name the name of the thread
   * @param inCall called by its carriers while it does not run; returns whether it is inside a log
   *     call
   */
  public VirtualWaits(String name, BooleanSupplier inCall) {
    this.name = name;
    this.inCall = inCall;
  }

  /** Sets the thread; call once, before it starts. */
  public void of(Thread virtual) {
    thread = virtual;
  }

  /** Lets a carrier run the thread until its next wait. */
  public void schedule(Runnable task, Executor carriers) {
    // Reading the stack of a runnable thread submits the thread once more. The carrier that reads
    // the stack runs the thread afterwards, so this submission is ignored.
    if (Thread.currentThread() != looking) {
      carriers.execute(new Turn(task));
    }
  }

  private static VirtualWait begun() {
    VirtualWait wait = new VirtualWait();
    wait.begin();
    return wait;
  }

  /** One run of the thread: from its submission until it has left its carrier. */
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
        // Once submitted, the thread may run before its last carrier has recorded that it left.
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
    String kind; // the recorder's name for such a wait of a platform thread

    @Label("Logging Frame")
    String frame;
  }
}
