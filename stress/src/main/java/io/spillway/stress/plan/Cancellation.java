package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildProcess;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Cleans up if this JVM is terminated during a run, so that no child and no file remains. The
 * thread of the run continues meanwhile and may create files, so the deletion is repeated.
 */
public final class Cancellation implements AutoCloseable {

  private static final int ATTEMPTS = 20;
  private static final int LEAST_ATTEMPTS = 3;
  private static final long PAUSE_NANOS = 50_000_000;

  private final AtomicBoolean cancelled = new AtomicBoolean();
  private final AtomicReference<ChildProcess> child = new AtomicReference<>();
  private final Thread hook = new Thread(this::cleanUp, "clean-up");
  private final Deletion deletion;

  /** Deletes the files that must not remain. May be called more than once. */
  public interface Deletion {
    /** Deletes the files. */
    void delete() throws IOException;
  }

  /** Registers a deletion for the case that this JVM ends before {@link #close()}. */
  public Cancellation(Deletion deletion) {
    this.deletion = deletion;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns whether this JVM is being terminated. */
  public boolean cancelled() {
    return cancelled.get();
  }

  /** Throws {@link Cancelled} if the run has been cancelled. */
  public void check() {
    if (cancelled()) {
      throw new Cancelled(null);
    }
  }

  /** Sets the child that must not outlive this JVM; null once it has ended. */
  void child(ChildProcess running) {
    child.set(running);
    if (running != null && cancelled()) {
      running.kill();
    }
  }

  private void cleanUp() {
    cancelled.set(true);
    IOException failure = null;
    for (int i = 0; i < ATTEMPTS && (failure != null || i < LEAST_ATTEMPTS); i++) {
      ChildProcess running = child.get();
      if (running != null) {
        running.kill();
      }
      try {
        failure = null;
        deletion.delete();
      } catch (IOException e) {
        failure = e;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    if (failure != null) {
      System.err.println("Not all files of the run could be deleted: " + failure);
    }
  }

  /** Ends the clean-up: the files that exist now remain. */
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

  /** Thrown when the JVM is terminated during a run, whose files are being deleted. */
  public static final class Cancelled extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception, caused by a failure after the cancellation, or by null. */
    public Cancelled(Throwable cause) {
      super("cancelled; the files of this run are deleted", cause);
    }
  }
}
