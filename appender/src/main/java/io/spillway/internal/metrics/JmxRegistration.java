package io.spillway.internal.metrics;

import io.spillway.metrics.SpillwayMXBean;
import java.lang.management.ManagementFactory;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Registers an appender's metrics as {@code io.spillway:type=Appender,context=...,name=...} with
 * the platform MBean server; opens no listener. A run time without the module {@code
 * java.management} does without. Not thread-safe: used by start and stop only.
 */
public final class JmxRegistration {
  private Object registered; // an ObjectName

  /** Nothing registered yet. */
  public JmxRegistration() {}

  /**
   * Registers, under a numbered name if the name is taken (two contexts may share one).
   *
   * @param context the logger context's name, or null
   * @param appender the appender's name
   * @param metrics what to show
   * @param reports told if registration fails; the appender works without
   */
  public void register(String context, String appender, SpillwayMXBean metrics, Reports reports) {
    try {
      registered = Platform.register(context, appender, metrics, reports);
    } catch (LinkageError withoutModule) {
      reports.info(
          "jmx",
          "No JMX metrics for appender ["
              + appender
              + "], as the run time has no java.management.");
    } catch (Exception e) {
      reports.warn("jmx", "No JMX metrics for appender [" + appender + "]: " + e);
    }
  }

  /**
   * Removes what was registered, if anything.
   *
   * @param reports told if it fails
   */
  public void unregister(Reports reports) {
    if (registered == null) {
      return;
    }
    try {
      Platform.unregister(registered);
    } catch (Exception | LinkageError e) {
      reports.warn("jmx", "Could not remove " + registered + " from JMX: " + e);
    }
    registered = null;
  }

  /** Apart, so that nothing outside needs the module to be there. */
  private static final class Platform {
    private Platform() {}

    static Object register(String context, String appender, SpillwayMXBean metrics, Reports reports)
        throws JMException {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      for (int i = 1; ; i++) {
        ObjectName name = name(context, appender, i);
        try {
          server.registerMBean(metrics, name);
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
