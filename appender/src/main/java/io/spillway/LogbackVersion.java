package io.spillway;

import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * Tells of a Logback that is too old, before the first method that it lacks is called: one without
 * the newest class of what is needed. A version that a jar names decides nothing, for a jar of a
 * whole application names its own. Itself it uses only what Logback has had for ever.
 */
enum LogbackVersion {
  /** For an appender that wraps another. */
  WRAPPING("1.5.0", "util/StringUtil"),
  /** For Spillway's own file appender, and for its policies. */
  ROLLING("1.5.8", "rolling/LengthCounter");

  private static final String CORE = "/ch/qos/logback/core/";
  private static final String POM = "/META-INF/maven/ch.qos.logback/logback-core/pom.properties";

  private final String version;
  private final String newestClass;

  LogbackVersion(String version, String newestClass) {
    this.version = version;
    this.newestClass = newestClass;
  }

  /** Adds an error and returns true if the Logback on the class path is too old. */
  boolean isNewerThanFound(ContextAware appender) {
    boolean tooOld = ContextAware.class.getResource(CORE + newestClass + ".class") == null;
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
