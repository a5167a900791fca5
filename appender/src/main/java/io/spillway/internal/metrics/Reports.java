package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.ErrorStatus;
import ch.qos.logback.core.status.OnErrorConsoleStatusListener;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Status messages that cannot flood: at most one per topic in {@value #INTERVAL_SECONDS} seconds,
 * and the next one says how many were left out. Counting happens elsewhere and is never limited.
 * Messages never contain event text. Thread-safe.
 *
 * <p>Status listeners are foreign code, so they run on a thread of their own ({@link
 * StatusThread}), one for each logger context. A caller takes no lock, waits for no other thread,
 * and sees no exception from here. A message that is left out costs the caller a count and a
 * reading of the clock.
 */
public final class Reports {
  static {
    Kind.values(); // initializes the enum before memory may be short
  }

  /** The clock {@link System#nanoTime}; one object for all, since each costs a start a class. */
  public static final LongSupplier NANO_TIME = System::nanoTime;

  private static final long INTERVAL_SECONDS = 10;
  private static final long INTERVAL_NANOS = INTERVAL_SECONDS * 1_000_000_000L;

  private final ContextAware origin;
  private final LongSupplier nanoClock;
  private final Map<String, Topic> topics;
  private final boolean inLogCalls;
  private final Topic unlimited = new Topic();
  private volatile StatusThread thread; // of the origin's context; null until that is known

  /**
   * Creates reports that are added through a Logback component.
   *
   * @param origin the appender
   */
  public Reports(ContextAware origin) {
    this(origin, NANO_TIME);
  }

  Reports(ContextAware origin, LongSupplier nanoClock) {
    this(origin, nanoClock, new ConcurrentHashMap<>(), false);
  }

  private Reports(
      ContextAware origin, LongSupplier nanoClock, Map<String, Topic> topics, boolean inLogCalls) {
    this.origin = origin;
    this.nanoClock = nanoClock;
    this.topics = topics;
    this.inLogCalls = inLogCalls;
    thread();
  }

  private StatusThread thread() {
    StatusThread its = thread;
    if (its == null) {
      Context context = origin.getContext();
      its = StatusThread.of(context);
      if (context != null) {
        thread = its;
      }
    }
    return its;
  }

  /**
   * Returns reports for log calls, which never start the status thread: {@link #reportWhatWaits}
   * does.
   *
   * @return reports that share the topics of this object
   */
  public Reports inLogCalls() {
    return new Reports(origin, nanoClock, topics, true);
  }

  /**
   * Reports a status that Logback adds itself on a thread that must run no listener.
   *
   * @param status of the origin
   */
  public void add(Status status) {
    int level = status.getLevel();
    Kind kind = level == Status.ERROR ? Kind.ERROR : level == Status.WARN ? Kind.WARN : Kind.INFO;
    tell(unlimited, kind, status.getMessage(), status.getThrowable(), null);
  }

  /**
   * Reports something normal, without limit; for rare events.
   *
   * @param message what happened
   */
  public void info(String message) {
    tell(unlimited, Kind.INFO, message, null, null);
  }

  /**
   * Reports something normal that may repeat.
   *
   * @param topic messages of one topic share a limit
   * @param message what happened
   */
  public void info(String topic, String message) {
    tell(topic, Kind.INFO, message, null, null);
  }

  /**
   * Reports a warning.
   *
   * @param topic messages of one topic share a limit
   * @param message what happened and what to do
   */
  public void warn(String topic, String message) {
    tell(topic, Kind.WARN, message, null, null);
  }

  /**
   * Reports a warning whose text is made slightly later, from the state at that time.
   *
   * @param topic messages of one topic share a limit
   * @param message what happened and what to do; evaluated by the status thread
   */
  public void warn(String topic, Supplier<String> message) {
    tell(topic, Kind.WARN, message, null, null);
  }

  /**
   * Reports as a warning what foreign code threw. The text of a throwable is foreign code, too: the
   * status thread evaluates it, not the calling thread.
   *
   * @param topic messages of one topic share a limit
   * @param before what failed; the text of the throwable follows
   * @param thrown by foreign code
   * @param behind what it means and what to do
   */
  public void warn(String topic, String before, Throwable thrown, String behind) {
    tell(topic, Kind.WARN, before, thrown, behind);
  }

  /**
   * Reports as an error what foreign code threw; the status thread evaluates its text.
   *
   * @param topic messages of one topic share a limit
   * @param before what failed; the text of the throwable follows
   * @param thrown by foreign code
   * @param behind what it means and what to do
   */
  public void error(String topic, String before, Throwable thrown, String behind) {
    tell(topic, Kind.ERROR, before, thrown, behind);
  }

  /**
   * Returns the text of what foreign code threw. For a thread that may wait for foreign code.
   *
   * @param thrown by foreign code
   * @return the name of its class if its {@code toString()} throws
   */
  public static String text(Throwable thrown) {
    try {
      return thrown.toString();
    } catch (Throwable ofText) {
      return thrown.getClass().getName();
    }
  }

  /**
   * Reports a failure. An {@link IOException} is a warning: it may pass by itself, and an ERROR
   * status ends the start of a Spring Boot application.
   *
   * @param topic messages of one topic share a limit
   * @param message what failed, what it means for events, and what to do
   * @param cause the failure
   */
  public void failure(String topic, String message, Throwable cause) {
    tell(topic, cause instanceof IOException ? Kind.WARN : Kind.ERROR, message, cause, null);
  }

  /**
   * Reports events that were lost in the spill. Events of an earlier run are a warning: no setting
   * is wrong, and an ERROR status ends the start of a Spring Boot application.
   *
   * @param topic messages of one topic share a limit
   * @param message which are lost, why, and what to do
   * @param cause the failure, or null
   * @param leftover whether an earlier run left them
   */
  public void damage(String topic, String message, Throwable cause, boolean leftover) {
    tell(topic, leftover ? Kind.WARN : Kind.ERROR, message, cause, null);
  }

  /**
   * Reports a failure as an error.
   *
   * @param topic messages of one topic share a limit
   * @param message what failed, what it means for events, and what to do
   * @param cause the failure, or null
   */
  public void error(String topic, String message, Throwable cause) {
    tell(topic, Kind.ERROR, message, cause, null);
  }

  /**
   * Reports that a failure is over. The message is limited as others are, but never left out if the
   * failure has been reported since the last such message: else the failure would seem to last.
   *
   * @param topic of the failure
   * @param message what works again
   */
  public void over(String topic, String message) {
    String end = topic.concat(".over");
    Topic failure = topics.get(topic);
    Topic over = topics.get(end);
    if (failure != null && failure.told) {
      failure.told = false;
      if (over != null) {
        over.next.set(Topic.AT_ONCE);
      }
    }
    info(end, message);
  }

  /**
   * Reports events lost at the end, when no one may read status messages any more: without a status
   * listener the message is printed to standard error as well, as Logback's own {@link
   * OnErrorConsoleStatusListener} does.
   *
   * @param message how many, why, and what to do
   */
  public void loss(String message) {
    tell(unlimited, Kind.LOSS, message, null, null);
  }

  /**
   * Reports lost events as {@link #loss(String)} does, where that may repeat.
   *
   * @param topic messages of one topic share a limit
   * @param message why, and what to do
   */
  public void loss(String topic, String message) {
    tell(topic, Kind.LOSS, message, null, null);
  }

  private void printUnlessListened(String message) {
    Context context = origin.getContext();
    if (context == null || !context.getStatusManager().getCopyOfStatusListenerList().isEmpty()) {
      return;
    }
    OnErrorConsoleStatusListener console = new OnErrorConsoleStatusListener();
    console.setRetrospective(0); // earlier messages are not printed
    console.setContext(context);
    console.start();
    console.addStatusEvent(new ErrorStatus(message, origin));
    console.stop();
  }

  /**
   * Waits until everything reported so far in this context has been added to Logback's status
   * messages, a second at most. For code that starts or stops something and whose caller checks
   * these messages next.
   */
  public void flush() {
    thread().flush();
  }

  /**
   * Waits as {@link #flush()} does.
   *
   * @param context the context of the status messages; may be null
   */
  public static void flush(Context context) {
    StatusThread.of(context).flush();
  }

  /**
   * Counts a status as left out, because a listener threw at it on the calling thread. The
   * exception ends there, as on the status thread: a start or stop goes on, and the next report
   * includes the count.
   *
   * @param origin the component whose status it is
   */
  public static void leftOut(ContextAware origin) {
    StatusThread.of(origin.getContext()).leftOut();
  }

  /** Starts status threads for what log calls reported. Called by the watchdog at intervals. */
  public static void reportWhatWaits() {
    StatusThread.startAllNeeded();
  }

  /** Loads the classes that the first message needs. */
  static void rehearse() {
    new Reports(new ContextAwareBase()).new Waiting(null, Kind.INFO, "", null, null).getClass();
  }

  private enum Kind {
    INFO,
    WARN,
    ERROR,
    LOSS
  }

  /**
   * A message that waits for the status thread. Not a lambda: one whose linkage fails with an
   * OutOfMemoryError fails for ever.
   */
  private final class Waiting implements Runnable {
    private final Topic topic;
    private final Kind kind;
    private final Object message; // a text, or a supplier of it
    private final Throwable cause;
    private final String behind; // follows the text of the cause; null to leave that text out

    Waiting(Topic topic, Kind kind, Object message, Throwable cause, String behind) {
      this.topic = topic;
      this.kind = kind;
      this.message = message;
      this.cause = cause;
      this.behind = behind;
    }

    @Override
    public void run() {
      String text =
          (message instanceof Supplier<?> later ? later.get() : message)
              + (behind == null ? "" : text(cause) + behind)
              + similar(topic);
      if (kind == Kind.INFO) {
        origin.addInfo(text, cause);
      } else if (kind == Kind.WARN) {
        origin.addWarn(text, behind == null ? cause : null); // its text is in the message
      } else {
        origin.addError(text, cause);
      }
      if (kind == Kind.LOSS) {
        printUnlessListened(text);
      }
    }
  }

  private void tell(String name, Kind kind, Object message, Throwable cause, String behind) {
    try {
      Topic topic = topics.get(name); // computeIfAbsent would lock
      if (topic == null) {
        topics.putIfAbsent(name, new Topic());
        topic = topics.get(name);
      }
      if (topic.admits(nanoClock.getAsLong())) {
        tell(topic, kind, message, cause, behind);
        topic.told = true;
      } else {
        topic.leftOut.incrementAndGet();
      }
    } catch (Throwable noMemory) {
      leftOut(); // counted in the next message that gets through
    }
  }

  private void tell(Topic topic, Kind kind, Object message, Throwable cause, String behind) {
    try {
      if (!thread().offer(new Waiting(topic, kind, message, cause, behind))) {
        topic.leftOut.incrementAndGet();
      }
      if (!inLogCalls) {
        thread().startIfNeeded();
      }
    } catch (Throwable noMemory) {
      leftOut();
    }
  }

  /** Counts a message left out after an OutOfMemoryError, so it allocates nothing. */
  private void leftOut() {
    StatusThread its = thread;
    if (its != null) {
      its.leftOut();
    }
  }

  private String similar(Topic topic) {
    long count = topic.leftOut.getAndSet(0) + thread().takeLeftOut();
    return count == 0 ? "" : " (" + count + " similar messages left out)";
  }

  private static final class Topic {
    private static final long AT_ONCE = Long.MIN_VALUE;

    private final AtomicLong next = new AtomicLong(AT_ONCE);
    private final AtomicLong leftOut = new AtomicLong();
    private volatile boolean told; // since the last over()

    /** Admits one of the threads that call at the same time. */
    boolean admits(long now) {
      long due = next.get();
      return (due == AT_ONCE || now - due >= 0) && next.compareAndSet(due, now + INTERVAL_NANOS);
    }
  }
}
