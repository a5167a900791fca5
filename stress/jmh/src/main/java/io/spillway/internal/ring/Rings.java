package io.spillway.internal.ring;

import org.openjdk.jmh.infra.Blackhole;

/** The consumer's side of a ring, for benchmarks. */
public final class Rings {
  private Rings() {}

  /** Reads and releases all events in the ring, as the drainer does. */
  public static <E> void empty(EventRing<E> ring, Blackhole sink) {
    ring.release(
        ring.read(
            (sequence, event, arguments) -> {
              sink.consume(event);
              return true;
            }));
  }
}
