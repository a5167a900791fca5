package io.spillway.internal.spill;

import java.io.IOException;

/** A leftover holds more bytes without a record than any segment has; what follows can wait. */
final class GapException extends IOException {
  private static final long serialVersionUID = 1;

  private final long position;

  GapException(long position) {
    super("no record in sight; the rest of the file is looked at later");
    this.position = position;
  }

  /** How far it has been searched. */
  long position() {
    return position;
  }
}
