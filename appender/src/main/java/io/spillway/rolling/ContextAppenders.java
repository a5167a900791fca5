package io.spillway.rolling;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.spi.AppenderAttachable;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The file appenders of a context, as far as they can be found: those of its loggers or, as in an
 * access log's, its own, and those nested in them; while a configuration is being read, none. Those
 * of a {@code SiftingAppender} are left out: it starts and stops them under the lock that listing
 * them takes, and a stop may wait for the thread that asks here.
 */
final class ContextAppenders {
  private final Set<Appender<?>> all = new LinkedHashSet<>();

  private ContextAppenders() {}

  /** Those that are started. */
  static Set<FileAppender<?>> started(Context context) {
    ContextAppenders found = new ContextAppenders();
    if (context instanceof LoggerContext loggers) {
      loggers.getLoggerList().forEach(found::addNestedIn);
    } else if (context instanceof AppenderAttachable<?> parent) {
      found.addNestedIn(parent);
    }
    Set<FileAppender<?>> files = new LinkedHashSet<>();
    for (Appender<?> appender : found.all) {
      if (appender instanceof FileAppender<?> file && file.isStarted()) {
        files.add(file);
      }
    }
    return files;
  }

  private void addNestedIn(AppenderAttachable<?> parent) {
    Iterator<? extends Appender<?>> nested = parent.iteratorForAppenders();
    while (nested.hasNext()) {
      Appender<?> appender = nested.next();
      if (all.add(appender) && appender instanceof AppenderAttachable<?> next) {
        addNestedIn(next);
      }
    }
  }
}
