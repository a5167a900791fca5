package io.spillway.stress.calibrate;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * At most one event of each thread, held back until its next one. Without locks, or the appender
 * would make its callers wait by more than it means to: even a concurrent map has monitors.
 */
final class HeldEvents {

  private final Queue<AtomicReference<ILoggingEvent>> all = new ConcurrentLinkedQueue<>();
  private final ThreadLocal<AtomicReference<ILoggingEvent>> own =
      ThreadLocal.withInitial(this::register);

  /** Holds an event of the calling thread back. */
  void hold(ILoggingEvent event) {
    own.get().set(event);
  }

  /** The event held back for the calling thread, which then no longer is; or null. */
  ILoggingEvent take() {
    return own.get().getAndSet(null);
  }

  /** Those of all threads. */
  List<ILoggingEvent> takeAll() {
    List<ILoggingEvent> events = new ArrayList<>();
    for (AtomicReference<ILoggingEvent> slot : all) {
      ILoggingEvent event = slot.getAndSet(null);
      if (event != null) {
        events.add(event);
      }
    }
    return events;
  }

  private AtomicReference<ILoggingEvent> register() {
    AtomicReference<ILoggingEvent> slot = new AtomicReference<>();
    all.add(slot);
    return slot;
  }
}
