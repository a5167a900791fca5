package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import ch.qos.logback.core.spi.ConfigurationEventListener;
import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.Properties;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Tells whether the libraries on the class path have what is called of them, before the first call
 * that they lack. A version that a jar names decides nothing, for a jar of a whole application
 * names its own: it is only shown.
 */
public final class Environment {
  private static final String LOGBACK = "ch.qos.logback/logback-";

  private Environment() {}

  private interface Later {
    Instant of(RollingCalendar calendar, Instant now, int periods);
  }

  /**
   * Whether something can be linked.
   *
   * @param reference gives what names the classes or methods, such as a method reference, without
   *     calling it
   * @return false if one is missing
   */
  public static boolean links(Supplier<?> reference) {
    try {
      return reference.get() != null;
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
    return has(component, () -> (Function<DateTokenConverter<?>, ?>) DateTokenConverter::getZoneId)
        && has(
            component,
            () ->
                (BiConsumer<Context, ConfigurationEventListener>)
                    Context::addConfigurationEventListener)
        && has(component, () -> (Later) RollingCalendar::getEndOfNextNthPeriod);
  }

  /**
   * Whether the Logback has something. If not, adds an error.
   *
   * @param component that is to start
   * @param reference as for {@link #links}
   * @return false if it must not start
   */
  public static boolean has(ContextAware component, Supplier<?> reference) {
    return links(reference)
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
