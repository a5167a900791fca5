package io.spillway.stress.load;

import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.report.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.MDC;

/**
 * Main class of the forked JVM of a trial. It configures logging as an application does, sends the
 * load, stops logging, and writes its figures. Lines on its standard output are progress; the
 * parent acts on some of them. It ends when its parent ends.
 */
public final class Child {

  /** Exit code if the logging library reports an error in its configuration. */
  public static final int CONFIGURATION_ERROR = 10;

  /** Printed before the code under test runs: until {@link #ENDS}, that code may end the JVM. */
  public static final String RUNS_OTHERS = "runs others' code";

  /** Printed before this class ends the JVM. */
  public static final String ENDS = "ends by itself";

  /** Printed if the code under test ends the JVM by {@link System#exit}; the method follows. */
  public static final String ENDED_UNDER = "ended under ";

  /** Printed while the load goes on. */
  public static final String ROTATION_BEGAN = "rotation began";

  public static final String ROTATION_ENDED = "rotation ended";
  public static final String LOAD_ENDED = "load ended";

  /** Printed when a service answers requests, and when no further ones are due. */
  public static final String PORT = "port ";

  public static final String REQUESTS_END = "requests end";

  private static final int ORPHANED = 11;
  private static final String MDC_PROPERTY = "spillway.mdc.";

  /** The original standard output; what the configuration prints goes to another file. */
  private static final PrintStream PROGRESS = System.out;

  /** What the parent has said so far and has not been awaited yet. */
  private static final Semaphore TOLD = new Semaphore(0);

  private Child() {}

  /** Runs the load that a {@link LoadSpec} in a file describes. */
  public static void main(String[] arguments) {
    int code = 1;
    try {
      code = run(Json.read(Path.of(arguments[0]), LoadSpec.class));
    } catch (Throwable e) {
      e.printStackTrace();
    }
    exit(code);
  }

  private static int run(LoadSpec spec) throws IOException, InterruptedException {
    endWithParent();
    System.setOut(new PrintStream(spec.consoleFile(), StandardCharsets.UTF_8));
    beginOthers();
    LoggingSystem logging = LoggingSystem.current();
    // Logback runs a user's configuration in spite of errors, which the run has printed.
    List<String> errors = spec.target().formatted() ? List.of() : logging.problems(false);
    if (!errors.isEmpty()) {
      errors.forEach(System.err::println);
      return CONFIGURATION_ERROR;
    }
    enterMdc();
    Load load = spec.application() == null ? new Senders(spec) : new ServiceLoad(spec);
    load.warmUp();
    String elsewhere = logging.elsewhere(spec.target()); // some appenders are created by an event
    if (elsewhere != null) {
      System.err.println(elsewhere);
      return CONFIGURATION_ERROR;
    }
    FlightRecording recording = new FlightRecording(Path.of(spec.recordingFile()));
    try (recording) {
      say("load began");
      load.run(logging.rollover(spec.target()));
      say(LOAD_ENDED);
    }
    load.close();
    logging.stop();
    Thread.interrupted(); // an interrupted thread cannot write files
    Json.write(
        Path.of(spec.trialDirectory()).resolve(LoadSpec.FIGURES_FILE),
        load.figures(logging.problems(true)));
    return 0;
  }

  /** Announces that the code under test runs from now on; reports if that code ends this JVM. */
  public static void beginOthers() {
    Runtime.getRuntime().addShutdownHook(new Thread(Child::othersEnd, "end-watch"));
    say(RUNS_OTHERS);
  }

  /** Ends this JVM after announcing that this class does so. */
  public static void exit(int code) {
    say(ENDS);
    System.exit(code);
  }

  /**
   * Reports the method that ends this JVM: its thread waits for shutdown hooks such as this. Kills
   * descendants, which would disturb the next trial.
   */
  private static void othersEnd() {
    Thread.getAllStackTraces().values().stream()
        .filter(Child::awaitsHooks)
        .map(LoggingFrames::culprit)
        .flatMap(Optional::stream)
        .findFirst()
        .ifPresent(frame -> say(ENDED_UNDER + frame));
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  private static boolean awaitsHooks(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .anyMatch(frame -> frame.getClassName().equals("java.lang.ApplicationShutdownHooks"));
  }

  /** Ends this JVM if its parent ends, which holds the other end of its standard input. */
  public static void endWithParent() {
    Thread watcher = new Thread(Child::awaitOrphanhood, "parent-watch");
    watcher.setDaemon(true);
    watcher.start();
  }

  private static void awaitOrphanhood() {
    try {
      while (System.in.read() >= 0) {
        TOLD.release();
      }
    } catch (IOException e) {
      System.err.println("standard input failed: " + e);
    }
    Runtime.getRuntime().halt(ORPHANED);
  }

  /** Waits until the parent says something; returns false if it does not in time. */
  static boolean awaitParent(long millis) throws InterruptedException {
    return TOLD.tryAcquire(millis, TimeUnit.MILLISECONDS);
  }

  /** Prints one line of progress for the parent. */
  static void say(String what) {
    PROGRESS.println(what);
  }

  /** Returns the system properties that pass the MDC of every thread to a forked JVM. */
  public static Map<String, String> mdcProperties(Map<String, String> mdc) {
    return mdc.entrySet().stream()
        .collect(Collectors.toMap(entry -> MDC_PROPERTY + entry.getKey(), Map.Entry::getValue));
  }

  /** Sets the MDC that was passed to this JVM for the current thread. */
  public static void enterMdc() {
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(MDC_PROPERTY)) {
        MDC.put(name.substring(MDC_PROPERTY.length()), System.getProperty(name));
      }
    }
  }
}
