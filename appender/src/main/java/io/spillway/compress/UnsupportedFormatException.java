package io.spillway.compress;

/** A file name asks for a compression that is not at hand; the message says what to do. */
public final class UnsupportedFormatException extends Exception {
  private static final long serialVersionUID = 1L;

  UnsupportedFormatException(String message, Throwable cause) {
    super(message, cause);
  }
}
