package io.spillway.stress.plan;

/** The JVM was told to end in the middle of a run, whose files are being deleted. */
public final class CancelledException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  CancelledException(Throwable cause) {
    super("cancelled; the files of this run are deleted", cause);
  }
}
