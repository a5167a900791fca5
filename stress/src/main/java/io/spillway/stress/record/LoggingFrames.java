package io.spillway.stress.record;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;

/**
 * Classifies stack frames, each a class and a method: which belong to logging, and which one a wait
 * is attributed to. That is the innermost one that is no means of waiting, the appender's method
 * also if the appender's package is unknown, because a logging frame is below it.
 */
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
   * Returns the frame that a recorded wait inside logging is attributed to; {@link #CUT_STACK} if
   * it does not show, null if the thread did not wait inside logging.
   */
  public static String nearest(RecordedStackTrace stack) {
    if (stack == null) {
      return CUT_STACK;
    }
    boolean inCall = stack.isTruncated() || frames(stack).anyMatch(LoggingFrames::isLogging);
    return inCall ? culprit(frames(stack)).orElse(CUT_STACK) : null;
  }

  /** Returns the frame that a thread in a log call is at. */
  public static String nearest(StackTraceElement[] stack) {
    return culprit(stack).orElse(CUT_STACK);
  }

  /**
   * Returns the frame that a thread is at, by its stack as a thread dump prints it; empty if the
   * thread is in no log call.
   */
  public static Optional<String> inCall(List<String> stack) {
    return stack.stream().anyMatch(LoggingFrames::isLogging) ? culprit(stack) : Optional.empty();
  }

  /** Returns the frame that a thread is at, in or outside calls; empty if all are the JDK's. */
  public static Optional<String> culprit(List<String> stack) {
    return culprit(stack.stream());
  }

  /** Returns whether a thread with this stack is inside a log call. */
  public static boolean isInCall(StackTraceElement[] stack) {
    return frames(stack).anyMatch(LoggingFrames::isLogging);
  }

  /** Returns the frame that a thread is at, in or outside calls; null if all are the JDK's. */
  public static String culprit(RecordedStackTrace stack) {
    return culprit(frames(stack)).orElse(null);
  }

  /** Returns the frame that a thread is at, in or outside calls; empty if all are the JDK's. */
  public static Optional<String> culprit(StackTraceElement[] stack) {
    return culprit(frames(stack));
  }

  private static Optional<String> culprit(Stream<String> frames) {
    return frames
        .filter(frame -> isLogging(frame) || MEANS.stream().noneMatch(frame::startsWith))
        .findFirst();
  }

  private static boolean isLogging(String frame) {
    return frame.startsWith(HARNESS)
        ? frame.startsWith(CALIBRATION)
        : LOGGING.stream().anyMatch(frame::startsWith);
  }

  private static Stream<String> frames(RecordedStackTrace stack) {
    return stack.getFrames().stream()
        .map(
            frame -> {
              RecordedMethod method = frame.getMethod();
              return method.getType().getName() + "." + method.getName();
            });
  }

  private static Stream<String> frames(StackTraceElement[] stack) {
    return Arrays.stream(stack).map(at -> at.getClassName() + "." + at.getMethodName());
  }
}
