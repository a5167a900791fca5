package io.spillway.internal.codec;

/** Numbers of the format that writers and readers share; see the package description. */
final class Format {
  static final int VERSION = 1;

  /** Flags, three references, time (1 + 4), sequence number and message. */
  static final int MIN_EVENT_BYTES = 2 + 3 + 5 + 1 + 1;

  // What a reference to a name or a logger context starts with.
  static final int NULL = 0;
  static final int LITERAL = 1;
  static final int DEFINITION = 2;
  static final int FIRST_REFERENCE = 3;

  static final int MAX_NAMES = 4096;
  static final int MAX_CONTEXTS = 64;

  /** Levels of throwables below one another, be they causes or suppressed. */
  static final int MAX_THROWABLE_DEPTH = 1_024;

  /** Throwables of one event; only proxies that share nodes, which Logback's do not, get there. */
  static final int MAX_THROWABLES = 65_536;

  /** Markers of one event, beyond which references are no longer followed. */
  static final int MAX_MARKERS = 1_000;

  // Flags of an event.
  static final int SAME_TEXT = 1;
  static final int PLAIN_TIME = 1 << 1;
  static final int INSTANT = 1 << 2;
  static final int ARGUMENTS = 1 << 3;
  static final int MARKERS = 1 << 4;
  static final int MDC = 1 << 5;
  static final int KEY_VALUES = 1 << 6;
  static final int THROWABLE = 1 << 7;
  static final int CALLER = 1 << 8;
  static final int LEVEL_SHIFT = 9;
  static final int KNOWN_FLAGS = (1 << LEVEL_SHIFT + 4) - 1;

  private Format() {}
}
