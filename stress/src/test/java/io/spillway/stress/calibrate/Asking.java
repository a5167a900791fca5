package io.spillway.stress.calibrate;

/** Stands for code of an application: the tester names none of its own, but what calibrates it. */
public final class Asking {
  private Asking() {}

  public static void forCollection() {
    System.gc();
  }
}
