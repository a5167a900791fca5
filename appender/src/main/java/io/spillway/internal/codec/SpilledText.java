package io.spillway.internal.codec;

/**
 * Stands for an object of which only {@code toString()} went to disk: it gives the same text, or
 * fails as the object did. A {@link CharSequence}, because encoders that look into values (JSON
 * ones) print such a thing as its text and would print any other class as an empty object.
 */
final class SpilledText implements CharSequence {
  private static final int TEXT = 0;
  private static final int FAILURE = 1;

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

  /** The text of a foreign object; whatever its code throws becomes part of the value. */
  static SpilledText render(Object value, boolean careful) {
    if (value instanceof SpilledText text) {
      return text;
    }
    if (careful && ForeignObjects.isOne(value)) {
      return of(ForeignObjects.standIn(value));
    }
    try {
      return of(value.toString());
    } catch (Throwable failure) {
      return failure(message(failure));
    }
  }

  private static String message(Throwable failure) {
    try {
      return failure.getMessage();
    } catch (Throwable worse) {
      return worse.getClass().getName();
    }
  }

  void write(Output out) {
    out.u8(failed ? FAILURE : TEXT);
    out.string(text);
  }

  static SpilledText read(Input in) throws CodecException {
    int kind = in.u8();
    switch (kind) {
      case TEXT:
        return of(in.string());
      case FAILURE:
        return failure(in.string());
      default:
        throw new CodecException("unknown text kind " + kind);
    }
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
