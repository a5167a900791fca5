package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;

/** Levels as small codes. Logback has no others: reading an event makes any unknown one DEBUG. */
final class LevelCodec {
  private static final Level[] LEVELS = {
    null,
    Level.toLevel(Level.ALL_INT),
    Level.TRACE,
    Level.DEBUG,
    Level.INFO,
    Level.WARN,
    Level.ERROR,
    Level.OFF
  };

  private LevelCodec() {}

  static int code(Level level) {
    if (level == null) {
      return 0;
    }
    Level known = Level.toLevel(level.levelInt);
    int code = 1;
    while (LEVELS[code] != known) {
      code++;
    }
    return code;
  }

  static Level level(int code) throws CodecException {
    if (code >= LEVELS.length) {
      throw new CodecException("unknown level code " + code);
    }
    return LEVELS[code];
  }
}
