package io.spillway.internal.ring;

import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicReference;

/** The slot of a publisher that was stopped between its claim and the store of its event. */
final class Claimed {
  private final RingBuffer<?> buffer;
  private final long sequence;

  private Claimed(RingBuffer<?> buffer) throws Exception {
    this.buffer = buffer;
    sequence = buffer.tryNext();
  }

  /** Claims the next slot of a ring, as a log call does. */
  static Claimed of(EventRing<?> ring) throws Exception {
    return new Claimed(buffer(ring));
  }

  /** Has something run by publishers that ask how far the consumer is. */
  static void whereItLooksForRoom(EventRing<?> ring, Runnable action) throws Exception {
    buffer(ring)
        .addGatingSequences(
            new Sequence() {
              @Override
              public long get() {
                action.run();
                return ring.released();
              }
            });
  }

  private static RingBuffer<?> buffer(EventRing<?> ring) throws Exception {
    Field field = EventRing.class.getDeclaredField("ring");
    field.setAccessible(true);
    return (RingBuffer<?>) field.get(ring);
  }

  /** Goes on, but wakes nobody. */
  @SuppressWarnings("unchecked") // each slot is a reference
  void publish(Object event) {
    ((AtomicReference<Object>) buffer.get(sequence)).setRelease(event);
    buffer.publish(sequence);
  }
}
