package io.spillway.stress.watch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Threads that all do one thing, which the first of them does not let the others do for a while.
 */
final class Crowd {

  private static final long POLL_NANOS = 1_000_000;

  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicBoolean held = new AtomicBoolean();
  private final AtomicLong heldNanos = new AtomicLong();

  /** The action gets what is to be done within it. */
  Crowd(int size, boolean virtual, Consumer<Runnable> action) throws ReflectiveOperationException {
    for (int i = 0; i < size; i++) {
      threads.add(thread(virtual, () -> measure(action)));
    }
  }

  private void measure(Consumer<Runnable> action) {
    long start = System.nanoTime();
    action.accept(this::holdOnce);
    heldNanos.addAndGet(System.nanoTime() - start);
  }

  /** The first that comes here waits for all others to wait, then to be told. */
  private void holdOnce() {
    if (!held.compareAndSet(false, true)) {
      return;
    }
    while (threads.stream().filter(Crowd::waits).count() < threads.size() - 1) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean waits(Thread thread) {
    return thread != Thread.currentThread()
        && (thread.getState() == Thread.State.BLOCKED || thread.getState() == Thread.State.WAITING);
  }

  void start() {
    threads.forEach(Thread::start);
  }

  void release() {
    release.countDown();
  }

  /** Waits for all, and returns how long the thing took them altogether, in nanoseconds. */
  long join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
    return heldNanos.get();
  }

  /** Virtual threads by reflection: this is compiled for Java 17. */
  private static Thread thread(boolean virtual, Runnable run) throws ReflectiveOperationException {
    if (!virtual) {
      return new Thread(run);
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    return (Thread)
        Class.forName("java.lang.Thread$Builder")
            .getMethod("unstarted", Runnable.class)
            .invoke(builder, run);
  }
}
