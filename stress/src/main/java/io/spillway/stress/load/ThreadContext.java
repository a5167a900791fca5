package io.spillway.stress.load;

import java.util.Map;
import java.util.TreeMap;
import org.slf4j.MDC;

/** What every thread that logs has in its MDC, as system properties of the forked JVM say. */
public final class ThreadContext {
  private static final String PREFIX = "spillway.mdc.";

  private ThreadContext() {}

  /** The system properties for an MDC. */
  public static Map<String, String> properties(Map<String, String> mdc) {
    Map<String, String> properties = new TreeMap<>();
    mdc.forEach((key, value) -> properties.put(PREFIX + key, value));
    return properties;
  }

  /** The MDC of this JVM's threads. */
  public static Map<String, String> mdc() {
    Map<String, String> mdc = new TreeMap<>();
    System.getProperties()
        .forEach(
            (name, value) -> {
              if (name.toString().startsWith(PREFIX)) {
                mdc.put(name.toString().substring(PREFIX.length()), value.toString());
              }
            });
    return mdc;
  }

  /** Puts it in place for the current thread. */
  public static void enter() {
    mdc().forEach(MDC::put);
  }
}
