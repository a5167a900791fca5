package io.spillway.internal.flow;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets one thread sleep through a lull until the first thread that has work for it, and no other,
 * wakes it.
 *
 * <p>No wake-up is missed: the sleeper sets {@code asleep}, then looks for work; the other makes
 * the work visible, then reads {@code asleep}. So at least one of the two sees the other's write.
 * The sleeper needs a full fence between its two steps, because Disruptor 4 reads the cursor of a
 * ring as a plain read with an acquire fence, which alone might be ordered before the store to
 * {@code asleep}. A publisher needs none, because it has moved the cursor by compare-and-set.
 * Within traffic a publisher pays one read of a field that no thread writes.
 */
public final class Sleeper {
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

  /** Wakes the thread if it sleeps. The call is an unpark, which waits for no other thread. */
  void wake() {
    Thread thread = asleep.get();
    if (thread != null && asleep.compareAndSet(thread, null)) {
      LockSupport.unpark(thread);
    }
  }
}
