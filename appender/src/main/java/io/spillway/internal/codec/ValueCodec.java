package io.spillway.internal.codec;

/** Encodes arguments and values: null, strings and boxed primitives by type, others as text. */
final class ValueCodec {
  private static final int NULL = 0;
  private static final int STRING = 1;
  private static final int TRUE = 2;
  private static final int FALSE = 3;
  private static final int BYTE = 4;
  private static final int SHORT = 5;
  private static final int CHARACTER = 6;
  private static final int INTEGER = 7;
  private static final int LONG = 8;
  private static final int FLOAT = 9;
  private static final int DOUBLE = 10;
  private static final int TEXT = 11;

  private ValueCodec() {}

  static void write(Output out, Object value, EventCodec.Foreign how) {
    if (value == null) {
      out.u8(NULL);
    } else if (value instanceof String string) {
      out.u8(STRING);
      out.string(string);
    } else if (value instanceof Integer number) {
      signed(out, INTEGER, number);
    } else if (value instanceof Long number) {
      signed(out, LONG, number);
    } else if (value instanceof Double number) {
      out.u8(DOUBLE);
      out.i64(Double.doubleToRawLongBits(number));
    } else if (value instanceof Boolean truth) {
      out.u8(truth ? TRUE : FALSE);
    } else if (value instanceof Float number) {
      out.u8(FLOAT);
      out.i32(Float.floatToRawIntBits(number));
    } else if (value instanceof Character character) {
      out.u8(CHARACTER);
      out.u16(character);
    } else if (value instanceof Short number) {
      signed(out, SHORT, number);
    } else if (value instanceof Byte number) {
      signed(out, BYTE, number);
    } else {
      out.u8(TEXT);
      Text.render(value, how).write(out);
    }
  }

  private static void signed(Output out, int type, long value) {
    out.u8(type);
    out.zigzag(value);
  }

  static Object read(Input in) throws CodecException {
    int type = in.u8();
    switch (type) {
      case NULL:
        return null;
      case STRING:
        String string = in.string();
        if (string == null) {
          throw new CodecException("a string value without its string");
        }
        return string;
      case TRUE:
        return Boolean.TRUE;
      case FALSE:
        return Boolean.FALSE;
      case BYTE:
        return (byte) signed(in, Byte.MIN_VALUE, Byte.MAX_VALUE);
      case SHORT:
        return (short) signed(in, Short.MIN_VALUE, Short.MAX_VALUE);
      case CHARACTER:
        return (char) in.u16();
      case INTEGER:
        return (int) signed(in, Integer.MIN_VALUE, Integer.MAX_VALUE);
      case LONG:
        return in.zigzag();
      case FLOAT:
        return Float.intBitsToFloat(in.i32());
      case DOUBLE:
        return Double.longBitsToDouble(in.i64());
      case TEXT:
        return Text.read(in);
      default:
        throw new CodecException("unknown value type " + type);
    }
  }

  private static long signed(Input in, long min, long max) throws CodecException {
    long value = in.zigzag();
    if (value < min || value > max) {
      throw new CodecException("value " + value + " beyond " + min + ".." + max);
    }
    return value;
  }

  /**
   * Stands for an object of which only {@code toString()} went to disk: it returns the same text,
   * or fails as the object did. It is a {@link CharSequence}, because encoders that inspect values
   * (JSON encoders) print a CharSequence as its text and would print this class as an empty object
   * otherwise.
   */
  static final class Text implements CharSequence {
    private static final int TEXT = 0;
    private static final int FAILURE = 1;

    private final String text;
    private final boolean failed;

    private Text(String text, boolean failed) {
      this.text = text;
      this.failed = failed;
    }

    static Text of(String text) {
      return new Text(text, false);
    }

    static Text failure(String message) {
      return new Text(message, true);
    }

    /**
     * Returns the text of a foreign object. What its code throws becomes part of the value, except
     * for an OutOfMemoryError if {@code how} is patient, since the run is then tried again.
     */
    static Text render(Object value, EventCodec.Foreign how) {
      if (value instanceof Text text) {
        return text;
      }
      if (how.careful() && ForeignObjects.isOne(value)) {
        return of(ForeignObjects.standIn(value));
      }
      try {
        return of(value.toString());
      } catch (Throwable failure) {
        if (how.patient() && failure instanceof OutOfMemoryError noMemory) {
          throw noMemory;
        }
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

    static Text read(Input in) throws CodecException {
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

    /** Returns the text, or the message of the failure. */
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
}
