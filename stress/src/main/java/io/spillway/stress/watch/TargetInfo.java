package io.spillway.stress.watch;

import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.util.Properties;

/**
 * What is known of the target.
 *
 * @param version its Java version, such as 17.0.15
 * @param feature the first number of it
 * @param command its main class or jar
 */
record TargetInfo(String version, int feature, String command) {

  private static final int OLDEST = 17;
  private static final int VIRTUAL_THREADS_SINCE = 21;

  /**
   * Asks the target.
   *
   * @throws RefusedException if its Java is too old
   */
  static TargetInfo of(Target target) throws IOException {
    Properties properties = target.properties();
    String version = properties.getProperty("java.version", "?");
    String specification = properties.getProperty("java.specification.version", "0");
    int feature = Integer.parseInt(specification.replace("1.", ""));
    if (feature < OLDEST) {
      throw new RefusedException(
          "process " + target.pid() + " runs on Java " + version + "; watch needs 17 or newer");
    }
    String command = properties.getProperty("sun.java.command", "?").split(" ")[0];
    return new TargetInfo(version, feature, command);
  }

  boolean hasVirtualThreads() {
    return feature >= VIRTUAL_THREADS_SINCE;
  }

  String describe() {
    return "Java " + version + ", " + command;
  }
}
