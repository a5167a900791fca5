package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import java.util.List;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The logging library behind SLF4J, as far as a trial has to know which it is. */
interface LoggingSystem {

  /** The one that SLF4J has found. It is configured then, as by an application's first logger. */
  static LoggingSystem current() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    return factory instanceof LoggerContext context
        ? new LogbackSystem(context)
        : new Log4j2System();
  }

  /** What it says against its configuration. */
  List<String> errors();

  /** What is wrong if its files are none that belong to a target; else null. */
  default String elsewhere(LoadSpec.Target target) {
    return null;
  }

  /** Its warnings and errors so far, the first of them. */
  List<String> problems();

  /** Its queues. */
  BufferWatch buffers();

  /** Rolls its file over the first time it runs, unless that does so by itself. */
  Runnable rollover(LoadSpec.Target target);

  /** Stops it, as an application does at its end. */
  void stop();
}
