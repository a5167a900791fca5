package io.spillway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.flow.EventRing;
import io.spillway.internal.flow.FlowConfig;
import io.spillway.internal.flow.FlowConfig.WhenFull;
import io.spillway.internal.flow.Pipeline;
import io.spillway.internal.flow.Receipt;
import io.spillway.internal.flow.Tell;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.metrics.LossCause;
import java.util.function.BooleanSupplier;

/**
 * What a log call does: it makes of the event what the ring takes, publishes that, and returns. No
 * lock, no monitor, no park, no I/O, unless the ring is full, the call waits to be acknowledged, or
 * the JVM exits.
 *
 * <p>Concurrency: any number of threads; the gate has no state of its own. A publisher that has
 * passed the check of {@link Pipeline#isRefusing} either gets its slot in time, and its event is
 * still read, or finds the ring full of the seal's claims, and checks again.
 */
final class PublishGate<E> {
  private static final String REMEDY =
      "To do: see health() for what holds up the sink, and whether the spill has room.";

  private final Pipeline pipeline;
  private final EventRing ring;
  private final FlowConfig config;
  private final Form<E> form;
  private final Tell tell;
  private final Counters counters;
  private final Acknowledgement acknowledgement; // null if log calls do not wait

  /**
   * What the ring takes of an event. Called in the log call; may throw whatever foreign code does.
   */
  interface Form<E> {
    /** Returns the event, prepared for other threads, or its bytes. */
    Object of(E event);

    /** Returns the estimated bytes of heap that the ring keeps alive with it. */
    int weight(Object taken);
  }

  PublishGate(Pipeline pipeline, FlowConfig config, Form<E> form, Tell tell) {
    this.pipeline = pipeline;
    this.config = config;
    this.form = form;
    this.tell = tell;
    ring = pipeline.ring();
    counters = tell.counters();
    acknowledgement = Acknowledgement.of(config, tell);
  }

  /** Publishes an event, or counts why it does not. Throws nothing of foreign code but Errors. */
  void append(E event) {
    boolean waits = acknowledgement != null && acknowledgement.covers(event);
    Object taken = taken(event);
    Receipt receipt = waits ? new Receipt() : null;
    boolean published = taken != null && publish(event, taken, receipt);
    if (waits) {
      acknowledgement.await(receipt, published);
    } else if (published && pipeline.isExiting()) { // looked at last: the exit finds it, or this
      pipeline.awaitSaved();
    }
  }

  /** Counts an event whose filter threw; the log call does not throw, as in Logback. */
  void filterFailed(Throwable e) {
    counters.dropped(LossCause.PREPARE_FAILED);
    tell.reports().error("filter", "A filter failed, its event is not logged (PREPARE_FAILED).", e);
  }

  /** Returns what the ring takes of an event; null, after a count, if it is not to be published. */
  private Object taken(E event) {
    if (pipeline.isOwnThread()) {
      counters.dropped(LossCause.REENTRANT);
      tell.reports()
          .warn(
              "reentrant",
              "An event logged by the nested appender, an encoder or a policy on a thread of Spillway"
                  + " was dropped to prevent an endless loop (REENTRANT). To do: send that logger to"
                  + " another appender.");
      return null;
    }
    if (config.discardingThreshold() > 0 && isDiscarded(event)) {
      counters.dropped(LossCause.DISCARDED);
      return null;
    }
    try {
      return form.of(event);
    } catch (Throwable ofForeignCode) {
      counters.dropped(LossCause.PREPARE_FAILED);
      tell.reports()
          .error(
              "prepare",
              "An event could not be prepared or encoded, it is counted (PREPARE_FAILED).",
              ofForeignCode);
      return null;
    }
  }

  private boolean isDiscarded(E event) {
    return ring.capacity() - ring.used() < config.discardingThreshold()
        && level(event) <= Level.INFO_INT;
  }

  private static int level(Object event) {
    return event instanceof ILoggingEvent logging ? logging.getLevel().toInt() : Level.OFF_INT;
  }

  private boolean publish(E event, Object taken, Receipt receipt) {
    int weight = form.weight(taken);
    return !pipeline.isRefusing() && ring.tryPublish(taken, weight, receipt)
        || refused(event, () -> ring.tryPublish(taken, weight, receipt));
  }

  /**
   * Handles an event for which the ring is full or sealed. Returns whether it was taken after all.
   */
  private boolean refused(E event, BooleanSupplier attempt) {
    if (pipeline.isRefusing()) {
      counters.dropped(LossCause.STOPPED);
      tell.reports()
          .warn(
              "stopped",
              "An event was logged when the appender had stopped, it is dropped (STOPPED). To do:"
                  + " stop the appender after everything that logs.");
      return false;
    }
    boolean drops = config.whenFull() == WhenFull.DROP && level(event) < config.keptLevel();
    if (drops || !pipeline.mayWait()) {
      counters.dropped(LossCause.QUEUE_FULL);
      tell.reports().warn("full", "The ring is full, events are dropped (QUEUE_FULL). " + REMEDY);
      return false;
    }
    tell.reports().warn("full", "The ring is full, log calls wait until there is room. " + REMEDY);
    counters.add(Count.BLOCKED_CALLS, 1);
    return pipeline
            .backoff()
            .await(attempt, pipeline::mayWait, nanos -> counters.add(Count.BLOCKED_NANOS, nanos))
        || refused(event, attempt);
  }
}
