package io.spillway.stress.watch;

import java.util.concurrent.locks.LockSupport;

/** Threads that park for a moment, many thousand times a second, until standard input closes. */
public final class ParkingTarget {

  static final int THREADS = 50;
  private static final long NANOS = 5_000_000;

  private ParkingTarget() {}

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(ParkingTarget::work, "parking-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    System.out.println("ready");
    System.out.flush();
    while (System.in.read() >= 0) {
      continue;
    }
  }

  private static void work() {
    while (true) {
      await();
    }
  }

  private static void await() {
    LockSupport.parkNanos(NANOS);
  }
}
