package io.spillway.stress.calibrate;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Delays and damages events by amounts that it records, which proves that the harness measures
 * them. It passes them on to the appenders of the logger {@value #OUT}, which must not wait. Of
 * every hundred events of application threads, one meets each of the {@code faults}.
 */
public final class CalibrationAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

  private static final String OUT = "calibration.out";
  private static final int ROUND = 100;

  /**
   * Factor by which the park of the second round exceeds all other waits, so that the longest wait
   * is an intended one, and not one that a busy machine prolonged.
   */
  private static final int LONGEST = 25;

  private final Set<Injected.Fault> faults = EnumSet.noneOf(Injected.Fault.class);
  private final Injected injected = new Injected();
  private final KnownWaits waits = new KnownWaits(injected);
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
  private long waitNanos;
  private long fromEvent;
  private long stallAfterEvents = Long.MAX_VALUE;
  private long stallNanos;
  private boolean hanging;
  private String report;

  /** Sets the faults: names separated by commas, or {@code none}. Default: none. */
  public void setFaults(String names) {
    for (String name : names.split(",")) {
      if (!name.isBlank() && !name.trim().equalsIgnoreCase("none")) {
        faults.add(Injected.Fault.valueOf(name.trim().toUpperCase(Locale.ROOT)));
      }
    }
  }

  /** Sets the length of each wait but the longest, in milliseconds. Default: 0. */
  public void setWaitMillis(long millis) {
    waitNanos = millis * 1_000_000;
  }

  /** Sets after how many application events all application threads stall, once. Default: never. */
  public void setStallAfterEvents(long events) {
    stallAfterEvents = events;
  }

  /** Sets the length of the stall in milliseconds. Default: 0. */
  public void setStallMillis(long millis) {
    stallNanos = millis * 1_000_000;
  }

  /** Sets how many application events of the warm-up precede the first fault. Default: 0. */
  public void setFromEvent(long events) {
    fromEvent = events;
  }

  /** Sets whether the first log call of every application thread never returns. */
  public void setHanging(boolean hanging) {
    this.hanging = hanging;
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
    waits.start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (!event.getThreadName().startsWith("app-")) {
      out.callAppenders(event);
      return;
    }
    while (hanging) {
      LockSupport.park(this);
    }
    waits.park(leftOfStall());
    ILoggingEvent earlier = ownHeld.get().getAndSet(null);
    if (earlier != null) {
      out.callAppenders(event);
      out.callAppenders(earlier);
      injected.count(Injected.Fault.SWAP);
      return;
    }
    long number = events.getAndIncrement() - fromEvent;
    Injected.Fault fault = fault(number);
    boolean longest = fault == Injected.Fault.PARK && number / ROUND == 1;
    commit(fault, event, longest ? LONGEST * waitNanos : waitNanos);
  }

  /**
   * Returns how long the caller must wait, in nanoseconds, as all others must: until one point in
   * time, as with an appender whose queue is full during a rollover.
   */
  private long leftOfStall() {
    if (events.get() < stallAfterEvents) {
      return 0;
    }
    long now = System.nanoTime();
    stallEndNanos.compareAndSet(0, now + stallNanos);
    return stallEndNanos.get() - now;
  }

  /** Returns the fault of the event with this number, or null. */
  private Injected.Fault fault(long number) {
    for (Injected.Fault fault : faults) {
      if (number >= 0 && fault.slot() == number % ROUND) {
        return fault;
      }
    }
    return null;
  }

  private void commit(Injected.Fault fault, ILoggingEvent event, long nanos) {
    if (fault == null) {
      out.callAppenders(event);
      return;
    }
    switch (fault) {
      case DROP -> injected.count(fault);
      case SWAP -> ownHeld.get().set(event);
      case TEAR -> {
        injected.count(fault);
        out.callAppenders(torn(event));
      }
      case DUPLICATE -> {
        injected.count(fault);
        out.callAppenders(event);
        out.callAppenders(event);
      }
      default -> {
        out.callAppenders(event);
        waits.commit(fault, nanos);
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
    held.stream().map(slot -> slot.getAndSet(null)).forEach(this::passOn);
    super.stop();
    try {
      injected.write(Path.of(report));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void passOn(ILoggingEvent event) {
    if (event != null) {
      out.callAppenders(event);
    }
  }
}
