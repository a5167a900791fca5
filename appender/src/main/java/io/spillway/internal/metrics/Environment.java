package io.spillway.internal.metrics;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import com.lmax.disruptor.RewindableException;
import com.lmax.disruptor.Sequence;
import java.security.CodeSource;
import java.util.Arrays;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Checks the libraries on the class path before the first call of something that they lack. Types
 * and methods decide, not the version that a jar names: the jar of a whole application names its
 * own. So the message names the jars.
 */
public final class Environment {
  private Environment() {}

  /**
   * Returns whether Logback, SLF4J and Disruptor have what an appender or policy needs to start.
   * Adds one error status that names what to take if not.
   */
  public static boolean suffices(ContextAware component) {
    boolean logback =
        has(() -> TriggeringPolicy.class, "getLengthCounter") // since 1.5.8
            && has(() -> ILoggingEvent.class, "getKeyValuePairs") // logback-classic fits it
            && has(() -> IThrowableProxy.class, "isCyclic")
            && has(() -> LoggingEventBuilder.class, "log"); // SLF4J 2
    boolean disruptor = has(() -> RewindableException.class, "getMessage"); // since 4.0
    if (!logback) {
      component.addError(
          "Needed: Logback 1.5.8 or newer with SLF4J 2. On the class path: "
              + jar(() -> ContextAware.class)
              + jar(() -> ILoggingEvent.class)
              + jar(() -> Logger.class)
              + "too old, or of different versions. To do: take logback-core and logback-classic of"
              + " one version, 1.5.8 or newer, with slf4j-api 2.0.16 or newer; Spring Boot 3.3.4 and"
              + " newer have them. Not started.");
    } else if (!disruptor) {
      component.addError(
          "Needed: LMAX Disruptor 4. On the class path: "
              + jar(() -> Sequence.class)
              + "too old or missing. To do: add com.lmax:disruptor 4.0.0. Not started.");
    }
    return logback && disruptor;
  }

  private static boolean has(Supplier<Class<?>> type, String method) {
    try {
      return Arrays.stream(type.get().getMethods()).anyMatch(m -> m.getName().equals(method));
    } catch (LinkageError missing) {
      return false;
    }
  }

  private static String jar(Supplier<Class<?>> type) {
    try {
      CodeSource source = type.get().getProtectionDomain().getCodeSource();
      return source == null ? "" : source.getLocation() + ", ";
    } catch (LinkageError | SecurityException missing) {
      return "";
    }
  }
}
