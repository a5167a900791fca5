package io.spillway.internal.disk;

import ch.qos.logback.core.Appender;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The register of what belongs to one appender of this JVM: log files, archive patterns, spill
 * directories. Two appenders on one of these would cut each other's lines or rename each other's
 * files.
 *
 * <p>A path belongs to its appender until that releases it. An appender that is not started, as it
 * was refused or is stopping, does not keep another one from it: so a reconfiguration can take over
 * at once. The register is guarded by the monitor of this class.
 */
public final class Owners {
  private static final Map<String, Owner> OWNERS = new HashMap<>();

  private record Owner(WeakReference<Appender<?>> appender, String text) {
    boolean isOther(Appender<?> asking) {
      Appender<?> owner = appender.get();
      return owner != null && owner != asking && owner.isStarted();
    }
  }

  private Owners() {}

  /**
   * Takes a path of some kind, such as {@code log file}, in any spelling; it need not exist.
   * Returns null if it belongs to the appender now; else an error message that names both.
   */
  public static synchronized String take(Appender<?> appender, String kind, Path path) {
    String key = kind + " " + FilePaths.canonical(path);
    Owner owner = OWNERS.get(key);
    if (owner != null && owner.isOther(appender)) {
      return "The "
          + kind
          + " ["
          + path
          + "] belongs to "
          + owner.text
          + ", which was there before and goes on; "
          + text(appender)
          + " is not started. To do: give each a "
          + kind
          + " of its own, or reset the context before its configuration is loaded again.";
    }
    OWNERS.put(key, new Owner(new WeakReference<>(appender), text(appender)));
    return null;
  }

  private static String text(Appender<?> appender) {
    return "appender ["
        + appender.getName()
        + "] of context ["
        + (appender.getContext() == null ? null : appender.getContext().getName())
        + "] ("
        + Integer.toHexString(System.identityHashCode(appender))
        + ")";
  }

  /** Releases all paths of an appender, and those of appenders that no longer exist. */
  public static synchronized void release(Appender<?> appender) {
    OWNERS
        .values()
        .removeIf(
            owner -> {
              Appender<?> its = owner.appender.get();
              return its == null || its == appender;
            });
  }
}
