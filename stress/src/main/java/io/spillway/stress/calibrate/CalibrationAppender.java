package io.spillway.stress.calibrate;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Delays and damages events by amounts that it records, which proves that the harness measures
 * them. Apart from these faults it is an ideal asynchronous appender: an unbounded lock-free queue,
 * and one worker that polls. Of every hundred events of application threads, one meets each of the
 * {@code faults}.
 */
public final class CalibrationAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent> {

  private static final int ROUND = 100;

  /**
   * Factor by which the park of the second round exceeds all other waits, so that the longest wait
   * is an intended one, and not one that a busy machine prolonged.
   */
  private static final int LONGEST = 25;

  private static final long POLL_NANOS = 500_000;
  private static final Set<Injected.Fault> DAMAGE =
      EnumSet.of(Injected.Fault.DROP, Injected.Fault.DUPLICATE, Injected.Fault.TEAR);

  private final AppenderAttachableImpl<ILoggingEvent> attached = new AppenderAttachableImpl<>();
  private final Queue<ILoggingEvent> queue = new ConcurrentLinkedQueue<>();
  private final HeldEvents held = new HeldEvents();
  private final Set<Injected.Fault> faults = EnumSet.noneOf(Injected.Fault.class);
  private final Injected injected = new Injected();
  private final KnownWaits waits = new KnownWaits(injected);
  private final Stall stall = new Stall();
  private final AtomicLong events = new AtomicLong();
  private final Thread worker = new Thread(this::deliver, "calibration-worker");
  private long waitNanos;
  private long limit = Long.MAX_VALUE;
  private long fromEvent;
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
    stall.setAfterEvents(events);
  }

  /** Sets the length of the stall in milliseconds. Default: 0. */
  public void setStallMillis(long millis) {
    stall.setMillis(millis);
  }

  /** Sets how many application events of the warm-up precede the first fault. Default: 0. */
  public void setFromEvent(long events) {
    fromEvent = events;
  }

  /** Sets how often each fault may occur. Default: unlimited. */
  public void setLimit(long limit) {
    this.limit = limit;
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
    super.start();
    // loads classes, for which application threads could otherwise wait inside their first calls
    fault(0);
    waits.start();
    worker.setDaemon(true);
    worker.start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    event.prepareForDeferredProcessing();
    String thread = event.getThreadName();
    if (!thread.startsWith("app-")) {
      queue.add(event);
      return;
    }
    while (hanging) {
      LockSupport.park(this);
    }
    waits.park(stall.left(events.get()));
    ILoggingEvent earlier = held.take();
    if (earlier != null) {
      queue.add(event);
      queue.add(earlier);
      injected.count(Injected.Fault.SWAP);
      return;
    }
    long number = events.getAndIncrement() - fromEvent;
    Injected.Fault fault = fault(number);
    boolean longest = fault == Injected.Fault.PARK && number / ROUND == 1;
    commit(fault, event, longest ? LONGEST * waitNanos : waitNanos);
  }

  /** Returns the fault of the event with this number, or null. */
  private Injected.Fault fault(long number) {
    if (number < 0 || number / ROUND >= limit) {
      return null;
    }
    for (Injected.Fault fault : faults) {
      if (fault.slot() == number % ROUND) {
        return fault;
      }
    }
    return null;
  }

  private void commit(Injected.Fault fault, ILoggingEvent event, long nanos) {
    if (fault == Injected.Fault.SWAP) {
      held.hold(event);
      return;
    }
    if (fault == Injected.Fault.TEAR) {
      queue.add(torn(event));
    } else if (fault != Injected.Fault.DROP) {
      queue.add(event);
    }
    if (fault == Injected.Fault.DUPLICATE) {
      queue.add(event);
    }
    if (DAMAGE.contains(fault)) {
      injected.count(fault);
    } else if (fault != null) {
      waits.commit(fault, nanos);
    }
  }

  private ILoggingEvent torn(ILoggingEvent event) {
    String message = event.getFormattedMessage();
    Logger logger = ((LoggerContext) getContext()).getLogger(event.getLoggerName());
    String half = message.substring(0, message.length() / 2);
    LoggingEvent torn =
        new LoggingEvent(getClass().getName(), logger, event.getLevel(), half, null, null);
    torn.setThreadName(event.getThreadName());
    return torn;
  }

  private void deliver() {
    while (isStarted() || !queue.isEmpty()) {
      ILoggingEvent event = queue.poll();
      if (event == null) {
        LockSupport.parkNanos(POLL_NANOS);
      } else {
        attached.appendLoopOnAppenders(event);
      }
    }
  }

  /** Delivers everything, events held back included, and writes the report. */
  @Override
  public void stop() {
    if (!isStarted()) {
      return;
    }
    queue.addAll(held.takeAll());
    super.stop();
    try {
      worker.join();
      if (report != null) {
        injected.write(Path.of(report));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      addError("Interrupted while delivering the last events", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    attached.detachAndStopAllAppenders();
  }

  @Override
  public void addAppender(Appender<ILoggingEvent> appender) {
    attached.addAppender(appender);
  }

  @Override
  public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
    return attached.iteratorForAppenders();
  }

  @Override
  public Appender<ILoggingEvent> getAppender(String name) {
    return attached.getAppender(name);
  }

  @Override
  public boolean isAttached(Appender<ILoggingEvent> appender) {
    return attached.isAttached(appender);
  }

  @Override
  public void detachAndStopAllAppenders() {
    attached.detachAndStopAllAppenders();
  }

  @Override
  public boolean detachAppender(Appender<ILoggingEvent> appender) {
    return attached.detachAppender(appender);
  }

  @Override
  public boolean detachAppender(String name) {
    return attached.detachAppender(name);
  }

  /**
   * Holds back at most one event of each thread until its next one. Lock-free, because the appender
   * must delay its callers only by the intended amounts; even a concurrent map uses monitors.
   */
  static final class HeldEvents {

    private final Queue<AtomicReference<ILoggingEvent>> all = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<AtomicReference<ILoggingEvent>> own =
        ThreadLocal.withInitial(this::register);

    /** Holds back an event of the calling thread. */
    void hold(ILoggingEvent event) {
      own.get().set(event);
    }

    /** Removes and returns the event held back for the calling thread, or null. */
    ILoggingEvent take() {
      return own.get().getAndSet(null);
    }

    /** Removes and returns the events held back for all threads. */
    List<ILoggingEvent> takeAll() {
      List<ILoggingEvent> events = new ArrayList<>();
      for (AtomicReference<ILoggingEvent> slot : all) {
        ILoggingEvent event = slot.getAndSet(null);
        if (event != null) {
          events.add(event);
        }
      }
      return events;
    }

    private AtomicReference<ILoggingEvent> register() {
      AtomicReference<ILoggingEvent> slot = new AtomicReference<>();
      all.add(slot);
      return slot;
    }
  }

  /**
   * Stalls all callers once, until one point in time, as an appender does whose queue is full
   * during a rollover.
   */
  static final class Stall {

    private static final long NOT_BEGUN = 0;

    private final AtomicLong endNanos = new AtomicLong(NOT_BEGUN);
    private long afterEvents = Long.MAX_VALUE;
    private long nanos;

    void setAfterEvents(long events) {
      afterEvents = events;
    }

    void setMillis(long millis) {
      nanos = millis * 1_000_000;
    }

    /**
     * Returns how many nanoseconds the caller must wait after so many events; 0 or less for no
     * wait.
     */
    long left(long events) {
      if (events < afterEvents) {
        return 0;
      }
      long now = System.nanoTime();
      endNanos.compareAndSet(NOT_BEGUN, now + nanos);
      return endNanos.get() - now;
    }
  }
}
