package io.spillway.internal.metrics;

import io.spillway.metrics.SpillwayMXBean;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;

/**
 * Registers an appender's metrics as {@code io.spillway:type=Appender,context=...,name=...} with
 * the platform MBean server, once the process has an MBean server: creating one only for that would
 * cost a start more than all else that it does. Opens no listener. In a run time without the module
 * {@code java.management} nothing is registered.
 */
public final class JmxRegistration {
  private static final Set<JmxRegistration> WAITING = ConcurrentHashMap.newKeySet();

  private final Reports reports;
  private volatile Shown shown; // null before the start
  private Object registered; // an ObjectName; under this
  private boolean ended; // under this

  private record Shown(String context, String appender, SpillwayMXBean metrics) {}

  /**
   * Creates a registration, with nothing registered yet.
   *
   * @param reports reports failures; the appender works all the same
   */
  public JmxRegistration(Reports reports) {
    this.reports = reports;
  }

  /**
   * Registers the metrics, now or when there is an MBean server. Adds a number to the name if the
   * name is taken, since two contexts may share one.
   *
   * @param context the logger context's name, or null
   * @param appender the appender's name
   * @param metrics the figures to show
   */
  public void register(String context, String appender, SpillwayMXBean metrics) {
    shown = new Shown(context, appender, metrics);
    try {
      WAITING.add(this);
      if (Servers.isAny()) {
        registerNow();
      }
    } catch (LinkageError withoutModule) {
      WAITING.remove(this);
      reports.info(
          "jmx",
          "No JMX metrics for appender ["
              + appender
              + "], as the run time has no java.management.");
    } catch (RuntimeException refused) { // such as a SecurityException
      WAITING.remove(this);
      reports.warn("jmx", noMetrics(appender), refused, ".");
    }
  }

  private static String noMetrics(String appender) {
    return "No JMX metrics for appender [" + appender + "]: ";
  }

  /** Returns whether there is an MBean server, and something to register with it. */
  static boolean isWanted() {
    return !WAITING.isEmpty() && Servers.isAny();
  }

  /** Registers all that waits. Runs code of a server or its builder, which may take its time. */
  static void registerAllNow() {
    for (JmxRegistration each : WAITING) {
      each.registerNow();
    }
  }

  private void registerNow() {
    if (!WAITING.remove(this)) {
      return; // stopped, or done by another thread
    }
    Object name;
    try {
      name = Platform.register(shown, reports);
    } catch (Throwable ofServer) { // an Error as well: the server may be the application's own
      reports.warn("jmx", noMetrics(shown.appender()), ofServer, ".");
      return;
    }
    synchronized (this) {
      if (!ended) {
        registered = name;
        return;
      }
    }
    remove(name); // stopped meanwhile
  }

  /**
   * Removes what was registered, if anything, and registers nothing any more. Does not wait for a
   * server that is registering: the thread that registers removes the result.
   */
  public void unregister() {
    WAITING.remove(this);
    Object name;
    synchronized (this) {
      ended = true;
      name = registered;
      registered = null;
    }
    if (name != null) {
      remove(name);
    }
  }

  private void remove(Object name) {
    try {
      Platform.unregister(name);
    } catch (OutOfMemoryError noMemory) {
      reports.warn("jmx", "No memory to remove a stopped appender from JMX: it stays there.");
    } catch (Throwable ofServer) {
      reports.warn("jmx", "Could not remove " + name + " from JMX: ", ofServer, ".");
    }
  }

  /** A class of its own, so that the check loads one class of {@code java.management}. */
  private static final class Servers {
    private Servers() {}

    static boolean isAny() {
      return !MBeanServerFactory.findMBeanServer(null).isEmpty();
    }
  }

  /** A class of its own, so that other code does not need {@code java.management}. */
  private static final class Platform {
    private Platform() {}

    static Object register(Shown shown, Reports reports) throws JMException {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      for (int i = 1; ; i++) {
        ObjectName name = name(shown.context(), shown.appender(), i);
        try {
          server.registerMBean(shown.metrics(), name);
          return name;
        } catch (InstanceAlreadyExistsException taken) {
          reports.info("jmx", "JMX name " + name + " is taken, trying the next one.");
        }
      }
    }

    private static ObjectName name(String context, String appender, int number) throws JMException {
      return new ObjectName(
          "io.spillway:type=Appender,context="
              + ObjectName.quote(context == null ? "" : context)
              + ",name="
              + ObjectName.quote(appender + (number == 1 ? "" : "#" + number)));
    }

    static void unregister(Object name) throws JMException {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean((ObjectName) name);
    }
  }
}
