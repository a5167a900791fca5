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
import io.spillway.stress.load.ThreadContext;
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
   * What is known of a configuration once Logback has interpreted it.
   *
   * @param refusal why no trial can be made of it and what to do about that; null if one can
   * @param notes what Logback reports, and differences from the configuration as its owner knows it
   * @param files its files, those of the most special loggers first
   */
  public record Findings(String refusal, List<String> notes, List<LogFile> files) {}

  /**
   * A file that a configuration writes.
   *
   * @param appender name of the appender
   * @param type class of the appender
   * @param file the active file, relative to the sandbox
   * @param named whether the active file has a separate name, rather than that of its archive
   * @param fileNamePattern pattern of the archives, relative to the sandbox; null if it never rolls
   *     over
   * @param maxFileSizeBytes size at which it rolls over; 0 if that is not what triggers it
   */
  public record LogFile(
      String appender,
      String type,
      String file,
      boolean named,
      String fileNamePattern,
      long maxFileSizeBytes) {

    /** Returns whether it rolls over. */
    public boolean rolls() {
      return fileNamePattern != null;
    }

    /** Returns whether it rolls over by the clock alone. */
    public boolean rollsByClock() {
      return rolls() && maxFileSizeBytes == 0;
    }
  }

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
    // An old Logback would search for a configuration itself, and open the application's files.
    // Classes that it lacks are found behind its jars, in those of the harness.
    URL own = source(LoggerContext.class);
    if (!own.equals(source(PropertiesConfiguratorModel.class))) {
      return new Findings(
          "the Logback of --classpath (" + own + ") is too old; name 1.5.8 or newer there",
          List.of(),
          List.of());
    }
    Child.beginOthers();
    Logger logger = (Logger) LoggerFactory.getLogger(loggerName);
    LoggerContext context = logger.getLoggerContext();
    Sandbox sandbox = SandboxConfigurator.of(context);
    if (sandbox.refusal() == null) {
      ThreadContext.enter();
      log(logger, messageBytes);
    }
    List<String> notes = new ArrayList<>(sandbox.notes());
    Problems problems = Problems.of(context, sandbox.spec().root());
    problems.all().forEach(problem -> notes.add("Logback reports: " + problem));
    List<LogFile> files = files(context, sandbox);
    String refusal = sandbox.refusal() == null ? problems.remedy() : sandbox.refusal();
    if (refusal == null && files.isEmpty() && problems.error() != null) {
      refusal = "Logback reports: " + problems.error() + "; mend that in the file";
    } else if (refusal == null && !logger.isInfoEnabled()) {
      refusal = "logger [" + loggerName + "] does not log INFO; choose another with --logger";
    }
    context.stop();
    return new Findings(refusal, notes, files);
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
  static List<LogFile> files(LoggerContext context, Sandbox sandbox) {
    List<Logger> loggers = new ArrayList<>(context.getLoggerList());
    Collections.reverse(loggers); // the root is the first
    return Appenders.of(loggers).stream()
        .filter(appender -> appender instanceof FileAppender<?> && appender.isStarted())
        .map(appender -> file((FileAppender<ILoggingEvent>) appender, sandbox))
        .toList();
  }

  private static LogFile file(FileAppender<ILoggingEvent> file, Sandbox sandbox) {
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
    return new LogFile(
        file.getName(),
        file.getClass().getName(),
        sandbox.relative(file.getFile()),
        rolling == null || file.rawFileProperty() != null,
        rolling == null ? null : sandbox.relative(Appenders.fileNamePattern(rolling)),
        size);
  }
}
