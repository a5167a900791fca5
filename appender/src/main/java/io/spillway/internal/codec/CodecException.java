package io.spillway.internal.codec;

/** Says that bytes are not a run of events of this format. */
public final class CodecException extends Exception {
  private static final long serialVersionUID = 1L;

  public CodecException(String message, Throwable cause) {
    super(message, cause);
  }
}
