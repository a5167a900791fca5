package io.spillway.stress.sandbox;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.StringUtil;
import java.net.URL;

/**
 * Refuses a Logback before 1.5 in somebody's class path, before any logger is asked for: it would
 * look for a configuration by itself first, and open the files of the application.
 */
final class LogbackCheck {
  private LogbackCheck() {}

  /** The complaint, or null if all is well. */
  static String complaint() {
    // New ones are found behind the old jars, in those of the harness.
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
