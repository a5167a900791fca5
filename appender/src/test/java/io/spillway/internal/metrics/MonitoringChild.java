package io.spillway.internal.metrics;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import jdk.jfr.Recording;

/** A process without an MBean server and a flight recorder, at first or for good. */
public final class MonitoringChild {
  private MonitoringChild() {}

  /** With an argument the process gets both later. */
  public static void main(String[] arguments) throws Exception {
    ContextBase context = new ContextBase();
    context.setName("child");
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    Reports reports = new Reports(origin);
    FlightEvents flight = new FlightEvents(context, "FILE");
    Counters counters = new Counters();
    SpillwayMetrics metrics = new SpillwayMetrics(new FakeGauges().gauges, counters);
    Registration registration = new Registration(context, "FILE", metrics, reports);
    registration.add();
    Registration.look();
    flight.stall().stalled(1);
    flight.spill().spilled(1, 1, true);
    flight.rollover().rolledOver("file", 1);
    FlightEvents.compression().compressed("file", "archive", 1, 1);
    counters.dropped(LossCause.STOPPED);
    counters.recordLosses(flight);
    System.out.println("health " + metrics.health().status());
    System.out.println("dropped " + metrics.getDropped());
    if (arguments.length > 0) {
      Late.begin(flight);
    }
    registration.remove();
    reports.flush();
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      System.out.println(status.getMessage());
    }
    System.out.println("ended");
  }

  /** Not loaded where the modules are missing. */
  private static final class Late {
    static void begin(FlightEvents flight) throws Exception {
      ObjectName name = new ObjectName("io.spillway:type=Appender,context=\"child\",name=\"FILE\"");
      System.out.println("servers " + MBeanServerFactory.findMBeanServer(null).size());
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      System.out.println("early " + server.isRegistered(name));
      Registration.look();
      while (!server.isRegistered(name)) {
        LockSupport.parkNanos(1_000_000); // until the deadline of the fork
      }
      System.out.println("shown " + server.getAttribute(name, "Dropped"));
      try (Recording recording = new Recording()) {
        recording.start();
        System.out.println("recorded " + flight.spill().getClass().getName().contains("Jfr"));
      }
    }
  }
}
