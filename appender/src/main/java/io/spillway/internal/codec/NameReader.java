package io.spillway.internal.codec;

import java.util.Arrays;

/** Reads what {@link NameWriter} wrote. */
final class NameReader {
  private final Input in;
  private String[] names = new String[32];
  private int count;

  NameReader(Input in) {
    this.in = in;
  }

  String read() throws CodecException {
    int tag = in.varint();
    switch (tag) {
      case Format.NULL:
        return null;
      case Format.LITERAL:
        return present();
      case Format.DEFINITION:
        return define(present());
      default:
        int number = tag - Format.FIRST_REFERENCE;
        if (number >= count) {
          throw new CodecException("name " + number + " of " + count);
        }
        return names[number];
    }
  }

  /** A name where null has no meaning. */
  String readPresent() throws CodecException {
    return requirePresent(read());
  }

  private String define(String name) throws CodecException {
    if (count == Format.MAX_NAMES) {
      throw new CodecException("more than " + Format.MAX_NAMES + " names");
    }
    if (count == names.length) {
      names = Arrays.copyOf(names, 2 * count);
    }
    names[count++] = name;
    return name;
  }

  private String present() throws CodecException {
    return requirePresent(in.string());
  }

  private static String requirePresent(String name) throws CodecException {
    if (name == null) {
      throw new CodecException("null where a name belongs");
    }
    return name;
  }
}
