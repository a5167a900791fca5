package io.spillway.internal.ring;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets one consumer sleep through a lull until the first publisher after it, and no other, wakes
 * the consumer.
 *
 * <p>No wake-up is missed: the consumer sets {@code asleep}, then looks for work; a publisher makes
 * the work visible, then reads {@code asleep}. So at least one of the two sees the other's write.
 * The consumer needs a full fence between its two steps, because Disruptor 4 reads the cursor of
 * the ring as a plain read with an acquire fence, which alone might be ordered before the store to
 * {@code asleep}. The publisher needs none, because it has moved the cursor by compare-and-set.
 * Within traffic a publisher pays one read of a field that no thread writes.
 */
final class Sleeper {
  private final AtomicReference<Thread> asleep = new AtomicReference<>();

  /** Parks the calling thread for at most {@code nanos}; may return earlier. */
  void sleepWhile(BooleanSupplier nothingToDo, long nanos) {
    asleep.set(Thread.currentThread());
    VarHandle.fullFence();
    if (nothingToDo.getAsBoolean()) {
      LockSupport.parkNanos(this, nanos);
    }
    asleep.set(null);
  }

  /** Wakes the consumer if it sleeps. The call is an unpark, which waits for no other thread. */
  void wake() {
    Thread consumer = asleep.get();
    if (consumer != null && asleep.compareAndSet(consumer, null)) {
      LockSupport.unpark(consumer);
    }
  }
}
