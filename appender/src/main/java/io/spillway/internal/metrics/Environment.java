package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import ch.qos.logback.core.spi.ConfigurationEventListener;
import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Properties;

/**
 * Tells whether the libraries on the class path have what is called of them, before the first call
 * that they lack. A version that a jar names decides nothing, for a jar of a whole application
 * names its own: it is only shown.
 */
public final class Environment {
  private static final String LOGBACK = "ch.qos.logback/logback-";

  private Environment() {}

  /**
   * Whether a type has a method. Not by a method reference, which spins a class for each.
   *
   * @param type that is called
   * @param name of the method
   * @param returned by it
   * @param parameters of it
   * @return false if a call could not be linked
   */
  public static boolean hasMethod(
      Class<?> type, String name, Class<?> returned, Class<?>... parameters) {
    try {
      return type.getMethod(name, parameters).getReturnType() == returned;
    } catch (NoSuchMethodException | LinkageError missing) {
      return false;
    }
  }

  /**
   * Whether Logback counts what is written, for its own policies; since 1.5.8.
   *
   * @return false if a policy cannot be told
   */
  public static boolean countsLength() {
    try {
      return hasMethod(TriggeringPolicy.class, "getLengthCounter", LengthCounter.class);
    } catch (LinkageError missing) {
      return false;
    }
  }

  /**
   * Whether the Logback has what appenders and policies of any events need. If not, adds an error.
   *
   * @param component that is to start
   * @return false if it must not start
   */
  public static boolean hasLogbackCore(ContextAware component) {
    return has(component, hasLogbackCore());
  }

  private static boolean hasLogbackCore() {
    try {
      return hasMethod(DateTokenConverter.class, "getZoneId", ZoneId.class)
          && hasMethod(
              Context.class,
              "addConfigurationEventListener",
              void.class,
              ConfigurationEventListener.class)
          && hasMethod(
              RollingCalendar.class,
              "getEndOfNextNthPeriod",
              Instant.class,
              Instant.class,
              int.class);
    } catch (LinkageError missing) { // a type
      return false;
    }
  }

  /**
   * If the Logback lacks something, adds an error.
   *
   * @param component that is to start
   * @param found whether it has what is needed
   * @return the same
   */
  public static boolean has(ContextAware component, boolean found) {
    return found
        || refused(
            component,
            "logback-core "
                + version(LOGBACK + "core")
                + ", logback-classic "
                + version(LOGBACK + "classic")
                + " and slf4j-api "
                + version("org.slf4j/slf4j-api"),
            "Logback 1.4.14 or newer with SLF4J 2",
            "raise the versions of logback-core and logback-classic, both to the same, and of"
                + " slf4j-api");
  }

  /**
   * Adds an error about libraries.
   *
   * @param component that does not start
   * @param found names and versions
   * @param needed the same
   * @param remedy what to do
   * @return false
   */
  public static boolean refused(
      ContextAware component, String found, String needed, String remedy) {
    component.addError(
        "On the class path: "
            + found
            + "; needed: "
            + needed
            + ". To do: "
            + remedy
            + ". Not started.");
    return false;
  }

  /**
   * The version of a library, as its jar names it.
   *
   * @param artifact group and name, with a slash between
   * @return never null
   */
  public static String version(String artifact) {
    Properties properties = new Properties();
    String pom = "/META-INF/maven/" + artifact + "/pom.properties";
    try (InputStream in = ContextAware.class.getResourceAsStream(pom)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException | IllegalArgumentException unreadable) {
      properties.clear(); // shown as unknown
    }
    return properties.getProperty("version", "of an unknown version");
  }
}
