package io.spillway.stress.load;

import java.util.Map;
import java.util.TreeMap;
import org.slf4j.MDC;

/** The MDC of every thread that logs, passed to the forked JVM as system properties. */
public final class ThreadContext {
  private static final String PREFIX = "spillway.mdc.";

  private ThreadContext() {}

  /** Returns the system properties that pass an MDC to a forked JVM. */
  public static Map<String, String> properties(Map<String, String> mdc) {
    Map<String, String> properties = new TreeMap<>();
    mdc.forEach((key, value) -> properties.put(PREFIX + key, value));
    return properties;
  }

  /** Returns the MDC for the threads of this JVM. */
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

  /** Sets that MDC for the current thread. */
  public static void enter() {
    mdc().forEach(MDC::put);
  }
}
