package io.spillway;

import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.FilterReply;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.disk.Failures;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.Owners;
import io.spillway.internal.flow.Pipeline;
import io.spillway.internal.flow.RecordCodec;
import io.spillway.internal.flow.Tell;
import io.spillway.internal.metrics.Environment;
import io.spillway.internal.metrics.FlightEvents;
import io.spillway.internal.sink.LogFile;
import io.spillway.internal.sink.LogFileSink;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.ArchivingPolicy;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes and rolls its own file without application threads ever waiting for it, and waits and
 * retries where Logback would drop. Drop-in for {@code
 * ch.qos.logback.core.rolling.RollingFileAppender}: change the class name, keep the settings; any
 * encoder, any policy, any type of event.
 *
 * <pre>{@code
 * <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
 *   <file>logs/app.log</file>
 *   <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">...</rollingPolicy>
 *   <encoder>...</encoder>
 * </appender>
 * }</pre>
 *
 * <p>Events are encoded in the log call, as by {@code RollingFileAppender}: arguments, thread
 * locals and caller data are printed as they are at that moment.
 *
 * <p>The settings are those of {@link SpillwaySettings} and of {@code RollingFileAppender}. {@code
 * prudent} is refused, since the file must have one writer. {@code bufferSize} and {@code
 * immediateFlush} have no effect: every batch is one write, milliseconds after the log calls at
 * most while the file takes writes. The triggering policy is called once per batch (64 KB and one
 * event at most) and gets {@code null} for the event, which Logback's own policies do not use.
 *
 * @param <E> the type of event
 */
public class SpillwayRollingFileAppender<E> extends RollingFileAppender<E>
    implements SpillwaySettings, MonitoredAppender {
  /** How long a stop waits for a rollover due by the last events; the pipeline waits as well. */
  private static final Duration LAST_ROLLOVER = Duration.ofMillis(200);

  private static final long NOT_ASKED = -1;

  private final Settings settings = new Settings();
  private volatile Core<E> core; // of the last start; null before the first
  private Policies policies; // of the last start
  private LogFile logFile; // of the last start
  private volatile LineForm<E> form; // of the last start
  private boolean starting;

  /** Creates an appender with default settings. Logback sets them, then calls {@link #start()}. */
  public SpillwayRollingFileAppender() {}

  @Override
  public Settings settings() {
    return settings;
  }

  /** Adds a status. On the deliverer a listener could hang or log, so another thread calls it. */
  @Override
  public void addStatus(Status status) {
    if (isOwnThread()) {
      policies.tell.reports().add(status);
    } else {
      super.addStatus(status);
    }
  }

  /**
   * Checks the settings, opens the file, delivers what an earlier run left in the spill, and begins
   * to accept events.
   */
  @Override
  public synchronized void start() {
    if (isStarted() || !Environment.suffices(this)) {
      return;
    }
    Settings.Checked checked = settings.check(this);
    if (checked == null
        || isPolicyRefused()
        || isPrudentRefused()
        || isFileRefused()
        || isStillOpen()
        || isOwnedByAnother()) {
      return;
    }
    warnOfTrigger();
    Path file = rawFileProperty() == null ? null : Path.of(rawFileProperty());
    Path directory = Core.directory(this, checked, file);
    if (directory == null) {
      return;
    }
    Tell tell = Tell.of(this);
    policies = new Policies(tell);
    form = new LineForm<>(getEncoder());
    logFile = new LogFile(checked.syncNanos() > 0);
    LogFileSink sink = new LogFileSink(logFile, policies, tell.counters(), tell.reports());
    Core<E> made =
        Core.of(
            this,
            checked,
            tell,
            new Core.Ends<>(directory, file, sink, new RecordCodec.Bytes(), policies, form));
    if (made == null) {
      return;
    }
    core = made;
    starting = true;
    boolean opened = false;
    try {
      super.start();
      opened = started;
    } finally { // the encoder's header may throw, when Logback has set it to started
      starting = false;
      started = opened;
      if (!opened) {
        logFile.close();
        made.abandon();
        core = null;
      }
    }
    if (started) {
      made.start();
    } else {
      reportMissing();
    }
  }

  private boolean isPrudentRefused() {
    if (isPrudent()) {
      addError(
          "Setting [prudent] has the value [true]; allowed: false. Several processes cannot share the"
              + " file of a SpillwayRollingFileAppender. To do: give each its own <file>. The appender"
              + " is not started.");
    }
    return isPrudent();
  }

  private boolean isFileRefused() {
    return FilePaths.isRefused(this, "file", rawFileProperty())
        || FilePaths.isRefused(this, "fileNamePattern", stockPattern());
  }

  /** Returns the pattern of a policy of Logback's; one of Spillway's checks and takes its own. */
  private String stockPattern() {
    return getRollingPolicy() instanceof RollingPolicyBase policy
            && !(policy instanceof ArchivingPolicy)
        ? policy.getFileNamePattern()
        : null;
  }

  /** Refuses a policy that is not started: Logback's appender would start and never roll over. */
  private boolean isPolicyRefused() {
    if (getRollingPolicy() == null || getRollingPolicy().isStarted()) {
      return false;
    }
    String refusal = "The rolling policy has not started, see above. The appender is not started.";
    if (getRollingPolicy() instanceof ArchivingPolicy) {
      addWarn(refusal); // its ERROR is enough
    } else {
      addError(refusal);
    }
    return true;
  }

  /** Takes file and pattern. */
  private boolean isOwnedByAnother() {
    String refusal = getRollingPolicy() == null ? null : refusal("log file", getFile());
    refusal = refusal == null ? refusal("fileNamePattern", stockPattern()) : refusal;
    if (refusal != null) {
      addError(refusal);
      Owners.release(this);
    }
    return refusal != null;
  }

  private String refusal(String kind, String path) {
    return path == null ? null : Owners.take(this, kind, Path.of(path));
  }

  private boolean isStillOpen() {
    if (started) {
      addError(
          "Still stopping, because the file takes no writes. The appender is not started again.");
    }
    return started;
  }

  /** Warns of a triggering policy that may use the event: neither Logback's nor Spillway's. */
  private void warnOfTrigger() {
    TriggeringPolicy<E> policy = getTriggeringPolicy();
    String known = policy == null ? "io.spillway" : policy.getClass().getPackageName();
    if (!known.startsWith("ch.qos.logback.core.") && !known.startsWith("io.spillway")) {
      addWarn(
          "Triggering policy ["
              + policy.getClass().getName()
              + "] is asked once a batch, not once an event, and gets null for the event. To do: let"
              + " it decide by the file and the time, or call rollover() on the appender; one that"
              + " needs events works in a RollingFileAppender nested in a SpillwayAppender.");
    }
  }

  /** Reports a missing part with a remedy; Logback warns of some, and names no remedy. */
  private void reportMissing() {
    if (getRollingPolicy() == null) {
      addMissing(
          "rollingPolicy",
          "<rollingPolicy class=\"io.spillway.rolling.SizeAndTimeBasedRollingPolicy\">, which is a"
              + " triggering policy as well");
    } else if (getTriggeringPolicy() == null || !getTriggeringPolicy().isStarted()) {
      addMissing(
          "triggeringPolicy",
          "<triggeringPolicy class=\"io.spillway.rolling.SizeBasedTriggeringPolicy\"/>; from Java,"
              + " call its start() first");
    } else if (getEncoder() == null) {
      addMissing("encoder", "<encoder><pattern>%d [%t] %-5p %c - %m%n</pattern></encoder>");
    }
  }

  private void addMissing(String setting, String element) {
    addError(
        ("Setting [" + setting + "] has the value []; allowed: one that is started. To do: add ")
            + (element + ". The appender is not started."));
  }

  @Override
  public FilterReply getFilterChainDecision(E event) {
    try {
      return super.getFilterChainDecision(event);
    } catch (Throwable ofFilter) {
      core.gate().filterFailed(ofFilter);
      return FilterReply.DENY;
    }
  }

  @Override
  protected void append(E event) {
    Core<E> current = core;
    if (current != null) { // null if a start has failed in between
      form.append(event, current.gate());
    }
  }

  /**
   * Opens the file for this appender's own writer. A condition that can pass, such as a full disk
   * or a read-only file system, gets a warning and another try with every write; at start, any
   * other failure is a mistake in the configuration and is thrown.
   */
  @Override
  public void openFile(String fileName) throws IOException {
    try {
      logFile.open(new File(fileName));
    } catch (IOException e) {
      if (starting && !Failures.isPassing(e)) {
        throw new IOException(
            "Setting [file] has the value ["
                + fileName
                + "], which cannot be opened: "
                + Failures.reason(e, logFile.path())
                + "; to do: "
                + Failures.remedy(e, logFile.path()),
            e);
      }
      addWarn("Cannot open file [" + fileName + "] yet, trying again with every write.", e);
    }
    setOutputStream(logFile.stream(policies.tell.reports()));
  }

  /**
   * Returns whether events are accepted. For the pipeline's own threads the appender is started
   * until the file is closed, because Logback writes footers only to a started appender.
   */
  @Override
  public boolean isStarted() {
    Core<E> current = core;
    return started
        && (starting || isOwnThread() || current != null && !current.pipeline().isRefusing());
  }

  private boolean isOwnThread() {
    Core<E> current = core;
    return current != null && current.pipeline().isOwnThread();
  }

  /**
   * Requests a rollover and returns at once, since only the deliverer may touch the file. The
   * rollover happens before the first write after all events accepted so far are written; events
   * that are logged after this call may go into the same file. Several calls before that are one
   * rollover. A rollover that fails is tried again a second later.
   */
  @Override
  public void rollover() {
    Core<E> current = core;
    if (isOwnThread()) {
      super.rollover();
    } else if (current != null) {
      policies.ask(current.pipeline().accepted());
    }
  }

  /**
   * Stops the appender: waits up to 30 seconds for compressions, and up to {@code maxFlushTime} for
   * the log file. Events that could not be written by then are saved in the spill and written at
   * the next start, before anything newer.
   */
  @Override
  public synchronized void stop() {
    if (isStarted()) {
      awaitArchived();
      core.stop();
    } else if (core == null && getRollingPolicy() != null) {
      getRollingPolicy().stop(); // Logback has started it before this appender refused to start
    }
  }

  /**
   * Waits for compressions while events are still accepted, as the JVM does not: no daemon waits.
   */
  private void awaitArchived() {
    if (!Thread.currentThread().isDaemon() && getRollingPolicy() instanceof ArchivingPolicy) {
      awaitDelivered(LAST_ROLLOVER);
      ArchivingPolicy.awaitArchived(getRollingPolicy());
    }
  }

  /**
   * Waits until every event accepted so far is in the file, or is lost and counted.
   *
   * @param timeout how long to wait
   * @return false if the timeout has passed, if the appender has stopped first, or if it was never
   *     started
   */
  public boolean awaitDelivered(Duration timeout) {
    Core<E> current = core;
    return current != null && current.pipeline().awaitDelivered(timeout);
  }

  @Override
  public SpillwayMetrics getMetrics() {
    Core<E> current = core;
    return current == null ? SpillwayMetrics.NOT_STARTED : current.metrics();
  }

  /** The methods of the superclass and its policies that the deliverer calls. */
  private final class Policies implements LogFileSink.Rolling, Pipeline.SinkState {
    private final Tell tell;
    private volatile boolean inPolicy;
    private final AtomicLong asked = new AtomicLong(NOT_ASKED); // events to be written before

    Policies(Tell tell) {
      this.tell = tell;
    }

    void ask(long accepted) {
      asked.accumulateAndGet(accepted, Math::max);
    }

    @Override
    public boolean isTriggering(File activeFile) {
      return isAskedNow() || getTriggeringPolicy().isTriggeringEvent(activeFile, null);
    }

    private boolean isAskedNow() {
      long target = asked.get();
      return target != NOT_ASKED && core.pipeline().isSettled(target);
    }

    @Override
    public boolean rollover() {
      long mine = isAskedNow() ? asked.get() : NOT_ASKED;
      FlightEvents.Span span = tell.flightEvents().rollover();
      String old = logFile.path().toString(); // without <file> the next file has another name
      long bytes = logFile.length();
      inPolicy = true;
      try {
        SpillwayRollingFileAppender.super.rollover();
        boolean failed = ArchivingPolicy.hasFailed(getRollingPolicy());
        if (!failed) {
          asked.compareAndSet(mine, NOT_ASKED); // else another one was asked for meanwhile
        }
        return !failed;
      } finally {
        inPolicy = false;
        span.rolledOver(old, bytes);
        if (getOutputStream() == null) { // a policy threw while the file was closed
          setOutputStream(logFile.stream(tell.reports()));
        }
      }
    }

    @Override
    public void written(int count) {
      LengthCounter counter = getTriggeringPolicy().getLengthCounter();
      if (counter != null) {
        counter.add(count);
      }
    }

    @Override
    public void close() {
      inPolicy = true;
      try {
        SpillwayRollingFileAppender.super.stop();
      } finally {
        started = false;
        logFile.close();
        inPolicy = false;
      }
    }

    @Override
    public boolean isInPolicy() {
      return inPolicy;
    }

    @Override
    public ArchiveMetrics archives() {
      return ArchivingPolicy.metricsOf(SpillwayRollingFileAppender.this);
    }
  }
}
