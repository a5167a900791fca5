package io.spillway.internal.codec;

/**
 * Stands for an object of which only {@code toString()} went to disk: it gives the same text, or
 * fails as the object did. A {@link CharSequence}, because encoders that look into values (JSON
 * ones) print such a thing as its text and would print any other class as an empty object.
 */
final class SpilledText implements CharSequence {
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

  @Override
  public int length() {
    return characters().length();
  }

  @Override
  public char charAt(int index) {
    return characters().charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return characters().subSequence(start, end);
  }

  private String characters() {
    return String.valueOf(toString());
  }
}
