package io.spillway.testkit;

import java.io.IOException;

/** Foreign code throws it, and its text is foreign code, too: it waits at a gate, then throws. */
public final class Hostile extends IOException {
  private static final long serialVersionUID = 1L;
  private final transient Gate gate;

  /** Its text only throws. */
  public Hostile() {
    this(new Gate());
  }

  public Hostile(Gate gate) {
    this.gate = gate;
  }

  @Override
  public String getMessage() {
    gate.pass();
    throw new IllegalStateException("on purpose");
  }

  @Override
  public String toString() {
    return getMessage();
  }
}
