package io.spillway.internal.spill;

/** What the payloads of a spill are. Stored in every segment header. */
public enum SpillKind {
  /** Encoded logging events. */
  EVENTS(1),
  /** Bytes as they go into the log file. */
  BYTES(2);

  private final short code;

  SpillKind(int code) {
    this.code = (short) code;
  }

  short code() {
    return code;
  }

  static SpillKind of(short code) {
    for (SpillKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }
}
