package io.spillway.stress.plan;

/** A run that cannot be done as asked; the message says why and what to do. */
public final class RefusedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
