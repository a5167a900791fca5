package io.spillway.stress.calibrate;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.spillway.stress.calibrate.Faults.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Delays and damages events by amounts that it records, which proves that the harness measures
 * them. It passes them on to the appenders of the logger {@value #OUT}, which must not wait. Of
 * every hundred events of application threads, one meets each of the {@code faults}, but those that
 * are for every event.
 */
public final class CalibrationAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

  private static final String OUT = "calibration.out";
  private static final int ROUND = 100;
  private static final int BETWEEN_FAULTS = 10;
  private static final long WAIT_NANOS = 20_000_000;

  /**
   * Factor by which the park of the second round exceeds all other waits, so that the longest wait
   * is an intended one, and not one that a busy machine prolonged.
   */
  private static final int LONGEST = 25;

  private final Set<Kind> kinds = EnumSet.noneOf(Kind.class);
  private final Faults faults = new Faults();
  private final AtomicLong events = new AtomicLong();
  private final AtomicLong stallEndNanos = new AtomicLong();

  /** Events held back until the next one of their thread, without a monitor. */
  private final Queue<AtomicReference<ILoggingEvent>> held = new ConcurrentLinkedQueue<>();

  private final ThreadLocal<AtomicReference<ILoggingEvent>> ownHeld =
      ThreadLocal.withInitial(
          () -> {
            AtomicReference<ILoggingEvent> slot = new AtomicReference<>();
            held.add(slot);
            return slot;
          });

  private Logger out;
  private long fromEvent;
  private long stallAfterEvents;
  private long stallNanos;
  private String report;

  /** Sets the faults: names separated by commas, or {@code none}. Default: none. */
  public void setFaults(String names) {
    for (String name : names.split(",")) {
      if (!name.isBlank() && !name.trim().equalsIgnoreCase("none")) {
        kinds.add(Kind.valueOf(name.trim().toUpperCase(Locale.ROOT)));
      }
    }
  }

  /** Sets after how many application events all application threads stall, once. Default: 0. */
  public void setStallAfterEvents(long events) {
    stallAfterEvents = events;
  }

  /** Sets the length of the stall in milliseconds. Default: 0, no stall. */
  public void setStallMillis(long millis) {
    stallNanos = millis * 1_000_000;
  }

  /** Sets how many application events of the warm-up precede the first fault. Default: 0. */
  public void setFromEvent(long events) {
    fromEvent = events;
  }

  /** Sets the file to which the amounts are written at the end. */
  public void setReport(String report) {
    this.report = report;
  }

  @Override
  public void start() {
    out = ((LoggerContext) getContext()).getLogger(OUT);
    super.start();
    // loads classes, for which application threads could otherwise wait inside their first calls
    fault(0);
    faults.start(kinds);
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (!event.getThreadName().startsWith("app-")) {
      out.callAppenders(event);
      return;
    }
    faults.park(leftOfStall());
    ILoggingEvent earlier = ownHeld.get().getAndSet(null);
    if (earlier != null) {
      out.callAppenders(event);
      out.callAppenders(earlier);
      faults.count(Kind.SWAP);
      return;
    }
    long number = events.getAndIncrement() - fromEvent;
    Kind fault = fault(number);
    if (fault == null) {
      out.callAppenders(event);
      return;
    }
    boolean longest = fault == Kind.PARK && number / ROUND == 1;
    commit(fault, event, longest ? LONGEST * WAIT_NANOS : WAIT_NANOS);
  }

  /**
   * Returns how long the caller must wait, in nanoseconds, as all others must: until one point in
   * time, as with an appender whose queue is full during a rollover.
   */
  private long leftOfStall() {
    if (stallNanos == 0 || events.get() < stallAfterEvents) {
      return 0;
    }
    long now = System.nanoTime();
    stallEndNanos.compareAndSet(0, now + stallNanos);
    return stallEndNanos.get() - now;
  }

  /** Returns the fault of the event with this number, or null. */
  private Kind fault(long number) {
    for (Kind kind : kinds) {
      boolean due = (kind.ordinal() + 1) * BETWEEN_FAULTS == number % ROUND;
      if (number >= 0 && (due || kind.compareTo(Kind.COLLECT) >= 0)) {
        return kind;
      }
    }
    return null;
  }

  private void commit(Kind fault, ILoggingEvent event, long nanos) {
    switch (fault) {
      case DROP -> faults.count(fault);
      case SWAP -> ownHeld.get().set(event);
      case TEAR -> {
        faults.count(fault);
        out.callAppenders(torn(event));
      }
      case DUPLICATE -> {
        faults.count(fault);
        out.callAppenders(event);
        out.callAppenders(event);
      }
      case FORCE -> {
        out.callAppenders(event);
        faults.force(event.getFormattedMessage() + "\n", Path.of(report + ".forced"));
      }
      default -> {
        out.callAppenders(event);
        faults.holdUp(fault, nanos);
      }
    }
  }

  private ILoggingEvent torn(ILoggingEvent event) {
    String message = event.getFormattedMessage();
    String half = message.substring(0, message.length() / 2);
    LoggingEvent torn =
        new LoggingEvent(getClass().getName(), out, event.getLevel(), half, null, null);
    torn.setThreadName(event.getThreadName());
    return torn;
  }

  /** Passes on events held back, and writes the report. */
  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    held.stream().map(AtomicReference::get).filter(Objects::nonNull).forEach(out::callAppenders);
    super.stop();
    try {
      faults.write(Path.of(report));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
