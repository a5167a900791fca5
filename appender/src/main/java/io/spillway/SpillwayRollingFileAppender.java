package io.spillway;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.DeferredProcessingAware;
import ch.qos.logback.core.spi.FilterReply;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.FlightLog;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.Batcher;
import io.spillway.internal.ring.EncodingBatcher;
import io.spillway.internal.ring.PatternBatcher;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Predecessors;
import io.spillway.internal.sink.LogFile;
import io.spillway.internal.sink.LogFileSink;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillKind;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.ArchivingPolicy;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

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
 * <p>Events are encoded after the log call has returned. The formatted message is fixed in the log
 * call, but an encoder that prints the arguments themselves, such as one for structured JSON,
 * prints a {@code StringBuilder} with the content that it has at that later time. To do: log {@code
 * builder.toString()}.
 *
 * <p>The settings are those of {@link SpillwaySettings} and of {@code RollingFileAppender}. {@code
 * prudent} is refused, since the file must have one writer. {@code bufferSize} and {@code
 * immediateFlush} have no effect: every batch is one write, and a batch is written without waiting
 * for more events. The triggering policy is called once per batch (64 KB and one event at most) and
 * gets {@code null} for the event, which Logback's own policies do not use.
 *
 * @param <E> the type of event
 */
public class SpillwayRollingFileAppender<E> extends RollingFileAppender<E>
    implements SpillwaySettings, MonitoredAppender {
  /** How long a stop waits for a rollover due by the last events; the pipeline waits as well. */
  private static final Duration LAST_ROLLOVER = Duration.ofMillis(200);

  /** How long a stop waits for a policy; Logback's own policies wait as long. */
  private static final long POLICIES_NANOS = 30_000_000_000L;

  private static final long POLL_NANOS = 1_000_000L;

  /**
   * After how many polls without a policy at work a stop returns, so that a slow write can end
   * first. Polls are counted, not time, since the machine may stand still.
   */
  private static final int SLOW_WRITE_LOOKS = 500;

  private final Settings settings = new Settings();
  private final Reports reports = new Reports(this);
  private LogFile logFile = new LogFile(); // of the last start or the current one
  private final OwnedFiles files = new OwnedFiles(this);
  private Counters counters;
  private volatile Pipeline<E> pipeline;
  private volatile PublishGate<E> gate;
  private boolean starting;
  // Whether the file is open; a stop may leave it open while the file takes no writes.
  private volatile boolean open;

  private final Lifecycle<Pipeline<E>> lifecycle = new Lifecycle<>();
  private volatile boolean closing;
  private volatile boolean rolling;
  private volatile boolean rolloverAsked;
  // How many events were accepted when the rollover was requested; stored before the request.
  private volatile long rolloverTarget;

  /** Creates an appender with default settings. Logback sets them, then calls {@link #start()}. */
  public SpillwayRollingFileAppender() {}

  @Override
  public Settings settings() {
    return settings;
  }

  /** Adds a status. On the deliverer a listener could hang or log, so another thread calls it. */
  @Override
  public void addStatus(Status status) {
    Pipeline<E> current = pipeline;
    if (current != null && current.isDelivering()) {
      reports.add(status);
      return;
    }
    try {
      super.addStatus(status);
    } catch (Throwable ofListener) {
      Reports.leftOut(this);
    }
  }

  /**
   * Sets the encoder, which turns events into lines. The encoder is read at {@link #start()}, when
   * the drainer gets a compiled form of it; one that is set while the appender runs takes effect at
   * the next start, and gets a warning.
   *
   * @param encoder encoder of events
   */
  @Override
  public void setEncoder(Encoder<E> encoder) {
    super.setEncoder(encoder);
    if (isStarted()) {
      addWarn(
          "An encoder that is set while the appender ["
              + getName()
              + "] runs acts at its next start. To do: stop and start the appender.");
    }
  }

  /**
   * Checks the settings, opens the file, delivers what an earlier run left in the spill, and begins
   * to accept events. If memory does not suffice for that, this method throws the OutOfMemoryError,
   * keeps no resource, and may be called again.
   */
  @Override
  public void start() {
    if (!lifecycle.mayStart(this)) {
      return;
    }
    Pipeline<E> made = null;
    boolean unwanted;
    try {
      if (open()) {
        made = pipeline;
        made.start(getContext(), getName());
      }
    } finally {
      unwanted = lifecycle.started(made);
    }
    if (unwanted) {
      stop();
    }
  }

  /** Returns false, after an error status with the reason, if the appender cannot start. */
  private boolean open() {
    if (isPolicyRefused() || !Libraries.suffice(this)) {
      return false;
    }
    Settings.Checked checked = settings.check(this);
    if (checked == null || isPrudentRefused() || isFileRefused() || isStillStopping()) {
      return false;
    }
    Attempt attempt = new Attempt();
    try {
      attempt.ready = files.claim() && prepare(checked, attempt) && openAsLogbackDoes();
    } finally {
      if (!attempt.ready) {
        Disk.closeQuietly(attempt);
      }
    }
    return attempt.ready;
  }

  /** The resources of a start that may fail; {@code close()} gives all of them back. */
  private final class Attempt implements Closeable {
    private Spill spill;
    private boolean ready;

    @Override
    public void close() {
      if (spill != null) {
        closeWithoutFooter(); // Logback opens the file before it checks for an encoder
        started = false;
        pipeline = null;
        closeGate();
        spill.close();
      }
      files.release();
    }
  }

  /** Closes the file without a footer, which may throw, and must not follow a failed header. */
  private void closeWithoutFooter() {
    Encoder<E> own = encoder;
    encoder = null;
    try {
      closeOutputStream();
    } finally {
      encoder = own;
    }
  }

  /** Closes the gate of a failed start: log calls wait for nothing, and Logback refuses them. */
  private void closeGate() {
    PublishGate<E> mine = gate;
    if (mine != null) {
      mine.close();
      gate = null;
    }
  }

  /** Returns false, after an error status with the reason, if the appender cannot start. */
  private boolean prepare(Settings.Checked checked, Attempt attempt) {
    warnOfTrigger();
    rolloverAsked = false;
    counters = new Counters(new FlightLog(getContext(), getName()));
    // A new one, since the spill of an earlier start may still query its old one.
    logFile = new LogFile();
    logFile.forcedOnClose(checked.syncNanos() > 0);
    Path file = rawFileProperty() == null ? null : FilePaths.path(rawFileProperty());
    Calls calls = new Calls();
    Spill spill =
        new SpillOpener(counters, reports).open(this, checked, SpillKind.BYTES, file, calls);
    if (spill == null) {
      return false;
    }
    attempt.spill = spill;
    calls.sink =
        new LogFileSink(logFile, new Policies(), counters, reports).besideSpill(spill.directory());
    calls.callerData = checked.includesCallerData(this, getEncoder());
    pipeline =
        new Pipeline<>(
            new Pipeline.Parts<>(
                new PipelineContext(getName(), counters, reports),
                checked,
                new Pipeline.Events<>(batchers(), calls, report(checked)),
                new Pipeline.Destination(
                    calls.sink, BatchCodec.bytes(), new Predecessors.Holding(file, spill), calls)));
    gate = pipeline.gate(); // before Logback's start lets events in
    return true;
  }

  private boolean openAsLogbackDoes() {
    starting = true;
    try {
      super.start();
      open = started;
    } finally {
      starting = false;
    }
    if (!open) {
      reportMissing();
    }
    return open;
  }

  /** Reports missing parts as errors with a remedy; Logback warns of some, and names no remedy. */
  private void reportMissing() {
    TriggeringPolicy<E> trigger = getTriggeringPolicy();
    if (getRollingPolicy() == null) {
      addMissing(
          "rollingPolicy",
          "a policy that renames the file",
          "<rollingPolicy class=\"io.spillway.rolling.SizeAndTimeBasedRollingPolicy\">, which is a"
              + " triggering policy as well");
    } else if (trigger == null) {
      addMissing(
          "triggeringPolicy",
          "a policy that decides when to roll over",
          "<triggeringPolicy class=\"io.spillway.rolling.SizeBasedTriggeringPolicy\"/>, or use the"
              + " rolling policy io.spillway.rolling.SizeAndTimeBasedRollingPolicy, which is both");
    } else if (!trigger.isStarted()) {
      addError(
          "The triggering policy ["
              + trigger.getClass().getName()
              + "] has not started. To do: see the messages above for the reason; from Java, call"
              + " start() of the policy first. The appender is not started.");
    }
    if (getEncoder() == null) {
      addMissing(
          "encoder",
          "an encoder, which makes lines of events",
          "<encoder><pattern>%d [%t] %-5p %c - %m%n</pattern></encoder>");
    }
  }

  private void addMissing(String setting, String allowed, String element) {
    addError(
        ("Setting [" + setting + "] has the value []; allowed: " + allowed)
            + (". To do: add " + element + ". The appender is not started."));
  }

  @SuppressWarnings("unchecked") // it is not null only in a LoggerContext
  private Function<String, E> report(Settings.Checked checked) {
    return (Function<String, E>) (Function<?, ?>) Pipeline.reports(this, checked);
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
    String trouble = rawFileProperty() == null ? null : FilePaths.trouble(rawFileProperty());
    if (trouble == null) {
      return false;
    }
    String told = "Setting [file] has the value [" + rawFileProperty() + "]: " + trouble;
    if (FilePaths.isImpossible(rawFileProperty())) {
      addError(told + ". The appender is not started, correct the configuration.");
      return true;
    }
    addWarn(told);
    return false;
  }

  /** Warns of a triggering policy that may use the event: neither Logback's nor Spillway's. */
  private void warnOfTrigger() {
    TriggeringPolicy<E> policy = getTriggeringPolicy();
    if (policy != null && !isKnown(policy.getClass().getPackageName())) {
      addWarn(
          withoutEvents(policy)
              + ". To do: let it decide by the file and the time, or call rollover() on the"
              + " appender; one that needs events works in a RollingFileAppender nested in a"
              + " SpillwayAppender.");
    }
  }

  private static boolean isKnown(String policyPackage) {
    return policyPackage.startsWith("ch.qos.logback.core.")
        || policyPackage.startsWith("io.spillway.");
  }

  private static String withoutEvents(TriggeringPolicy<?> policy) {
    return "Triggering policy ["
        + policy.getClass().getName()
        + "] is asked once a batch, not once an event, and gets null for the event";
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

  private boolean isStillStopping() {
    if (open) {
      addError(
          "Still stopping, because the file takes no writes. The appender is not started again.");
    }
    return open;
  }

  @SuppressWarnings("unchecked") // a PatternBatcher is made only for an encoder of ILoggingEvent
  private Supplier<Batcher<E>> batchers() {
    Encoder<E> own = getEncoder();
    Supplier<PatternBatcher> patterns = PatternBatcher.forEncoder(own);
    return patterns == null
        ? () -> new EncodingBatcher<>(own)
        : (Supplier<Batcher<E>>) (Supplier<?>) patterns;
  }

  /** Callbacks of the parts. One class, because the JVM generates another for each lambda. */
  private final class Calls implements Preparer<E>, BooleanSupplier, Supplier<ArchiveMetrics> {
    private boolean callerData; // set before the pipeline is made
    private volatile LogFileSink sink; // a thread of the spill may read it before it is set

    @Override
    public void prepare(E event) {
      if (event instanceof DeferredProcessingAware deferred) {
        deferred.prepareForDeferredProcessing();
      }
      if (callerData && event instanceof ILoggingEvent logging) {
        logging.getCallerData();
      }
    }

    @Override
    public Object[] prepareUnformatted(E event, long mostCharacters) {
      return event.getClass() == LoggingEvent.class
          ? Preparer.unformatted((LoggingEvent) event, callerData, mostCharacters)
          : null;
    }

    @Override
    @SuppressWarnings("unchecked") // what accepts an ILoggingEvent accepts Logback's classes
    public E apply(E event) {
      return event instanceof ILoggingEvent logging
          ? (E) EventCodec.withoutForeign(logging)
          : event;
    }

    /** Forces the file, for a thread of the spill; true if a power cut loses nothing delivered. */
    @Override
    public boolean getAsBoolean() {
      LogFileSink started = sink;
      return started != null && started.force();
    }

    @Override
    public ArchiveMetrics get() {
      return ArchivingPolicy.metricsOf(SpillwayRollingFileAppender.this);
    }
  }

  /**
   * Appends without checking Logback's flag: while it is false, the gate takes or counts events.
   */
  @Override
  public void doAppend(E event) {
    PublishGate<E> mine = gate;
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
  protected void append(E event) {
    PublishGate<E> mine = gate;
    if (mine != null) { // null if a start has failed in between
      mine.append(event);
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
      if (starting && !StorageFailures.isPassing(e)) {
        throw new IOException(
            "Setting [file] has the value ["
                + fileName
                + "], which cannot be opened: "
                + StorageFailures.reason(e, logFile.path())
                + "; to do: "
                + StorageFailures.remedy(e),
            e);
      }
      addWarn("Cannot open file [" + fileName + "] yet, trying again with every write.", e);
    }
    setOutputStream(logFile.stream(reports));
  }

  /**
   * Returns whether events are accepted. For the pipeline's own threads the appender is started
   * until the file is closed, and for Logback while it opens the file, because Logback writes
   * headers and footers only to a started appender.
   */
  @Override
  public boolean isStarted() {
    return (open || (starting && started)) && (lifecycle.isWanted() || closing || isOwnThread());
  }

  private boolean isOwnThread() {
    Pipeline<E> current = pipeline;
    return current != null && current.isOwnThread();
  }

  /**
   * Requests a rollover and returns at once, since only the deliverer may touch the file. The
   * rollover happens before the first write after all events accepted so far are written; events
   * that are logged after this call may go into the same file. Several calls before that are one
   * rollover. A rollover that fails is tried again a second later.
   */
  @Override
  public void rollover() {
    Pipeline<E> current = pipeline;
    if (current != null && current.isDelivering()) {
      super.rollover();
    } else if (!rolloverAsked && current != null) {
      rolloverTarget = current.accepted();
      rolloverAsked = true;
    }
  }

  /**
   * Stops the appender: waits up to 30 seconds for compressions, and up to {@code maxFlushTime} for
   * the log file. Events that could not be written by then are saved in the spill and written at
   * the next start, before anything newer.
   */
  @Override
  public void stop() {
    Pipeline<E> running = lifecycle.toStop();
    if (running == null) {
      stopRefused();
      return;
    }
    if (lifecycle.isWanted() && getRollingPolicy() instanceof ArchivingPolicy) {
      awaitArchived(running); // while events are still accepted
    }
    lifecycle.stopping(running);
    try {
      running.stop();
      if (!running.isOwnThread() && !(getRollingPolicy() instanceof ArchivingPolicy)) {
        awaitPolicies(); // an ArchivingPolicy was waited for above
      }
    } finally {
      if (lifecycle.ends(running)) {
        release();
      }
    }
  }

  /**
   * Waits for a policy that is not Spillway's. Logback's own policies compress in a daemon thread,
   * and their stop, which the deliverer calls, waits for that thread; some compress within the
   * rollover, on the deliverer. The JVM's exit ends both threads, so this stop waits for the
   * deliverer, but only while it is in a policy: a file that hangs has had maxFlushTime.
   */
  private void awaitPolicies() {
    long startNanos = System.nanoTime();
    int looks = 0; // polls since a policy was last at work
    while (open
        && looks < SLOW_WRITE_LOOKS
        && !Thread.currentThread().isDaemon()
        && System.nanoTime() - startNanos < POLICIES_NANOS) {
      DetachedThread.pause(this, POLL_NANOS);
      looks = isInPolicy() ? 0 : looks + 1;
    }
  }

  /** Returns whether the deliverer is in a policy, with no file open that could hang. */
  private boolean isInPolicy() {
    return (closing || rolling) && getOutputStream() == null;
  }

  private void release() {
    try {
      files.release();
    } finally {
      lifecycle.ended();
    }
  }

  /** Stops the rolling policy, which Logback has started before this appender refused to start. */
  private void stopRefused() {
    if (pipeline == null && getRollingPolicy() != null && lifecycle.mayStart(null)) {
      try {
        getRollingPolicy().stop();
      } finally {
        lifecycle.started(null);
      }
    }
  }

  private void awaitArchived(Pipeline<?> running) {
    try {
      running.awaitDelivered(LAST_ROLLOVER);
      if (!Thread.currentThread().isDaemon()) {
        ArchivingPolicy.awaitArchived(getRollingPolicy());
      }
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // archives can wait for the next start
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
    Pipeline<E> current = pipeline;
    return current != null && current.awaitDelivered(timeout);
  }

  @Override
  public SpillwayMetrics getMetrics() {
    Pipeline<E> current = pipeline;
    return current == null ? SpillwayMetrics.NOT_STARTED : current.metrics();
  }

  /** The methods of the superclass and its policies that the deliverer calls. */
  private final class Policies implements LogFileSink.Rolling {
    private static final long PAUSE_NANOS = 1_000_000_000L;

    // An Error has cut a rollover short: the active file may be another one now.
    private boolean cutShort;
    private volatile boolean pausing; // a rollover has failed or was refused
    private volatile long pausedNanos;

    @Override
    public boolean isTriggering(File activeFile) {
      return isAskedNow() || isDue(activeFile);
    }

    @Override
    public boolean mayRollOver(File activeFile) {
      if (isPausing()) {
        return false;
      }
      boolean foreign = activeFile.exists() && !activeFile.isFile();
      if (foreign) {
        reports.error(
            "rollover",
            "Cannot roll over ["
                + activeFile
                + "]: it is not a regular file, and stays where it is. To do: move it away.",
            null);
      }
      if (foreign) {
        pause();
        counters.sinkFailure();
      }
      return !foreign;
    }

    @Override
    public void reopen() {
      if (cutShort) {
        openActive();
        cutShort = false;
      }
    }

    private void openActive() {
      try {
        openFile(getRollingPolicy().getActiveFileName());
      } catch (OutOfMemoryError noMemory) {
        throw noMemory; // the caller tries again
      } catch (Throwable e) { // thrown by a policy or an encoder
        reports.warn(
            "reopen", "Cannot open another active file after a rollover that failed: ", e, ".");
      }
    }

    private boolean isAskedNow() {
      return rolloverAsked && pipeline.isSettled(rolloverTarget) && !isPausing();
    }

    private boolean isPausing() {
      return pausing && System.nanoTime() - pausedNanos < PAUSE_NANOS;
    }

    private void pause() {
      pausedNanos = System.nanoTime();
      pausing = true;
    }

    private boolean isDue(File activeFile) {
      try {
        return getTriggeringPolicy().isTriggeringEvent(activeFile, null);
      } catch (NullPointerException e) {
        throw new IllegalStateException(withoutEvents(getTriggeringPolicy()), e);
      }
    }

    @Override
    public boolean rollover() {
      // A rollover whose events are not all written comes later.
      boolean asked = rolloverAsked && pipeline.isSettled(rolloverTarget);
      if (asked) {
        rolloverAsked = false; // from here on a call requests another rollover
      }
      pausing = false;
      cutShort = true;
      rolling = true;
      try {
        SpillwayRollingFileAppender.this.rollover();
        cutShort = false;
      } finally {
        rolling = false;
        if (getOutputStream() == null) { // a policy threw while the file was closed
          setOutputStream(logFile.stream(reports));
        }
      }
      boolean failed = ArchivingPolicy.hasFailed(getRollingPolicy());
      if (asked && failed) {
        pause();
        rolloverAsked = true;
      }
      return !failed;
    }

    @Override
    public void written(byte[] bytes, long fileLength) {
      updateByteCount(bytes);
    }

    private void closed() {
      logFile.close(); // already closed, unless an encoder threw
      open = false;
      closing = false;
    }

    @Override
    public void close() {
      closing = true;
      try {
        SpillwayRollingFileAppender.super.stop();
      } catch (OutOfMemoryError noMemory) {
        throw noMemory; // the deliverer calls again, to do the rest
      } catch (Throwable ofFooter) {
        try {
          closeWithoutFooter();
          // The rest of the stop, which the exception skipped.
          SpillwayRollingFileAppender.super.stop();
        } finally {
          closed();
        }
        throw ofFooter;
      }
      closed();
    }
  }
}
