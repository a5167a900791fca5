package io.spillway.internal.codec;

/** A payload that is not a run of events as this version of Spillway writes it. */
public final class CodecException extends Exception {
  private static final long serialVersionUID = 1L;

  CodecException(String message) {
    super(message);
  }
}
