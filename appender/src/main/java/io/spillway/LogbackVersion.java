package io.spillway;

import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells of a Logback that is too old, before the first method that it lacks is called. Where the
 * version is not to be found, as in a repackaged jar, it looks for what is newest of what is
 * needed. Itself it uses only what Logback has had for ever.
 */
enum LogbackVersion {
  /** For an appender that wraps another. */
  WRAPPING(0, "/ch/qos/logback/core/util/StringUtil.class"),
  /** For Spillway's own file appender, and for its policies. */
  ROLLING(8, "/ch/qos/logback/core/rolling/LengthCounter.class");

  private static final int MAJOR = 1;
  private static final int MINOR = 5;
  private static final Pattern NUMBERS = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4}).*");
  private static final String POM = "/META-INF/maven/ch.qos.logback/logback-core/pom.properties";

  private final int patch;
  private final String newestClass;

  LogbackVersion(int patch, String newestClass) {
    this.patch = patch;
    this.newestClass = newestClass;
  }

  /** Adds an error and returns true if the Logback on the class path is too old. */
  boolean isNewerThanFound(ContextAware appender) {
    String found = found();
    boolean tooOld = found == null ? !hasNewestClass() : isOlder(found);
    if (tooOld) {
      appender.addError(
          "Logback "
              + (found == null ? "of an unknown version" : found)
              + " is on the class path; allowed: "
              + this
              + " or newer, with SLF4J 2. To do: raise the version of logback-classic and"
              + " logback-core. The appender is not started.");
    }
    return tooOld;
  }

  /** Package-private for its test. */
  boolean isOlder(String version) {
    Matcher numbers = NUMBERS.matcher(version);
    if (!numbers.matches()) {
      return !hasNewestClass();
    }
    int[] needed = {MAJOR, MINOR, patch};
    for (int i = 0; i < needed.length; i++) {
      int number = Integer.parseInt(numbers.group(i + 1));
      if (number != needed[i]) {
        return number < needed[i];
      }
    }
    return false;
  }

  private boolean hasNewestClass() {
    return ContextAware.class.getResource(newestClass) != null;
  }

  private static String found() {
    String version = ContextAware.class.getPackage().getImplementationVersion();
    if (version != null) {
      return version;
    }
    try (InputStream in = ContextAware.class.getResourceAsStream(POM)) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty("version");
    } catch (IOException | IllegalArgumentException unreadable) {
      return null;
    }
  }

  @Override
  public String toString() {
    return MAJOR + "." + MINOR + "." + patch;
  }
}
