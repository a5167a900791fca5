package io.spillway.stress.sandbox;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.model.PropertiesConfiguratorModel;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.load.Child;
import io.spillway.stress.report.Json;
import io.spillway.stress.verify.LogLine;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * Main class of a forked JVM that interprets a configuration in the sandbox, logs a few events, and
 * writes {@link Findings}.
 */
public final class Probe {
  /** The number of events that the probe logs, from one thread: few enough for a small queue. */
  public static final int EVENTS = 10;

  private static final long PAUSE_NANOS = 10_000_000; // in which a queue hands an event on
  private static final int FAILED = 1;

  private Probe() {}

  /**
   * Interprets the configuration that the system property names.
   *
   * @param arguments the file for the findings, the logger that the load will use, bytes of its
   *     messages
   */
  public static void main(String[] arguments) {
    try {
      Child.endWithParent();
      Findings findings = findings(arguments[1], Integer.parseInt(arguments[2]));
      Json.write(Path.of(arguments[0]), findings);
      Child.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      Child.exit(FAILED);
    }
  }

  private static Findings findings(String loggerName, int messageBytes) {
    String tooOld = tooOld();
    if (tooOld != null) {
      return new Findings(tooOld, List.of(), List.of());
    }
    Child.beginOthers();
    Logger logger = (Logger) LoggerFactory.getLogger(loggerName);
    LoggerContext context = logger.getLoggerContext();
    Sandbox sandbox = SandboxConfigurator.of(context);
    if (sandbox.refusal() == null) {
      Child.enterMdc();
      log(logger, messageBytes);
    }
    List<String> notes = new ArrayList<>(sandbox.notes());
    Problems problems = Problems.of(context, sandbox.spec().root());
    problems.all().forEach(problem -> notes.add("Logback reports: " + problem));
    List<Findings.LogFile> files = files(context, sandbox);
    String refusal = sandbox.refusal() == null ? problems.remedy() : sandbox.refusal();
    if (refusal == null && files.isEmpty() && problems.error() != null) {
      refusal = "Logback reports: " + problems.error() + "; mend that in the file";
    } else if (refusal == null && !logger.isInfoEnabled()) {
      refusal = "logger [" + loggerName + "] does not log INFO; choose another with --logger";
    }
    Findings findings = new Findings(refusal, notes, files);
    context.stop();
    return findings;
  }

  /**
   * Returns why a Logback of the user's class path is refused, or null. It is looked at before any
   * logger is created: an old one would search for a configuration itself, and open the files of
   * the application. Classes that it lacks are found behind its jars, in those of the harness.
   */
  private static String tooOld() {
    URL own = source(LoggerContext.class);
    return own.equals(source(PropertiesConfiguratorModel.class))
        ? null
        : "the Logback of --classpath (" + own + ") is too old; name 1.5.8 or newer there";
  }

  private static URL source(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private static void log(Logger logger, int messageBytes) {
    for (int i = 0; i < EVENTS; i++) {
      try {
        LogLine.log(logger, 0, i, messageBytes, true);
      } catch (Throwable thrown) {
        Thread.onSpinWait(); // a trial judges exceptions of log calls
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** Returns the files of all appenders that have started. */
  static List<Findings.LogFile> files(LoggerContext context, Sandbox sandbox) {
    List<Logger> loggers = new ArrayList<>(context.getLoggerList());
    Collections.reverse(loggers); // the root is the first
    return Appenders.of(loggers).stream()
        .filter(appender -> appender instanceof FileAppender<?> && appender.isStarted())
        .map(appender -> file((FileAppender<ILoggingEvent>) appender, sandbox))
        .toList();
  }

  private static Findings.LogFile file(FileAppender<ILoggingEvent> file, Sandbox sandbox) {
    RollingPolicy rolling = null;
    long size = 0;
    if (file instanceof RollingFileAppender<ILoggingEvent> roller) {
      rolling = roller.getRollingPolicy();
      Object naming =
          rolling instanceof TimeBasedRollingPolicy<?> timeBased
              ? timeBased.getTimeBasedFileNamingAndTriggeringPolicy()
              : null;
      size = sandbox.sizeOf(roller.getTriggeringPolicy(), rolling, naming);
    }
    return new Findings.LogFile(
        file.getName(),
        file.getClass().getName(),
        sandbox.relative(file.getFile()),
        rolling == null || file.rawFileProperty() != null,
        rolling == null ? null : sandbox.relative(Appenders.fileNamePattern(rolling)),
        size);
  }
}
