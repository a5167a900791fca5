package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildProcess;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Cleans up if this JVM is told to end in the middle of a run: no child and no file stays. The
 * thread that carries the run goes on meanwhile, so deleting is tried again for what it may still
 * have made.
 */
public final class Cancellation implements AutoCloseable {

  private static final int ATTEMPTS = 20;
  private static final long PAUSE_MILLIS = 50;

  private final AtomicBoolean cancelled = new AtomicBoolean();
  private final AtomicReference<ChildProcess> child = new AtomicReference<>();
  private final Thread hook = new Thread(this::cleanUp, "clean-up");
  private final Deletion deletion;

  /** Takes away what must not stay. May be called more than once. */
  public interface Deletion {
    /** Deletes. */
    void delete() throws IOException;
  }

  /** Cleans up by what is given, if this JVM ends before {@link #close()}. */
  public Cancellation(Deletion deletion) {
    this.deletion = deletion;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether this JVM has been told to end. */
  public boolean cancelled() {
    return cancelled.get();
  }

  /** Leaves the run if it has been cancelled. */
  public void check() {
    if (cancelled()) {
      throw new Cancelled(null);
    }
  }

  /** Names the child that must not outlive this JVM; null once it has ended. */
  void child(ChildProcess running) {
    child.set(running);
    if (running != null && cancelled()) {
      running.kill();
    }
  }

  private void cleanUp() {
    cancelled.set(true);
    IOException failure = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      ChildProcess running = child.get();
      if (running != null) {
        running.kill();
      }
      try {
        deletion.delete();
        failure = null;
      } catch (IOException e) {
        failure = e;
      }
      if (failure == null && i >= 2) {
        return;
      }
      pause();
    }
    System.err.println("Not all files of the run could be deleted: " + failure);
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The run is over; what it leaves from now on is meant to stay. */
  @Override
  public void close() {
    if (!cancelled()) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        cancelled.set(true);
      }
    }
  }

  /** The JVM was told to end in the middle of a run, whose files are being deleted. */
  public static final class Cancelled extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Because of what failed since, or null. */
    public Cancelled(Throwable cause) {
      super("cancelled; the files of this run are deleted", cause);
    }
  }
}
