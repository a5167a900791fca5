package io.spillway.stress.services;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Executes the harness's commands to a service, one per line on standard input: {@code figures},
 * {@code stall} with two times, and {@code stop}; each prints figures. If standard input ends, the
 * harness has ended, and the JVM halts.
 */
final class Control {

  private static final int ORPHANED = 11;
  private static final String STALL = "stall ";
  private static final double NANOS = 1e9;

  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private final PrintStream said;

  private Control(PrintStream said) {
    this.said = said;
  }

  /** Reserves standard output for answers; other output is redirected to standard error. */
  static Control open() {
    PrintStream out = System.out;
    System.setOut(System.err);
    return new Control(out);
  }

  /** Reports a wrong setting as a line, because an exit code may come from any code in the JVM. */
  void refuse(String why) {
    said.println("refused " + why);
    said.flush();
  }

  /** Executes commands until {@code stop}. */
  void serve(Running service) throws Exception {
    said.println("port " + service.port());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("figures")) {
        tell();
      } else if (line.startsWith(STALL)) {
        String[] times = line.substring(STALL.length()).split(" ");
        StallingFileAppender.stall(Double.parseDouble(times[0]), Double.parseDouble(times[1]));
        tell();
      } else if (line.equals("stop")) {
        service.stop();
        tell();
        return;
      } else {
        throw new IOException("not asked for by the harness: " + line);
      }
    }
    Runtime.getRuntime().halt(ORPHANED);
  }

  private void tell() {
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      // Concurrent collections do not pause the application.
      if (!collector.getName().contains("Concurrent")) {
        millis += Math.max(0, collector.getCollectionTime());
      }
    }
    said.printf(
        Locale.ROOT,
        "figures gcSeconds=%.3f cpuSeconds=%.6f logged=%d heapBytes=%d%n",
        millis / 1e3,
        SYSTEM.getProcessCpuTime() / NANOS,
        EventLog.logged(),
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    said.flush();
  }

  /** A started service. */
  interface Running {

    /** Returns the port of the service. */
    int port();

    /** Stops the service, and flushes its log. */
    void stop() throws Exception;
  }
}
