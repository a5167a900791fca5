package io.spillway.stress.sandbox;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.util.StringUtil;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.load.Child;
import io.spillway.stress.load.ThreadContext;
import io.spillway.stress.report.Json;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * Main class of a forked JVM that interprets a configuration in the sandbox, logs a few events, and
 * writes {@link Findings}.
 */
public final class Probe {
  private static final int MOST_EVENTS = 100;
  private static final int LEAST_EVENTS = 10;
  private static final int ENOUGH_BYTES = 1_000_000; // few enough that hardly any file rolls over
  private static final long PAUSE_NANOS = 1_000_000;
  private static final long PATIENCE_NANOS = 10_000_000_000L; // for all of them
  private static final int REFUSED = 12;
  private static final int FAILED = 1;

  private Probe() {}

  /**
   * Returns the number of events that the probe logs, from one thread.
   *
   * @param messageBytes least length of each message
   */
  public static int events(int messageBytes) {
    return Math.max(LEAST_EVENTS, Math.min(MOST_EVENTS, ENOUGH_BYTES / (messageBytes + 1)));
  }

  /**
   * Interprets the configuration that system properties name.
   *
   * @param arguments the file for the findings, the logger that the load will use, bytes of its
   *     messages
   */
  public static void main(String[] arguments) {
    try {
      look(arguments);
    } catch (Throwable e) {
      e.printStackTrace();
      Child.exit(FAILED);
    }
  }

  private static void look(String[] arguments) throws IOException {
    Child.endWithParent();
    String complaint = LogbackCheck.complaint();
    if (complaint != null) {
      refuse(complaint);
    }
    Child.beginOthers();
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Logger logger = context.getLogger(arguments[1]);
    SandboxSession session = SandboxConfigurator.sessionOf(context);
    if (session == null) {
      refuse("Logback has not asked the sandbox how to configure itself");
    }
    int messageBytes = Integer.parseInt(arguments[2]);
    ThreadContext.enter();
    LogFiles found = LogFiles.of(logger, session);
    int events = problems(context, Status.ERROR).isEmpty() ? events(messageBytes) : 0; // refused
    List<AsyncAppenderBase<?>> queues = queues(context);
    long patience = System.nanoTime() + PATIENCE_NANOS;
    for (int i = 0; i < events; i++) {
      try {
        LogLine.log(logger, 0, i, messageBytes, true);
      } catch (Throwable thrown) {
        Thread.onSpinWait(); // a trial judges exceptions of log calls
      }
      awaitRoom(queues, patience);
    }
    Findings findings =
        new Findings(
            problems(context, Status.ERROR),
            problems(context, Status.WARN),
            logger.isInfoEnabled(),
            found.files(),
            session.outside(),
            session.counted(),
            session.notes(),
            session.redirections());
    context.stop();
    Json.write(Path.of(arguments[0]), findings);
    Child.exit(0);
  }

  private static List<AsyncAppenderBase<?>> queues(LoggerContext context) {
    List<AsyncAppenderBase<?>> queues = new ArrayList<>();
    for (Appender<?> appender : Appenders.of(context)) {
      if (appender instanceof AsyncAppenderBase<?> async && async.isStarted()) {
        queues.add(async);
      }
    }
    return queues;
  }

  /**
   * Waits until queues are empty before the next event is logged. The first event takes long, as
   * classes are loaded for it, and a queue that fills up meanwhile may discard the others, and a
   * filter would seem to have denied those.
   */
  private static void awaitRoom(List<AsyncAppenderBase<?>> queues, long untilNanos) {
    do {
      LockSupport.parkNanos(PAUSE_NANOS); // also for queues of unknown classes
    } while (queues.stream().anyMatch(queue -> queue.getNumberOfElementsInQueue() > 0)
        && untilNanos - System.nanoTime() > 0);
  }

  private static void refuse(String complaint) {
    System.err.println(complaint);
    Child.exit(REFUSED);
  }

  private static List<String> problems(LoggerContext context, int level) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() == level)
        .map(Probe::text)
        .distinct()
        .toList();
  }

  /**
   * Returns a status message with its root cause, but without its origin: the owner of a
   * configuration knows neither Logback's classes nor the sandbox's.
   */
  private static String text(Status status) {
    Throwable cause = status.getThrowable();
    while (cause != null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause == null ? status.getMessage() : status.getMessage() + ": " + cause;
  }

  /**
   * Refuses a Logback before 1.5 in a user's class path, before any logger is created: it would
   * search for a configuration itself first, and open the files of the application.
   */
  static final class LogbackCheck {
    private LogbackCheck() {}

    /** Returns the reason for refusal, or null if there is none. */
    static String complaint() {
      // With an old Logback, newer classes are found behind its jars, in those of the harness.
      return isFrom(ContextAware.class, StringUtil.class)
              && isFrom(LoggerContext.class, ConfiguratorRank.class)
          ? null
          : "the Logback of --classpath ("
              + source(LoggerContext.class)
              + ", "
              + source(ContextAware.class)
              + ") is too old for the sandbox; allowed: 1.5 or newer";
    }

    private static boolean isFrom(Class<?> old, Class<?> newer) {
      return source(old).equals(source(newer));
    }

    private static String source(Class<?> type) {
      URL location = type.getProtectionDomain().getCodeSource().getLocation();
      return location.toString();
    }
  }
}
