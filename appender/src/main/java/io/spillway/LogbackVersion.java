package io.spillway;

import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.StringUtil;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.function.Supplier;

/**
 * Tells of a Logback that is too old, before the first method that it lacks is called: one without
 * the newest class of what is needed. A version that a jar names decides nothing, for a jar of a
 * whole application names its own. Itself it uses only what Logback has had for ever.
 */
enum LogbackVersion {
  /** For an appender that wraps another. */
  WRAPPING("1.5.0", () -> StringUtil.class),
  /** For Spillway's own file appender. */
  ROLLING("1.5.8", () -> LengthCounter.class);

  private static final String POM = "/META-INF/maven/ch.qos.logback/logback-core/pom.properties";

  private final String version;
  private final Supplier<Class<?>> newestClass;

  LogbackVersion(String version, Supplier<Class<?>> newestClass) {
    this.version = version;
    this.newestClass = newestClass;
  }

  /** Adds an error and returns true if the Logback on the class path is too old. */
  boolean isNewerThanFound(ContextAware appender) {
    boolean tooOld = !isFound();
    if (tooOld) {
      appender.addError(
          "Logback "
              + found()
              + " is on the class path; allowed: "
              + version
              + " or newer, with SLF4J 2. To do: raise the version of logback-classic and"
              + " logback-core. The appender is not started.");
    }
    return tooOld;
  }

  private boolean isFound() {
    try {
      return newestClass.get() != null;
    } catch (LinkageError absent) {
      return false;
    }
  }

  private static String found() {
    Properties properties = new Properties();
    try (InputStream in = ContextAware.class.getResourceAsStream(POM)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException | IllegalArgumentException unreadable) {
      properties.clear();
    }
    return properties.getProperty("version", "of an unknown version");
  }

  @Override
  public String toString() {
    return version;
  }
}
