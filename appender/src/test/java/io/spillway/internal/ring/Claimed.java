package io.spillway.internal.ring;

import com.lmax.disruptor.MultiProducerSequencer;
import com.lmax.disruptor.Sequence;
import java.lang.reflect.Array;
import java.lang.reflect.Field;

/** The slot of a publisher that was stopped between its claim and the store of its event. */
final class Claimed {
  private final Object slot;

  private Claimed(Object slot) {
    this.slot = slot;
  }

  /** Claims the next slot of a ring, as a log call does. */
  static Claimed of(EventRing<?> ring) throws Exception {
    long sequence = claims(ring).tryNext();
    return new Claimed(Array.get(value(ring, "slots"), (int) sequence % ring.capacity()));
  }

  /** Has something run by publishers that ask how far the consumer is. */
  static void whereItLooksForRoom(EventRing<?> ring, Runnable action) throws Exception {
    claims(ring)
        .addGatingSequences(
            new Sequence() {
              @Override
              public long get() {
                action.run();
                return ring.released();
              }
            });
  }

  private static MultiProducerSequencer claims(EventRing<?> ring) throws Exception {
    return (MultiProducerSequencer) value(ring, "claims");
  }

  private static Object value(EventRing<?> ring, String name) throws Exception {
    return field(EventRing.class, name).get(ring);
  }

  private static Field field(Class<?> type, String name) throws Exception {
    Field field = type.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }

  /** Goes on, but wakes nobody. */
  void publish(Object event) throws Exception {
    field(slot.getClass(), "event").set(slot, event);
  }
}
