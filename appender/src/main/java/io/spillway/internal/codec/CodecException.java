package io.spillway.internal.codec;

/** A payload that is not a run of events as this version of Spillway writes it. */
public final class CodecException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception.
   *
   * @param message what is wrong with the payload
   */
  public CodecException(String message) {
    super(message);
  }
}
