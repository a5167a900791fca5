package io.spillway.stress.services;

import java.util.concurrent.locks.LockSupport;

/** Stands for another service, or a store: whoever calls it is blocked for the time it takes. */
final class Stub {

  private static final long NANOS_PER_MICRO = 1_000;

  private Stub() {}

  /** Returns after so many microseconds. */
  static void call(int micros) {
    long end = System.nanoTime() + micros * NANOS_PER_MICRO;
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
