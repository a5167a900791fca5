package io.spillway.internal.metrics;

import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Checks whether the libraries on the class path have the methods that Spillway calls, before the
 * first call of a missing one. The version that a jar names decides nothing, since the jar of a
 * whole application names its own version; it is only shown.
 */
public final class Environment {
  private static final String LOGBACK = "ch.qos.logback/logback-";

  private Environment() {}

  /**
   * Returns whether a type has a method. Uses no method reference, which spins a class for each.
   *
   * @param type that is called
   * @param name of the method
   * @param returned its return type
   * @param parameters its parameter types
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
   * Returns whether the Logback on the class path has what appenders and policies for any event
   * type need. Adds an error status if not.
   *
   * @param component the component that is to start
   * @return false if it must not start
   */
  public static boolean hasLogbackCore(ContextAware component) {
    return has(component, hasLogbackCore());
  }

  /** Logback's policies count the written bytes since 1.5.8; before, they look once a minute. */
  private static boolean hasLogbackCore() {
    try {
      return hasMethod(TriggeringPolicy.class, "getLengthCounter", LengthCounter.class);
    } catch (LinkageError missing) { // the type is missing
      return false;
    }
  }

  /**
   * Adds an error status if Logback lacks something.
   *
   * @param component the component that is to start
   * @param found whether Logback has what is needed
   * @return {@code found}
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
            "Logback 1.5.8 or newer with SLF4J 2",
            "raise the versions of logback-core and logback-classic, both to the same, and of"
                + " slf4j-api");
  }

  /**
   * Adds an error status about libraries.
   *
   * @param component the component that does not start
   * @param found names and versions of the libraries on the class path
   * @param needed names and versions of the libraries that are needed
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
   * Returns the version of a library, as its jar names it.
   *
   * @param artifact group and name, with a slash between
   * @return never null; a text that says so if the version is unknown
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
