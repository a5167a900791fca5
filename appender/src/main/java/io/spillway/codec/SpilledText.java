package io.spillway.codec;

/**
 * Stands for an object of which only {@code toString()} went to disk: it gives the same text, or
 * fails as the object did.
 */
final class SpilledText {
  private final String text;
  private final boolean failed;

  private SpilledText(String text, boolean failed) {
    this.text = text;
    this.failed = failed;
  }

  static SpilledText of(String text) {
    return new SpilledText(text, false);
  }

  static SpilledText failure(String message) {
    return new SpilledText(message, true);
  }

  boolean failed() {
    return failed;
  }

  /** The text, or the message of the failure. */
  String text() {
    return text;
  }

  @Override
  public String toString() {
    if (failed) {
      throw new IllegalStateException(text);
    }
    return text;
  }
}
