package io.spillway.internal.codec;

/** A payload that is not a run of events as this version of Spillway writes it. */
public final class CodecException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * An exception.
   *
   * @param message says what is wrong
   */
  public CodecException(String message) {
    super(message);
  }
}
