package io.spillway.internal.ring;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets one consumer sleep through a lull and the first publisher after it, only that one, wake it.
 *
 * <p>No wake-up is missed: the consumer sets {@code asleep}, then looks for work; a publisher makes
 * the work visible, then reads {@code asleep}. Of the ring's cursor Disruptor 4 makes a plain read
 * with an acquire fence, which alone might come before the store: hence the full fence. A publisher
 * has moved the cursor by compare-and-set. So one of them sees the other. Within traffic it costs a
 * publisher one read of a field that nobody writes.
 */
final class Sleeper {
  private final AtomicReference<Thread> asleep = new AtomicReference<>();

  /** Parks the calling thread, for this long at most; may return earlier. */
  void sleepWhile(BooleanSupplier nothingToDo, long nanos) {
    asleep.set(Thread.currentThread());
    VarHandle.fullFence();
    if (nothingToDo.getAsBoolean()) {
      LockSupport.parkNanos(this, nanos);
    }
    asleep.set(null);
  }

  /** Wakes the consumer if it sleeps: an unpark, which waits for nobody's work. */
  void wake() {
    Thread consumer = asleep.get();
    if (consumer != null && asleep.compareAndSet(consumer, null)) {
      LockSupport.unpark(consumer);
    }
  }
}
