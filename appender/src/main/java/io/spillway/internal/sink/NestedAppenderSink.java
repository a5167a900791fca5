package io.spillway.internal.sink;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import java.io.IOException;
import java.util.Iterator;
import java.util.concurrent.locks.LockSupport;

/**
 * Passes events to the nested appender, one after the other. Whatever the appender throws is
 * counted, and the next event goes on. Only the appender knows whether an event has reached its
 * destination.
 *
 * <p>While no appender is attached, or the one attached is not started, events wait: the appender
 * may be replaced, or a stop may save the events for a better configuration. After {@value
 * #PATIENCE_SECONDS} seconds they are lost instead, because waiting longer would fill the spill and
 * then hold up log calls.
 */
public final class NestedAppenderSink implements Sink {
  private static final long PATIENCE_SECONDS = 10;
  private static final long PATIENCE_NANOS = PATIENCE_SECONDS * 1_000_000_000L;
  private static final long LOOK_NANOS = 5_000_000L;
  private static final int THREW = -1;

  private final AppenderAttachableImpl<ILoggingEvent> nested;
  private final Counters counters;
  private final Reports reports;
  private long deafSinceNanos; // used by the deliverer only
  private boolean noAppender;

  /**
   * Creates a sink over attached appenders.
   *
   * @param nested holds the appender
   * @param counters counts every event
   * @param reports reports failures
   */
  public NestedAppenderSink(
      AppenderAttachableImpl<ILoggingEvent> nested, Counters counters, Reports reports) {
    this.nested = nested;
    this.counters = counters;
    this.reports = reports;
  }

  @Override
  public void deliver(Batch batch, boolean leftover, Delivery delivery) {
    EventBatch run = (EventBatch) batch;
    ILoggingEvent[] events = run.array();
    int taken = 0;
    try {
      while (delivery.done() < run.events()) {
        int position = delivery.done() + 1;
        awaitAppender(delivery);
        if (!delivery.claim(position)) {
          return;
        }
        int takers = THREW;
        try {
          delivery.clearInterrupt(); // an interrupt must not fail the appender's I/O
          takers = append(events[run.from() + position - 1]);
        } finally { // an Error in the catch of append must not deliver the event twice
          if (takers == 0 && !noAppender) {
            delivery.unclaim(position); // detached meanwhile: the event waits for the next appender
          } else {
            boolean took = takers > 0 && !noAppender;
            taken += took ? 1 : 0;
            if (!took) {
              counters.lost(LossCause.SINK_FAILED, 1, leftover);
            }
            delivery.done(position);
          }
        }
      }
    } finally {
      counters.delivered(taken, leftover);
    }
  }

  private void awaitAppender(Delivery delivery) {
    try {
      awaitListener(delivery);
    } finally {
      counters.sinkMissing(false);
    }
  }

  private void awaitListener(Delivery delivery) {
    while (hasNoStartedAppender()) {
      long now = System.nanoTime();
      if (!noAppender) {
        noAppender = true;
        deafSinceNanos = now;
      }
      boolean impatient = now - deafSinceNanos >= PATIENCE_NANOS;
      reports.error(
          "sink.noAppender",
          "No started appender is nested, events "
              + (impatient ? "are lost (SINK_FAILED)." : "wait for one for 10 seconds.")
              + " To do: attach one, or see the status messages of the one attached for why it has"
              + " stopped or not started.",
          null);
      if (impatient || delivery.fenced()) {
        return;
      }
      counters.sinkMissing(true);
      LockSupport.parkNanos(this, LOOK_NANOS);
    }
    noAppender = false;
  }

  /** Returns whether no attached appender would take an event now. */
  private boolean hasNoStartedAppender() {
    Iterator<Appender<ILoggingEvent>> appenders = nested.iteratorForAppenders();
    while (appenders.hasNext()) {
      if (listens(appenders.next())) {
        return false;
      }
    }
    return true;
  }

  /** Returns false for Logback's bases unless started: they drop events; others may take them. */
  private static boolean listens(Appender<ILoggingEvent> appender) {
    boolean ofLogback =
        appender instanceof UnsynchronizedAppenderBase<?> || appender instanceof AppenderBase<?>;
    return appender.isStarted() || !ofLogback;
  }

  /** Returns how many appenders were attached, or {@link #THREW}. */
  private int append(ILoggingEvent event) {
    try {
      return nested.appendLoopOnAppenders(event);
    } catch (Throwable t) {
      counters.sinkFailure();
      reports.error(
          "sink",
          "The nested appender threw, the event is counted as lost (SINK_FAILED) and the next one"
              + " goes on.",
          t);
      return THREW;
    }
  }

  @Override
  public void reopen() {
    Iterator<Appender<ILoggingEvent>> appenders = nested.iteratorForAppenders();
    while (appenders.hasNext()) {
      if (appenders.next() instanceof FileAppender<?> file && file.isStarted()) {
        reopen(file);
      }
    }
  }

  private void reopen(FileAppender<?> file) {
    try {
      file.openFile(file.getFile());
    } catch (Throwable t) {
      counters.sinkFailure();
      reports.error(
          "sink", "The nested appender could not open [" + file.getFile() + "] once more.", t);
    }
  }

  @Override
  public void flush() {
    try {
      flush(nested.iteratorForAppenders());
    } catch (Throwable t) {
      counters.sinkFailure();
      reports.error("sink", "The nested appender could not be flushed.", t);
    }
  }

  private static void flush(Iterator<? extends Appender<?>> appenders) throws IOException {
    while (appenders.hasNext()) {
      Appender<?> appender = appenders.next();
      if (appender instanceof OutputStreamAppender<?> writing
          && writing.getOutputStream() != null) {
        writing.getOutputStream().flush();
      } else if (appender instanceof AppenderAttachable<?> parent) {
        flush(parent.iteratorForAppenders());
      }
    }
  }

  @Override
  public void close() {
    nested.detachAndStopAllAppenders();
  }
}
