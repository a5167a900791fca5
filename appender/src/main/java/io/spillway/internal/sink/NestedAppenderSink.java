package io.spillway.internal.sink;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import java.io.IOException;
import java.util.Iterator;

/**
 * Passes events to the nested appender, one after the other, and makes the lines of those that are
 * spilled. Whatever the appender throws costs that event alone. Only the appender knows whether an
 * event has reached its destination. While no started appender is attached, events are lost.
 *
 * <p>Concurrency: used by the deliverer, but for {@link #line}, which the spiller calls. The two
 * share the pass-through in front of the appender's encoder; it is put there under the monitor.
 */
public final class NestedAppenderSink implements Sink {
  private static final String NO_APPENDER = "sink.noAppender";

  private final AppenderAttachableImpl<ILoggingEvent> nested;
  private final Counters counters;
  private final Reports reports;

  private OutputStreamAppender<ILoggingEvent> writing; // that has the pass-through; or null
  private PassThroughEncoder front;
  private volatile boolean missing;

  public NestedAppenderSink(
      AppenderAttachableImpl<ILoggingEvent> nested, Counters counters, Reports reports) {
    this.nested = nested;
    this.counters = counters;
    this.reports = reports;
    front(started());
  }

  /** Returns the first appender that would take an event now, or null. */
  private Appender<ILoggingEvent> started() {
    Iterator<Appender<ILoggingEvent>> appenders = nested.iteratorForAppenders();
    while (appenders.hasNext()) {
      Appender<ILoggingEvent> appender = appenders.next();
      // Logback's bases drop events unless started; others may take them.
      boolean ofLogback =
          appender instanceof UnsynchronizedAppenderBase<?> || appender instanceof AppenderBase<?>;
      if (appender.isStarted() || !ofLogback) {
        return appender;
      }
    }
    return null;
  }

  /** Returns what is in front of an appender's encoder, put there if need be, or null. */
  private synchronized PassThroughEncoder front(Appender<ILoggingEvent> appender) {
    if (front != null && (appender != writing || writing.getEncoder() != front)) {
      front.remove(writing);
      front = null;
    }
    if (front == null && appender instanceof OutputStreamAppender<ILoggingEvent> output) {
      writing = output;
      front = PassThroughEncoder.before(output);
    }
    return front;
  }

  /** Makes a line with the nested appender's encoder, until the appender stops; null for none. */
  public byte[] line(ILoggingEvent event) {
    PassThroughEncoder encoder = front(started());
    return encoder == null ? null : encoder.line(event);
  }

  @Override
  public void deliver(Batch batch) {
    long delivered = 0;
    try {
      for (int i = batch.done(); i < batch.count() && !batch.isFenced(); i++) {
        Appender<ILoggingEvent> appender = started();
        tellIfMissing(appender == null);
        ILoggingEvent event = (ILoggingEvent) batch.events()[i];
        LossCause loss = appender == null ? LossCause.SINK_FAILED : append(appender, event);
        if (loss == null) {
          delivered++;
        } else {
          batch.lossy();
          counters.lost(loss, 1, batch.leftover());
        }
        batch.done(i + 1);
      }
    } finally {
      if (delivered > 0) {
        counters.delivered(delivered, batch.leftover());
      }
    }
  }

  private void tellIfMissing(boolean now) {
    if (now) {
      reports.error(
          NO_APPENDER,
          "No started appender is attached, events are lost (SINK_FAILED). To do: attach one, or"
              + " see the status messages of the one attached.",
          null);
    } else if (missing) {
      reports.over(NO_APPENDER, "An appender takes events again.");
    }
    missing = now;
  }

  /** Returns null, or the cause for which the event is lost. */
  private LossCause append(Appender<ILoggingEvent> appender, ILoggingEvent event) {
    PassThroughEncoder encoder = front(appender);
    Throwable thrown = null;
    Thread.interrupted(); // an interrupt must not fail the appender's I/O
    try {
      appender.doAppend(event);
    } catch (Throwable t) {
      thrown = t;
    }
    Throwable ofEncoder = encoder == null ? null : encoder.failureOf(event);
    if (ofEncoder != null) {
      return failed(LossCause.ENCODE_FAILED, "The encoder of the nested appender", ofEncoder);
    }
    return thrown == null ? null : failed(LossCause.SINK_FAILED, "The nested appender", thrown);
  }

  private LossCause failed(LossCause cause, String who, Throwable thrown) {
    report(who + " threw, the event is counted as lost (" + cause + ").", thrown);
    return cause;
  }

  private void report(String what, Throwable thrown) {
    counters.add(Count.SINK_FAILURES, 1);
    reports.error("sink", what, thrown);
  }

  /** Returns whether events are being lost because no appender is started. */
  public boolean isMissing() {
    return missing;
  }

  @Override
  public void flush() {
    try {
      if (started() instanceof OutputStreamAppender<?> output && output.getOutputStream() != null) {
        output.getOutputStream().flush();
      }
    } catch (IOException | RuntimeException e) {
      report("The nested appender could not be flushed.", e);
    }
  }

  @Override
  public void close() {
    nested.detachAndStopAllAppenders(); // which writes the footer, through the pass-through
    front(null);
  }
}
