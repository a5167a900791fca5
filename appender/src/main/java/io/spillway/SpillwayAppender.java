package io.spillway;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import ch.qos.logback.core.spi.FilterReply;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.flow.FlowConfig;
import io.spillway.internal.flow.Pipeline;
import io.spillway.internal.flow.RecordCodec;
import io.spillway.internal.flow.Tell;
import io.spillway.internal.metrics.Environment;
import io.spillway.internal.sink.CallerData;
import io.spillway.internal.sink.NestedAppenderSink;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.ArchivingPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;

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
 * <p>As with {@code AsyncAppender}, the nested appender encodes on another thread: arguments,
 * markers and key-value pairs are handed over as they are and must not change afterwards; the
 * formatted message and the MDC are fixed in the log call.
 *
 * <p>All settings are those of {@link SpillwaySettings}. A wrong one is reported as Logback status
 * and leaves the appender unstarted.
 */
public class SpillwayAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent>, SpillwaySettings, MonitoredAppender {
  /** What a frame of a stack trace weighs: about the length of its line. */
  private static final int FRAME_BYTES = 100;

  /** The most causes of an exception that are weighed, so that the log call takes bounded time. */
  private static final int WEIGHED_CAUSES = 100;

  private final Settings settings = new Settings();
  // Of the current start, or of the next one. Each start has its own, since a sink that hangs stops
  // and detaches its appender when it comes back, perhaps during another start.
  private volatile AppenderAttachableImpl<ILoggingEvent> nested = new AppenderAttachableImpl<>();
  private volatile Core<ILoggingEvent> core; // of the last start; null before the first

  /** Creates an appender with default settings. Logback sets them, then calls {@link #start()}. */
  public SpillwayAppender() {}

  @Override
  public Settings settings() {
    return settings;
  }

  /**
   * Checks the settings, delivers what an earlier run left in the spill, and begins to accept
   * events.
   */
  @Override
  public synchronized void start() {
    if (isStarted() || !Environment.suffices(this)) {
      return;
    }
    Appender<ILoggingEvent> attached = attached();
    if (attached == null) {
      addError(
          "No appender is attached to ["
              + getName()
              + "]. To do: nest one <appender-ref>, and see that its ref is the name of an appender"
              + " of this configuration; after a stop, which stops and detaches it, attach a"
              + " started one again. The appender is not started.");
      return;
    }
    Settings.Checked checked = settings.check(this);
    if (checked == null || isSyncRefused(checked.flow())) {
      return;
    }
    Path file = file(attached);
    Path directory = Core.directory(this, checked, file);
    if (directory == null) {
      return;
    }
    PublishGate.Form<ILoggingEvent> form = form(checked, attached); // looks at the encoder
    Tell tell = Tell.of(this);
    NestedAppenderSink sink = new NestedAppenderSink(nested, tell.counters(), tell.reports());
    Core<ILoggingEvent> made =
        Core.of(
            this,
            checked,
            tell,
            new Core.Ends<>(
                directory,
                file,
                sink,
                new RecordCodec.Events(sink, tell.reports()),
                state(sink),
                form));
    if (made == null) {
      return;
    }
    core = made;
    super.start();
    made.start();
  }

  private boolean isSyncRefused(FlowConfig config) {
    if (config.acknowledge() == FlowConfig.Acknowledge.SYNCED) {
      addError(
          "Setting [acknowledge] has the value [SYNCED]; allowed: NONE, WRITTEN. Nobody can force to"
              + " the disk what the nested appender writes. To do: take WRITTEN, or a"
              + " SpillwayRollingFileAppender, which forces its own file. The appender is not"
              + " started.");
      return true;
    }
    return false;
  }

  private Pipeline.SinkState state(NestedAppenderSink sink) {
    return new Pipeline.SinkState() {
      @Override
      public boolean isMissing() {
        return sink.isMissing();
      }

      @Override
      public ArchiveMetrics archives() {
        Appender<ILoggingEvent> attached = attached();
        return attached == null ? ArchiveMetrics.NONE : ArchivingPolicy.metricsOf(attached);
      }
    };
  }

  private PublishGate.Form<ILoggingEvent> form(
      Settings.Checked checked, Appender<ILoggingEvent> attached) {
    boolean callerData =
        checked.includeCallerData() != null
            ? checked.includeCallerData()
            : CallerData.isPrintedBy(attached);
    return new PublishGate.Form<>() {
      @Override
      public Object of(ILoggingEvent event) {
        event.prepareForDeferredProcessing();
        if (callerData) {
          event.getCallerData();
        }
        return event;
      }

      @Override
      public int weight(Object taken) {
        ILoggingEvent event = (ILoggingEvent) taken;
        String text = event.getFormattedMessage();
        long weight = text == null ? 0 : text.length();
        IThrowableProxy thrown = event.getThrowableProxy();
        for (int depth = 0; thrown != null && depth < WEIGHED_CAUSES; depth++) {
          weight += FRAME_BYTES * (1L + frames(thrown));
          thrown = thrown.getCause();
        }
        return (int) Math.min(weight, Integer.MAX_VALUE);
      }

      private int frames(IThrowableProxy thrown) {
        return thrown.getStackTraceElementProxyArray() == null
            ? 0
            : thrown.getStackTraceElementProxyArray().length;
      }
    };
  }

  /** Returns the nested appender; null if none was attached, or it was detached or stopped. */
  private Appender<ILoggingEvent> attached() {
    Iterator<Appender<ILoggingEvent>> appenders = nested.iteratorForAppenders();
    return appenders.hasNext() ? appenders.next() : null;
  }

  private static Path file(Appender<ILoggingEvent> attached) {
    return attached instanceof FileAppender<?> file
            && file.rawFileProperty() != null
            && FilePaths.trouble(file.rawFileProperty()) == null
        ? Path.of(file.rawFileProperty())
        : null;
  }

  @Override
  public FilterReply getFilterChainDecision(ILoggingEvent event) {
    try {
      return super.getFilterChainDecision(event);
    } catch (Throwable ofFilter) {
      core.gate().filterFailed(ofFilter);
      return FilterReply.DENY;
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    core.gate().append(event);
  }

  /**
   * Stops the appender, after it has given the nested appender {@code maxFlushTime}. Events that
   * the nested appender has not taken by then are saved in the spill and delivered at the next
   * start, before anything newer. As with {@code AsyncAppender} the nested appender is stopped and
   * detached; to start again, attach one first. A nested appender that hangs is stopped once it
   * returns. If this appender was never started, its nested appender is stopped here.
   */
  @Override
  public synchronized void stop() {
    if (isStarted()) {
      core.stop();
      super.stop();
      nested = new AppenderAttachableImpl<>();
    } else if (core == null) {
      detachAndStopAllAppenders();
    }
  }

  /**
   * Waits until every event accepted so far is delivered, or is lost and counted.
   *
   * @param timeout how long to wait
   * @return false if the timeout has passed, if the appender has stopped first, or if it was never
   *     started
   */
  public boolean awaitDelivered(Duration timeout) {
    Core<ILoggingEvent> current = core;
    return current != null && current.pipeline().awaitDelivered(timeout);
  }

  @Override
  public SpillwayMetrics getMetrics() {
    Core<ILoggingEvent> current = core;
    return current == null ? SpillwayMetrics.NOT_STARTED : current.metrics();
  }

  /**
   * Attaches the one appender that gets the events.
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
