package io.spillway.internal.codec;

/** Values whose {@code toString()} misbehaves, and one that behaves. */
enum Hostile {
  PLAIN {
    @Override
    public String toString() {
      return "plain ø text";
    }
  },
  NULL_TEXT {
    @Override
    public String toString() {
      return null;
    }
  },
  THROWS {
    @Override
    public String toString() {
      throw new UnsupportedOperationException("no text for you");
    }
  },
  THROWS_NULL {
    @Override
    public String toString() {
      throw new IllegalArgumentException();
    }
  };
}
