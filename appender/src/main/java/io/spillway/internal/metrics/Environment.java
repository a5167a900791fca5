package io.spillway.internal.metrics;

import ch.qos.logback.core.spi.ContextAware;
import java.security.CodeSource;
import java.util.Arrays;

/**
 * Checks the libraries on the class path before the first call of something that they lack. Types
 * and methods decide, not the version that a jar names: that may be of a whole application.
 */
public final class Environment {
  private static final String LOGBACK = "ch.qos.logback.";
  private static final String EVENT = LOGBACK + "classic.spi.ILoggingEvent";
  private static final String DISRUPTOR = "com.lmax.disruptor.";

  private Environment() {}

  /** Returns whether Logback, SLF4J and Disruptor have what is needed; else tells what to take. */
  public static boolean suffices(ContextAware component) {
    boolean logback =
        has(LOGBACK + "core.rolling.TriggeringPolicy", "getLengthCounter") // since 1.5.8
            && has(EVENT, "getKeyValuePairs") // logback-classic fits it
            && has(LOGBACK + "classic.spi.IThrowableProxy", "isCyclic")
            && has("org.slf4j.spi.LoggingEventBuilder", "log"); // SLF4J 2
    boolean disruptor = has(DISRUPTOR + "RewindableException", "getMessage"); // since 4.0
    if (!logback) {
      component.addError(
          "Needed: Logback 1.5.8 or newer with SLF4J 2. On the class path: "
              + jar(LOGBACK + "core.spi.ContextAware")
              + jar(EVENT)
              + jar("org.slf4j.Logger")
              + "too old, or of different versions. To do: take logback-core and logback-classic of"
              + " one version, 1.5.8 or newer, with slf4j-api 2.0.16 or newer; Spring Boot 3.3.4 and"
              + " newer have them. Not started.");
    } else if (!disruptor) {
      component.addError(
          "Needed: LMAX Disruptor 4. On the class path: "
              + jar(DISRUPTOR + "Sequence")
              + "too old or missing. To do: add com.lmax:disruptor 4.0.0. Not started.");
    }
    return logback && disruptor;
  }

  private static boolean has(String type, String method) {
    try {
      return Arrays.stream(load(type).getMethods()).anyMatch(m -> m.getName().equals(method));
    } catch (ClassNotFoundException | LinkageError missing) {
      return false;
    }
  }

  private static String jar(String type) {
    try {
      CodeSource source = load(type).getProtectionDomain().getCodeSource();
      return source == null ? "" : source.getLocation() + ", ";
    } catch (ClassNotFoundException | LinkageError | SecurityException missing) {
      return "";
    }
  }

  private static Class<?> load(String type) throws ClassNotFoundException {
    return Class.forName(type, false, Environment.class.getClassLoader());
  }
}
