package io.spillway.stress.record;

import java.util.List;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;

/** Tells which frames belong to logging. */
public final class LoggingFrames {

  private static final String HARNESS = "io.spillway.stress.";
  private static final String CALIBRATION = "io.spillway.stress.calibrate.";
  private static final List<String> LOGGING =
      List.of(
          "ch.qos.logback.",
          "org.slf4j.",
          "io.spillway.",
          "org.apache.logging.",
          "net.logstash.",
          "java.util.logging.");

  /** Stands for a stack that was cut before a logging frame could show. */
  static final String CUT_STACK = "(stack cut)";

  private LoggingFrames() {}

  /**
   * The logging frame nearest to the wait.
   *
   * @return class and method, or null if the thread did not wait inside logging
   */
  static String nearest(RecordedStackTrace stack) {
    if (stack == null) {
      return CUT_STACK;
    }
    for (RecordedFrame frame : stack.getFrames()) {
      RecordedMethod method = frame.getMethod();
      String type = method.getType().getName();
      if (isLogging(type)) {
        return type + "." + method.getName();
      }
    }
    return stack.isTruncated() ? CUT_STACK : null;
  }

  /** The same of a thread that is waiting inside a log call, so that there is one, unless cut. */
  static String nearest(StackTraceElement[] stack) {
    for (StackTraceElement frame : stack) {
      if (isLogging(frame.getClassName())) {
        return frame.getClassName() + "." + frame.getMethodName();
      }
    }
    return CUT_STACK;
  }

  /** Whether a class, named with its package, belongs to a logging library. */
  public static boolean isLogging(String type) {
    if (type.startsWith(HARNESS)) {
      return type.startsWith(CALIBRATION);
    }
    return LOGGING.stream().anyMatch(type::startsWith);
  }
}
