package io.spillway.stress.record;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;

/** Tells which frames belong to logging, and whose a wait inside logging is. */
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

  /** What others wait by: whoever calls it decides to. */
  private static final List<String> MEANS =
      List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "com.lmax.disruptor.", HARNESS);

  /** Stands for a stack that was cut before a logging frame could show. */
  static final String CUT_STACK = "(stack cut)";

  private LoggingFrames() {}

  /**
   * The frame nearest to the wait that is neither the JDK's nor a means to wait by: the appender's
   * own method, also of an appender whose package nobody knows, as there is a logging frame below
   * it.
   *
   * @return class and method, or null if the thread did not wait inside logging
   */
  static String nearest(RecordedStackTrace stack) {
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

  /** The same of a thread that is inside a log call, so that there is one, unless cut. */
  public static String nearest(StackTraceElement[] stack) {
    return culprit(stack).orElse(CUT_STACK);
  }

  /** The same of a thread as a dump prints it; empty if it is in no log call. */
  public static Optional<String> inCall(List<String> stack) {
    StackTraceElement[] frames =
        stack.stream().map(LoggingFrames::element).toArray(StackTraceElement[]::new);
    return isInCall(frames) ? culprit(frames) : Optional.empty();
  }

  /** Whether a thread with this stack is inside a log call. */
  public static boolean isInCall(StackTraceElement[] stack) {
    return Arrays.stream(stack).anyMatch(frame -> isLogging(frame.getClassName()));
  }

  private static StackTraceElement element(String printed) {
    String method = printed.substring(0, printed.indexOf('('));
    int dot = method.lastIndexOf('.');
    return new StackTraceElement(method.substring(0, dot), method.substring(dot + 1), null, 0);
  }

  /** Of a thread that need not be inside a log call; null if it executes the JDK alone. */
  static String culprit(RecordedStackTrace stack) {
    for (RecordedFrame frame : stack.getFrames()) {
      RecordedMethod method = frame.getMethod();
      String type = method.getType().getName();
      if (!isMeans(type)) {
        return type + "." + method.getName();
      }
    }
    return null;
  }

  /** The same; empty if there is nothing but the JDK and the harness. */
  public static Optional<String> culprit(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .filter(frame -> !isMeans(frame.getClassName()))
        .findFirst()
        .map(frame -> frame.getClassName() + "." + frame.getMethodName());
  }

  private static boolean isMeans(String type) {
    return !isLogging(type) && MEANS.stream().anyMatch(type::startsWith);
  }

  /** Whether a class, named with its package, belongs to a logging library. */
  public static boolean isLogging(String type) {
    if (type.startsWith(HARNESS)) {
      return type.startsWith(CALIBRATION);
    }
    return LOGGING.stream().anyMatch(type::startsWith);
  }
}
