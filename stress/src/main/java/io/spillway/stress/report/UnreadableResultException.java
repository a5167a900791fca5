package io.spillway.stress.report;

/** A file that was to be read as a result is none; the message says why and what to do. */
public final class UnreadableResultException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  UnreadableResultException(String message) {
    super(message);
  }
}
