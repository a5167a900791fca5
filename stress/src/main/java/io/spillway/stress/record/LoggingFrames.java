package io.spillway.stress.record;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;

/** Classifies stack frames: which belong to logging, and which method a wait is attributed to. */
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

  /** Packages with means of waiting; a wait in them is attributed to their caller. */
  private static final List<String> MEANS =
      List.of(
          "java.",
          "javax.",
          "jdk.",
          "sun.",
          "com.sun.",
          "com.lmax.disruptor.",
          "org.HdrHistogram.",
          HARNESS);

  /** Name for a stack that was cut before it shows a logging frame. */
  static final String CUT_STACK = "(stack cut)";

  private LoggingFrames() {}

  /**
   * Returns the innermost frame that belongs neither to the JDK nor to another means of waiting:
   * the appender's method, also if the appender's package is unknown, because a logging frame is
   * below it.
   *
   * @return class and method, {@link #CUT_STACK}, or null if the thread did not wait inside logging
   */
  public static String nearest(RecordedStackTrace stack) {
    if (stack == null) {
      return CUT_STACK;
    }
    boolean inCall =
        stack.getFrames().stream()
            .anyMatch(frame -> isLogging(frame.getMethod().getType().getName()));
    if (!inCall && !stack.isTruncated()) {
      return null;
    }
    String culprit = culprit(stack);
    return culprit == null ? CUT_STACK : culprit;
  }

  /** Returns the innermost frame that is no means of waiting; for a thread in a log call. */
  public static String nearest(StackTraceElement[] stack) {
    return culprit(stack).orElse(CUT_STACK);
  }

  /**
   * Returns the innermost frame that is no means of waiting, for a stack as a thread dump prints
   * it; empty if the thread is in no log call.
   */
  public static Optional<String> inCall(List<String> stack) {
    StackTraceElement[] frames =
        stack.stream().map(LoggingFrames::element).toArray(StackTraceElement[]::new);
    return isInCall(frames) ? culprit(frames) : Optional.empty();
  }

  /** Returns whether a thread with this stack is inside a log call. */
  public static boolean isInCall(StackTraceElement[] stack) {
    return Arrays.stream(stack).anyMatch(frame -> isLogging(frame.getClassName()));
  }

  private static StackTraceElement element(String printed) {
    String method = printed.substring(0, printed.indexOf('('));
    int dot = method.lastIndexOf('.');
    return new StackTraceElement(method.substring(0, dot), method.substring(dot + 1), null, 0);
  }

  /**
   * Returns the innermost frame that is no means of waiting, in or outside calls; null if all
   * frames are the JDK's.
   */
  public static String culprit(RecordedStackTrace stack) {
    for (RecordedFrame frame : stack.getFrames()) {
      RecordedMethod method = frame.getMethod();
      String type = method.getType().getName();
      if (!isMeans(type)) {
        return type + "." + method.getName();
      }
    }
    return null;
  }

  /**
   * Returns the innermost frame that is no means of waiting, in or outside calls; empty if all
   * frames are the JDK's and the harness's.
   */
  public static Optional<String> culprit(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .filter(frame -> !isMeans(frame.getClassName()))
        .findFirst()
        .map(frame -> frame.getClassName() + "." + frame.getMethodName());
  }

  private static boolean isMeans(String type) {
    return !isLogging(type) && MEANS.stream().anyMatch(type::startsWith);
  }

  /** Returns whether a class, named with its package, belongs to a logging library. */
  public static boolean isLogging(String type) {
    if (type.startsWith(HARNESS)) {
      return type.startsWith(CALIBRATION);
    }
    return LOGGING.stream().anyMatch(type::startsWith);
  }
}
