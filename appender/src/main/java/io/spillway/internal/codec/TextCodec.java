package io.spillway.internal.codec;

/** What {@code toString()} of a foreign object gave: a text, null, or a failure. */
final class TextCodec {
  private static final int TEXT = 0;
  private static final int FAILURE = 1;

  private TextCodec() {}

  /** Renders foreign code's text; whatever that code throws becomes part of the value. */
  static SpilledText render(Object value, boolean careful) {
    if (value instanceof SpilledText text) {
      return text;
    }
    if (careful && ForeignObjects.isOne(value)) {
      return SpilledText.of(ForeignObjects.standIn(value));
    }
    try {
      return SpilledText.of(value.toString());
    } catch (Throwable failure) {
      return SpilledText.failure(message(failure));
    }
  }

  private static String message(Throwable failure) {
    try {
      return failure.getMessage();
    } catch (Throwable worse) {
      return worse.getClass().getName();
    }
  }

  static void write(Output out, SpilledText text) {
    out.u8(text.failed() ? FAILURE : TEXT);
    out.string(text.text());
  }

  static SpilledText read(Input in) throws CodecException {
    int kind = in.u8();
    switch (kind) {
      case TEXT:
        return SpilledText.of(in.string());
      case FAILURE:
        return SpilledText.failure(in.string());
      default:
        throw new CodecException("unknown text kind " + kind);
    }
  }
}
