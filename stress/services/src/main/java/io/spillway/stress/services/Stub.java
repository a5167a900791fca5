package io.spillway.stress.services;

import java.util.concurrent.locks.LockSupport;

/** Replaces another service or a store: a call blocks the calling thread for a given time. */
final class Stub {

  private Stub() {}

  /** Returns after the given number of microseconds. */
  static void call(int micros) {
    long end = System.nanoTime() + micros * 1_000L;
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
