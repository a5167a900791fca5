package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.status.StatusData;
import org.apache.logging.log4j.status.StatusListener;
import org.apache.logging.log4j.status.StatusLogger;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The logging library behind SLF4J: the operations of a trial that depend on the library. */
interface LoggingSystem {

  int PROBLEMS_SHOWN = 20;

  /** Returns the library that SLF4J finds; it is configured as by an application's first logger. */
  static LoggingSystem current() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    return factory instanceof LoggerContext context ? new LogbackSystem(context) : new Log4j2();
  }

  /** Returns the first errors so far, with warnings or without. */
  List<String> problems(boolean warnings);

  /** Returns a message if the library's log files do not match a target, or null if they do. */
  default String elsewhere(LoadSpec.Target target) {
    return null;
  }

  /** Returns an action that rolls over the target's file, unless that rolls by itself. */
  default Runnable rollover(LoadSpec.Target target) {
    return () -> {};
  }

  /** Stops the library, as an application does at its end. */
  void stop();

  /** Log4j 2. */
  final class Log4j2 implements LoggingSystem, StatusListener {

    private final Queue<StatusData> statuses = new ConcurrentLinkedQueue<>();

    /** Loads the configuration. */
    Log4j2() {
      StatusLogger.getLogger().registerListener(this);
      LogManager.getContext(false);
    }

    @Override
    public List<String> problems(boolean warnings) {
      Level least = warnings ? Level.WARN : Level.ERROR;
      return statuses.stream()
          .filter(status -> status.getLevel().isMoreSpecificThan(least))
          .limit(PROBLEMS_SHOWN)
          .map(StatusData::getFormattedStatus)
          .toList();
    }

    @Override
    public void stop() {
      LogManager.shutdown(LogManager.getContext(false));
    }

    @Override
    public void log(StatusData status) {
      statuses.add(status);
    }

    @Override
    public Level getStatusLevel() {
      return Level.WARN;
    }

    @Override
    public void close() {}
  }
}
