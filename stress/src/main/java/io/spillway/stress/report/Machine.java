package io.spillway.stress.report;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Where the figures were measured.
 *
 * @param os operating system, version and architecture
 * @param processors processors the JVM may use
 * @param memoryBytes physical memory
 * @param java version and vendor
 * @param jvm virtual machine name and version
 */
public record Machine(String os, int processors, long memoryBytes, String java, String jvm) {

  /** The machine and JVM that run this. */
  public static Machine current() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Machine(
        join("os.name", "os.version", "os.arch"),
        Runtime.getRuntime().availableProcessors(),
        system.getTotalMemorySize(),
        join("java.version", "java.vendor"),
        join("java.vm.name", "java.vm.version"));
  }

  private static String join(String... properties) {
    StringBuilder joined = new StringBuilder();
    for (String property : properties) {
      joined.append(joined.length() == 0 ? "" : " ").append(System.getProperty(property));
    }
    return joined.toString();
  }
}
