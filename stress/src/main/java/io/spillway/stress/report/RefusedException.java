package io.spillway.stress.report;

/** Something that cannot be done as asked; the message says why and what to do. */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** With a message for whoever asked. */
  public RefusedException(String message) {
    super(message);
  }
}
