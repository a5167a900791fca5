package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The logging library behind SLF4J: the operations of a trial that depend on the library. */
interface LoggingSystem {

  /** Returns the library that SLF4J finds; it is configured as by an application's first logger. */
  static LoggingSystem current() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    return factory instanceof LoggerContext context
        ? new LogbackSystem(context)
        : new Log4j2System();
  }

  /** Returns the errors that the library reports about its configuration. */
  List<String> errors();

  /** Returns a message if the library's log files do not match a target, or null if they do. */
  default String elsewhere(LoadSpec.Target target) {
    return null;
  }

  /** Returns the first warnings and errors so far. */
  List<String> problems();

  /** Returns an action that rolls over the target's file once, unless that rolls by itself. */
  Runnable rollover(LoadSpec.Target target);

  /** Stops the library, as an application does at its end. */
  void stop();
}
