package io.spillway.stress.sandbox;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.model.PropertiesConfiguratorModel;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.status.Status;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.load.Child;
import io.spillway.stress.report.Json;
import io.spillway.stress.verify.LogLine;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;

/**
 * Main class of a forked JVM that interprets a configuration in the sandbox, logs a few events, and
 * writes {@link Findings}.
 */
public final class Probe {
  /** The number of events that the probe logs, from one thread: few enough for a small queue. */
  public static final int EVENTS = 10;

  private static final long PAUSE_NANOS = 10_000_000; // in which a queue hands an event on

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

  /** Takes the file for the findings, the logger of the load, and the bytes of its messages. */
  public static void main(String[] arguments) {
    try {
      Child.endWithParent();
      Findings findings = findings(arguments[1], Integer.parseInt(arguments[2]));
      Json.write(Path.of(arguments[0]), findings);
      Child.exit(0);
    } catch (Throwable e) {
      e.printStackTrace();
      Child.exit(1);
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
      Child.enterMdc();
      log(logger, messageBytes);
    }
    List<String> notes = new ArrayList<>(sandbox.notes());
    Problems problems = Problems.of(context, sandbox.spec.root());
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

  /**
   * What Logback reports about a configuration. Messages come without their origin: the owner of a
   * configuration knows neither Logback's classes nor the sandbox's.
   *
   * @param error the first error, or null
   * @param all each error and each notable warning once
   * @param remedy what to do about the first error that an option of the tester mends, or null
   */
  private record Problems(String error, List<String> all, String remedy) {
    private static final Pattern UNDEFINED = Pattern.compile("([\\w.-]+)_IS_UNDEFINED");

    private static final Pattern NOT_INCLUDED =
        Pattern.compile("Could not find resource corresponding to \\[([^]]*)]");

    /** Logback 1.5 leaves out such an element without Janino, Logback 1.6 always. */
    private static final Pattern UNEVALUATED =
        Pattern.compile("Could not find Janino|'condition' attribute in <if>");

    /** Warnings that say which appender gets no events, and which part is left out. */
    private static final Pattern NOTABLE =
        Pattern.compile(
            "Ignoring additional appender|could not be found. Skipping attachment|<if> element");

    static Problems of(Context context, String root) {
      String first = null;
      Set<String> all = new LinkedHashSet<>();
      String remedy = null;
      List<Status> statuses = context.getStatusManager().getCopyOfStatusList();
      boolean evaluated = statuses.stream().anyMatch(s -> s.getMessage().startsWith("Condition ["));
      for (Status status : statuses) {
        Throwable cause =
            Stream.iterate(status.getThrowable(), Objects::nonNull, Throwable::getCause)
                .reduce((outer, inner) -> inner)
                .orElse(null);
        String message = status.getMessage() + (cause == null ? "" : ": " + cause);
        String text = message.replace(root, ""); // paths as the owner knows them
        boolean error =
            status.getEffectiveLevel() == Status.ERROR
                || NOT_INCLUDED.matcher(text).find()
                || !evaluated && UNEVALUATED.matcher(text).find();
        if (error || NOTABLE.matcher(text).find()) {
          all.add(text);
        }
        if (error) {
          first = first == null ? text : first;
          remedy = remedy == null ? remedy(text, cause) : remedy;
        }
      }
      return new Problems(first, List.copyOf(all), remedy);
    }

    private static String remedy(String error, Throwable cause) {
      Matcher undefined = UNDEFINED.matcher(error);
      if (undefined.find()) {
        return "the variable %s has no value; give it one with --property %<s=VALUE"
            .formatted(undefined.group(1));
      }
      Matcher included = NOT_INCLUDED.matcher(error);
      if (included.find()) {
        return "it includes " + included.group(1) + "; name the jar that has it with --classpath";
      }
      if (UNEVALUATED.matcher(error).find()) {
        return "its <if condition=...> needs Janino and a Logback before 1.6; name the jars of both"
            + " with --classpath";
      }
      if (cause instanceof ClassNotFoundException || cause instanceof NoClassDefFoundError) {
        String missing = String.valueOf(cause.getMessage()).replace('/', '.');
        return cause instanceof NoClassDefFoundError && missing.startsWith("ch.qos.logback.")
            ? otherLogback(cause)
            : "it needs the class " + missing + "; name the jar that has it with --classpath";
      }
      return cause instanceof IncompatibleClassChangeError ? otherLogback(cause) : null;
    }

    private static String otherLogback(Throwable thrown) {
      return atFault(thrown)
          + " was made for another Logback ("
          + thrown
          + "); name the jars of that Logback, 1.5.8 or newer, with --classpath";
    }

    /**
     * Returns the innermost class on the stack that is not Logback's, and its jar if it is known.
     */
    private static String atFault(Throwable thrown) {
      return Stream.of(thrown.getStackTrace())
          .map(StackTraceElement::getClassName)
          .filter(
              name ->
                  Stream.of("ch.qos.logback.", "io.spillway.stress.", "java.", "jdk.")
                      .noneMatch(name::startsWith))
          .findFirst()
          .map(name -> name + jar(name))
          .orElse("a library");
    }

    private static String jar(String className) {
      try {
        Class<?> type = Class.forName(className, false, Probe.class.getClassLoader());
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null ? "" : " in " + Path.of(source.getLocation().getPath()).getFileName();
      } catch (ClassNotFoundException | LinkageError e) {
        return "";
      }
    }
  }
}
