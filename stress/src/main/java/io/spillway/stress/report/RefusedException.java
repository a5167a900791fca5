package io.spillway.stress.report;

/** Refuses a request that cannot be carried out; the message tells the user why and what to do. */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the user of the command line. */
  public RefusedException(String message) {
    super(message);
  }
}
