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
 * Wraps another appender so that application threads never wait for it and nothing is lost while it
 * stalls. Drop-in for {@code ch.qos.logback.classic.AsyncAppender}: change the class name, keep the
 * settings.
 *
 * <pre>{@code
 * <appender name="SPILLWAY" class="io.spillway.SpillwayAppender">
 *   <appender-ref ref="FILE"/>
 * </appender>
 * }</pre>
 *
 * <p>As with {@code AsyncAppender}, arguments, markers and key-value pairs are handed over as they
 * are and must not change afterwards; the formatted message and the MDC are fixed at once.
 *
 * <p>All settings are those of {@link SpillwaySettings}. Wrong ones are reported as Logback status
 * and leave the appender unstarted.
 */
public class SpillwayAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent>, SpillwaySettings, MonitoredAppender {
  private final Settings settings = new Settings();
  private volatile Nested nested = new Nested(); // of what runs, else of the next start
  private Nested next; // made ahead: at a stop there may be no memory
  private volatile Pipeline<ILoggingEvent> pipeline;
  private volatile PublishGate<ILoggingEvent> gate;
  private final Lifecycle<Pipeline<ILoggingEvent>> lifecycle = new Lifecycle<>();

  /** An appender without settings; Logback sets them, then calls {@link #start()}. */
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
   * Checks the settings, delivers what an earlier run left, and begins to accept events. Without
   * memory for that it throws the OutOfMemoryError, holds nothing, and may be called again.
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
          Thread.onSpinWait(); // of use only to an event that has met no gate
        }
        made.start(getContext(), getName()); // throws nothing: what fails is tried again
      }
    } finally {
      unwanted = lifecycle.started(made);
    }
    if (unwanted) {
      stop();
    }
  }

  /**
   * What one start delivers to, with what it stops at its end: the deliverer does so, when it comes
   * out of it, which may be long after {@link #stop} and in the middle of another start.
   */
  private final class Nested extends AppenderAttachableImpl<ILoggingEvent> {
    /**
     * Without one that was attached again meanwhile. At a stop, what is attached from now on is of
     * the next start.
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

  /** Null, and it has been said why, if it cannot start. */
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
      if (made == null) { // or nobody could have the spill before the JVM ends
        Disk.giveBack(spill);
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

  /** What the parts call. One class instead of a lambda for each: they are spun at the start. */
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

    /** Foreign objects and all: batches of events are encoded when they are spilled. */
    @Override
    public ILoggingEvent apply(ILoggingEvent event) {
      return event;
    }

    /** Nobody can force what the nested appender has taken. */
    @Override
    public boolean getAsBoolean() {
      return true;
    }

    @Override
    public ArchiveMetrics get() {
      return ArchivingPolicy.metricsOf(nested);
    }
  }

  /** Null if there is none: never attached, detached, or stopped. */
  private Appender<ILoggingEvent> attached() {
    Iterator<Appender<ILoggingEvent>> appenders = nested.iteratorForAppenders();
    return appenders.hasNext() ? appenders.next() : null;
  }

  /** Of the nested appender, null if it has none. */
  private Path file() {
    return attached() instanceof FileAppender<?> file && file.rawFileProperty() != null
        ? FilePaths.path(file.rawFileProperty())
        : null;
  }

  /**
   * Without Logback's look at its flag and, in some versions, at whether the thread is in here
   * already: the gate takes or counts each event, also those that an argument or a filter logs.
   */
  @Override
  public void doAppend(ILoggingEvent event) {
    PublishGate<ILoggingEvent> mine = gate;
    if (mine == null) {
      super.doAppend(event); // never started, and says so
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
   * Gives the nested appender {@code maxFlushTime}. What it has not taken by then is saved in the
   * spill and is delivered at the next start, before anything newer. As with {@code AsyncAppender}
   * the nested appender is stopped and detached; to start again, attach one first. One that hangs
   * is stopped once it returns, unless it is attached again by then. An appender that was never
   * started stops its nested appender here: not when {@code start()} refuses, because other
   * appenders and loggers may use that one as well.
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
      try { // no start meanwhile
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
   * Waits until every event accepted so far is delivered (or lost, and counted).
   *
   * @param timeout how long to wait
   * @return false if the time was too short, if the appender stops before, or was never started
   */
  public boolean awaitDelivered(Duration timeout) {
    return pipeline != null && pipeline.awaitDelivered(timeout);
  }

  /**
   * As {@code AsyncAppender} has it: events in the ring.
   *
   * @return 0 before the first start
   */
  public int getNumberOfElementsInQueue() {
    return (int) getMetrics().getRingUsed();
  }

  /**
   * As {@code AsyncAppender} has it: room in the ring.
   *
   * @return 0 before the first start
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
   * Attaches the one appender that gets the events. While it runs, detach the one before first:
   * what is logged in between waits, for 10 seconds at most, for the new one.
   *
   * @param appender started; a second one is ignored with a warning
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
