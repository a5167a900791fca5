package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import io.spillway.metrics.SpillwayMetrics;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.InstanceAlreadyExistsException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import javax.management.ReflectionException;

/**
 * Makes a started appender known to monitoring: to JMX as {@code
 * io.spillway:type=Appender,context=...,name=...}, once the process has an MBean server (creating
 * one only for that would cost a start more than all else that it does), and to followers, which
 * have Micrometer meters.
 *
 * <p>A server, a registry and the code behind them are foreign: what they throw is reported. The
 * two lists are under the lock of the class, also while followers run, so that each sees a start
 * before its stop.
 */
public final class Registration {
  private static final boolean MANAGEABLE =
      ModuleLayer.boot().findModule("java.management").isPresent();
  private static final List<Registration> STARTED = new CopyOnWriteArrayList<>(); // look() reads it
  private static final Map<Follower, Context> FOLLOWING = new LinkedHashMap<>();

  /** Receives the starts and stops of the appenders of one logger context. */
  public interface Follower {
    /** An appender has started or was started before; its figures are another object each time. */
    void started(String appender, SpillwayMetrics metrics);

    /** An appender has stopped. */
    void stopped(SpillwayMetrics metrics);
  }

  private final Context context;
  private final String appender;
  private final SpillwayMetrics metrics;
  private final Reports reports;
  private volatile boolean tried; // to register with JMX, or ended; written under this
  private Object name; // an ObjectName; under this

  /** Creates a registration of one start of an appender, with nothing registered yet. */
  public Registration(Context context, String appender, SpillwayMetrics metrics, Reports reports) {
    this.context = context;
    this.appender = String.valueOf(appender);
    this.metrics = metrics;
    this.reports = reports;
  }

  /** Makes the appender known. Called once, at the end of a start. */
  public void add() {
    if (!MANAGEABLE) {
      reports.info(
          "No JMX metrics for appender [%s], as the run time has no java.management."
              .formatted(appender));
    } else if (isWanted()) {
      register();
    }
    synchronized (Registration.class) {
      STARTED.add(this);
      FOLLOWING.forEach((follower, followed) -> tell(follower, followed, true));
    }
  }

  /** Ends what {@link #add} began. */
  public void remove() {
    synchronized (Registration.class) {
      STARTED.remove(this);
      FOLLOWING.forEach((follower, followed) -> tell(follower, followed, false));
    }
    synchronized (this) {
      tried = true;
      if (name != null) {
        guarded("jmx", () -> Jmx.unregister(name));
      }
    }
  }

  private void tell(Follower follower, Context followed, boolean started) {
    if (followed == context && started) {
      guarded("meters", () -> follower.started(appender, metrics));
    } else if (followed == context) {
      guarded("meters", () -> follower.stopped(metrics));
    }
  }

  private interface Foreign {
    void run() throws JMException;
  }

  private void guarded(String topic, Foreign code) {
    try {
      code.run();
    } catch (Throwable thrown) {
      String what = "Monitoring (" + topic + ") of [" + appender + "] fails: ";
      reports.warn(topic, what + Reports.text(thrown));
    }
  }

  /** Calls a follower for the appenders of a context, those that are started first. */
  public static synchronized void follow(Context context, Follower follower) {
    FOLLOWING.put(follower, context);
    STARTED.forEach(each -> each.tell(follower, context, true));
  }

  /** Ends the calls of a follower. */
  public static synchronized void unfollow(Follower follower) {
    FOLLOWING.remove(follower);
  }

  /**
   * Finds an MBean server that came after the appenders. For the spillers, about once a second; the
   * status thread does the rest, as the server runs foreign code.
   */
  public static void look() {
    for (Registration each : STARTED) {
      if (each.isWanted()) {
        Reports.offer(each.context, each::register);
      }
    }
  }

  private boolean isWanted() {
    return MANAGEABLE && !tried && !MBeanServerFactory.findMBeanServer(null).isEmpty();
  }

  private synchronized void register() {
    if (!tried) {
      tried = true;
      guarded("jmx", () -> name = Jmx.register(this));
    }
  }

  /** Loaded only where there is an MBean server. */
  private static final class Jmx {
    private Jmx() {}

    static Object register(Registration its) throws JMException {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      String context = its.context == null ? null : its.context.getName();
      String prefix =
          "io.spillway:type=Appender,context="
              + ObjectName.quote(context == null ? "" : context)
              + ",name=";
      for (int i = 1; ; i++) { // two contexts may share a name
        ObjectName name =
            new ObjectName(prefix + ObjectName.quote(its.appender + (i == 1 ? "" : "#" + i)));
        try {
          server.registerMBean(new Bean(its.metrics), name);
          return name;
        } catch (InstanceAlreadyExistsException taken) {
          its.reports.info("jmx", "JMX name " + name + " is taken, trying the next one.");
        }
      }
    }

    static void unregister(Object name) throws JMException {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean((ObjectName) name);
    }
  }

  /** The figures as read-only attributes, with their descriptions. */
  private record Bean(SpillwayMetrics metrics) implements DynamicMBean {
    @Override
    public MBeanInfo getMBeanInfo() {
      List<MBeanAttributeInfo> all = new ArrayList<>();
      SpillwayMetrics.descriptions()
          .forEach(
              (name, help) ->
                  all.add(new MBeanAttributeInfo(name, type(name), help, true, false, false)));
      return new MBeanInfo(
          SpillwayMetrics.class.getName(),
          "A Spillway appender",
          all.toArray(new MBeanAttributeInfo[0]),
          null,
          null,
          null);
    }

    private String type(String attribute) {
      Object value = metrics.value(attribute);
      return value instanceof Long ? "long" : value.getClass().getName();
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
      Object value = metrics.value(attribute);
      if (value == null) {
        throw new AttributeNotFoundException(attribute);
      }
      return value;
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
      AttributeList values = new AttributeList();
      for (String each : attributes) {
        Object value = metrics.value(each);
        if (value != null) {
          values.add(new Attribute(each, value));
        }
      }
      return values;
    }

    @Override
    public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
      throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
    }

    @Override
    public AttributeList setAttributes(AttributeList attributes) {
      return new AttributeList();
    }

    @Override
    public Object invoke(String action, Object[] parameters, String[] signature)
        throws ReflectionException {
      throw new ReflectionException(new NoSuchMethodException(action));
    }
  }
}
