package io.spillway;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import ch.qos.logback.core.spi.FilterReply;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.FlightLog;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.Acknowledge;
import io.spillway.internal.ring.EventBatcher;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Predecessors;
import io.spillway.internal.sink.NestedAppenderSink;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillKind;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.ArchivingPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Wraps another appender, so that application threads never wait for that appender and nothing is
 * lost while it stalls. Drop-in for {@code ch.qos.logback.classic.AsyncAppender}: change the class
 * name, keep the settings.
 *
 * <pre>{@code
 * <appender name="SPILLWAY" class="io.spillway.SpillwayAppender">
 *   <appender-ref ref="FILE"/>
 * </appender>
 * }</pre>
 *
 * <p>As with {@code AsyncAppender}, arguments, markers and key-value pairs are handed over as they
 * are and must not change afterwards; the formatted message and the MDC are fixed in the log call.
 *
 * <p>All settings are those of {@link SpillwaySettings}. A wrong one is reported as Logback status
 * and leaves the appender unstarted.
 */
public class SpillwayAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent>, SpillwaySettings, MonitoredAppender {
  private final Settings settings = new Settings();
  // Of the current start; if none runs, of the next one.
  private volatile Nested nested = new Nested();
  private Nested next; // made at a start: a stop may have no memory for it
  private volatile Pipeline<ILoggingEvent> pipeline;
  private volatile PublishGate<ILoggingEvent> gate;
  private final Lifecycle<Pipeline<ILoggingEvent>> lifecycle = new Lifecycle<>();

  /** Creates an appender with default settings. Logback sets them, then calls {@link #start()}. */
  public SpillwayAppender() {}

  @Override
  public Settings settings() {
    return settings;
  }

  @Override
  public void addStatus(Status status) {
    try {
      super.addStatus(status);
    } catch (Throwable ofListener) {
      Reports.leftOut(this);
    }
  }

  /**
   * Checks the settings, delivers what an earlier run left in the spill, and begins to accept
   * events. If memory does not suffice for that, this method throws the OutOfMemoryError, keeps no
   * resource, and may be called again.
   */
  @Override
  public void start() {
    if (!lifecycle.mayStart(this)) {
      return;
    }
    Pipeline<ILoggingEvent> made = null;
    boolean unwanted;
    try {
      made = make();
      if (made != null) {
        pipeline = made;
        gate = made.gate();
        try {
          super.start();
        } catch (OutOfMemoryError noMemory) {
          // Logback's flag matters only to a log call that has found no gate yet.
          Thread.onSpinWait();
        }
        made.start(getContext(), getName()); // throws nothing: a step that fails is tried again
      }
    } finally {
      unwanted = lifecycle.started(made);
    }
    if (unwanted) {
      stop();
    }
  }

  /**
   * The nested appender of one start. The deliverer stops and detaches it when it leaves the sink,
   * which may be long after {@link #stop} and during another start; so each start has its own
   * object.
   */
  private final class Nested extends AppenderAttachableImpl<ILoggingEvent> {
    /**
     * Stops and detaches the nested appender, unless it has been attached again for a later start.
     * During a stop, an appender that is attached from now on belongs to the next start.
     */
    @Override
    public void detachAndStopAllAppenders() {
      boolean current = nested == this;
      Appender<ILoggingEvent> again = current ? null : attached();
      if (again != null) {
        detachAppender(again);
      }
      if (current && lifecycle.isStopping()) {
        nested = next;
      }
      super.detachAndStopAllAppenders();
    }
  }

  /** Returns the pipeline; null, after an error status with the reason, if it cannot start. */
  private Pipeline<ILoggingEvent> make() {
    if (!Libraries.suffice(this)) {
      return null;
    }
    Appender<ILoggingEvent> attached = attached();
    if (attached == null) {
      addError(
          "No appender is attached to ["
              + getName()
              + "]. To do: nest one <appender-ref>, and see that its ref is the name of an appender"
              + " of this configuration; after a stop, which stops and detaches it, attach a"
              + " started one again. The appender is not started.");
      return null;
    }
    if (!attached.isStarted()) {
      addWarn(
          "The nested appender ["
              + attached.getName()
              + "] is not started. Events wait for it for 10 seconds, then they are lost"
              + " (SINK_FAILED). To do: see its own status messages.");
    }
    Settings.Checked checked = settings.check(this);
    if (checked == null || isSyncRefused(checked)) {
      return null;
    }
    next = new Nested();
    Counters counters = new Counters(new FlightLog(getContext(), getName()));
    Reports reports = new Reports(this);
    Calls calls = new Calls(checked.includesCallerData(this, attached));
    Spill spill =
        new SpillOpener(counters, reports).open(this, checked, SpillKind.EVENTS, file(), calls);
    if (spill == null) {
      return null;
    }
    Pipeline<ILoggingEvent> made = null;
    try {
      made =
          new Pipeline<>(
              new Pipeline.Parts<>(
                  new PipelineContext(getName(), counters, reports),
                  checked,
                  new Pipeline.Events<>(EventBatcher::new, calls, Pipeline.reports(this, checked)),
                  new Pipeline.Destination(
                      new NestedAppenderSink(nested, counters, reports),
                      BatchCodec.events(reports),
                      new Predecessors.Holding(file(), spill),
                      calls)));
      return made;
    } finally {
      if (made == null) { // otherwise the spill would stay locked until the JVM ends
        Disk.closeQuietly(spill);
      }
    }
  }

  private boolean isSyncRefused(Settings.Checked checked) {
    if (checked.acknowledge() == Acknowledge.SYNCED) {
      addError(
          "Setting [acknowledge] has the value [SYNCED]; allowed: NONE, WRITTEN. Nobody can force to"
              + " the disk what the nested appender writes. To do: take WRITTEN, or a"
              + " SpillwayRollingFileAppender, which forces its own file. The appender is not"
              + " started.");
      return true;
    }
    return false;
  }

  /** Callbacks of the parts. One class, because the JVM generates another for each lambda. */
  private final class Calls
      implements Preparer<ILoggingEvent>, BooleanSupplier, Supplier<ArchiveMetrics> {
    private final boolean callerData;

    Calls(boolean callerData) {
      this.callerData = callerData;
    }

    @Override
    public void prepare(ILoggingEvent event) {
      event.prepareForDeferredProcessing();
      if (callerData) {
        event.getCallerData();
      }
    }

    /** Returns the event with its foreign objects; events are encoded only when they spill. */
    @Override
    public ILoggingEvent apply(ILoggingEvent event) {
      return event;
    }

    /** Returns true always, since Spillway cannot force what the nested appender has written. */
    @Override
    public boolean getAsBoolean() {
      return true;
    }

    @Override
    public ArchiveMetrics get() {
      Iterator<Appender<ILoggingEvent>> all = nested.iteratorForAppenders();
      return all.hasNext() ? ArchivingPolicy.metricsOf(all.next()) : ArchiveMetrics.NONE;
    }
  }

  /** Returns the nested appender; null if none was attached, or it was detached or stopped. */
  private Appender<ILoggingEvent> attached() {
    Iterator<Appender<ILoggingEvent>> appenders = nested.iteratorForAppenders();
    return appenders.hasNext() ? appenders.next() : null;
  }

  /** Returns the file of the nested appender; null if it writes none. */
  private Path file() {
    return attached() instanceof FileAppender<?> file && file.rawFileProperty() != null
        ? FilePaths.path(file.rawFileProperty())
        : null;
  }

  /**
   * Appends an event. Unlike Logback's method it checks neither the started flag nor, as some
   * versions do, whether the thread is already in this method: the gate takes or counts each event,
   * also an event that an argument or a filter logs.
   */
  @Override
  public void doAppend(ILoggingEvent event) {
    PublishGate<ILoggingEvent> mine = gate;
    if (mine == null) {
      super.doAppend(event); // never started: Logback's method reports it
      return;
    }
    int[] nestedCalls = mine.begin(event);
    if (nestedCalls == null) {
      return;
    }
    try {
      if (getFilterChainDecision(event) != FilterReply.DENY) {
        append(event);
      }
    } catch (Exception e) {
      mine.filterFailed(e);
    } finally {
      nestedCalls[0]--;
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    gate.append(event);
  }

  /**
   * Stops the appender, after it has given the nested appender {@code maxFlushTime}. Events that
   * the nested appender has not taken by then are saved in the spill and delivered at the next
   * start, before anything newer. As with {@code AsyncAppender} the nested appender is stopped and
   * detached; to start again, attach one first. A nested appender that hangs is stopped once it
   * returns, unless it is attached again by then. If this appender was never started, its nested
   * appender is stopped here, and not when {@code start()} refuses, because other appenders and
   * loggers may use that one as well.
   */
  @Override
  public void stop() {
    Pipeline<ILoggingEvent> running = lifecycle.toStop();
    if (running != null) {
      lifecycle.stopping(running);
      try {
        running.stop();
      } finally {
        if (lifecycle.ends(running)) {
          nested = next;
          lifecycle.ended();
        }
      }
    } else if (lifecycle.mayStart(null)) {
      try { // no start can begin before started(null)
        detachAndStopAllAppenders();
      } finally {
        lifecycle.started(null);
      }
    }
  }

  @Override
  public boolean isStarted() {
    return lifecycle.isRunning();
  }

  /**
   * Waits until every event accepted so far is delivered, or is lost and counted.
   *
   * @param timeout how long to wait
   * @return false if the timeout has passed, if the appender has stopped first, or if it was never
   *     started
   */
  public boolean awaitDelivered(Duration timeout) {
    return pipeline != null && pipeline.awaitDelivered(timeout);
  }

  /**
   * Returns how many events are in the ring; a method of {@code AsyncAppender}.
   *
   * @return a number of events; 0 before the first start
   */
  public int getNumberOfElementsInQueue() {
    return (int) getMetrics().getRingUsed();
  }

  /**
   * Returns how many slots of the ring are free; a method of {@code AsyncAppender}.
   *
   * @return a number of slots; 0 before the first start
   */
  public int getRemainingCapacity() {
    SpillwayMetrics metrics = getMetrics();
    return (int) (metrics.getRingCapacity() - metrics.getRingUsed());
  }

  @Override
  public SpillwayMetrics getMetrics() {
    return pipeline == null ? SpillwayMetrics.NOT_STARTED : pipeline.metrics();
  }

  /**
   * Attaches the one appender that gets the events. While this appender runs, detach the previous
   * one first: events that are logged before the new one is attached wait for it, for 10 seconds at
   * most.
   *
   * @param appender a started appender; a second one is ignored with a warning
   */
  @Override
  public void addAppender(Appender<ILoggingEvent> appender) {
    if (attached() != null) {
      addWarn(
          "One appender may be attached to ["
              + getName()
              + "], ["
              + appender.getName()
              + "] is ignored. To do: give it a Spillway appender of its own.");
      return;
    }
    nested.addAppender(appender);
  }

  @Override
  public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
    return nested.iteratorForAppenders();
  }

  @Override
  public Appender<ILoggingEvent> getAppender(String name) {
    return nested.getAppender(name);
  }

  @Override
  public boolean isAttached(Appender<ILoggingEvent> appender) {
    return nested.isAttached(appender);
  }

  @Override
  public void detachAndStopAllAppenders() {
    nested.detachAndStopAllAppenders();
  }

  @Override
  public boolean detachAppender(Appender<ILoggingEvent> appender) {
    return nested.detachAppender(appender);
  }

  @Override
  public boolean detachAppender(String name) {
    return nested.detachAppender(name);
  }
}
