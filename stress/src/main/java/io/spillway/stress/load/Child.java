package io.spillway.stress.load;

import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.report.Json;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Main class of the forked JVM. It configures logging as any application does, sends the load,
 * stops logging, and writes what it measured. Lines on its standard output are progress. It ends
 * with its parent.
 */
public final class Child {

  /** Exit code if the logging library reports an error in its configuration. */
  public static final int CONFIGURATION_ERROR = 10;

  /** Said before it runs what others wrote. From here on, whatever ends it may be theirs, ... */
  public static final String RUNS_OTHERS = "runs others' code";

  /** ... up to this. */
  public static final String ENDS = "ends by itself";

  /** Said if code that it runs ends it by {@link System#exit}; the method follows. */
  public static final String ENDED_UNDER = "ended under ";

  private static final int ORPHANED = 11;
  private static final int FAILED = 1;
  private static final long WARM_UP_PAUSE_NANOS = 1_000_000;

  /** Whatever the configuration prints goes elsewhere. */
  private static final PrintStream PROGRESS = System.out;

  /** Of the load, where a list of all threads does not have them. */
  private static volatile List<Thread> virtual = List.of();

  private Child() {}

  /** Takes the path of a {@link LoadSpec} in JSON. */
  public static void main(String[] arguments) {
    int code = FAILED;
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
    List<String> errors = logging.errors();
    if (!errors.isEmpty()) {
      errors.forEach(System.err::println);
      return CONFIGURATION_ERROR;
    }
    ThreadContext.enter();
    WarmUp warmUp = new WarmUp();
    warmUp.run(spec.threads(), spec.target());
    String elsewhere = logging.elsewhere(spec.target()); // some appenders are made at an event
    if (elsewhere != null) {
      System.err.println(elsewhere);
      return CONFIGURATION_ERROR;
    }
    LoadRun load = recordedLoad(spec, logging);
    long stopStart = System.nanoTime();
    logging.stop();
    double stopSeconds = (System.nanoTime() - stopStart) / 1e9;
    Thread.interrupted(); // or no file could be written
    Path directory = Path.of(spec.trialDirectory());
    load.latency().writeHistograms(directory);
    Json.write(
        directory.resolve(LoadSpec.FIGURES_FILE),
        load.figures(warmUp, stopSeconds, logging.problems()));
    return 0;
  }

  /** From here on this JVM runs what others wrote, and says so if that ends it. */
  public static void beginOthers() {
    Runtime.getRuntime().addShutdownHook(new Thread(Child::othersEnd, "end-watch"));
    say(RUNS_OTHERS);
  }

  /** Ends this JVM, and says that nobody else does. */
  public static void exit(int code) {
    say(ENDS);
    System.exit(code);
  }

  /** Nor may processes stay that were started here: they would go on beside the next trial. */
  private static void othersEnd() {
    sayWhoEnds();
    ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
  }

  /** Whoever ends a JVM waits for its shutdown hooks, of which this is one. */
  private static void sayWhoEnds() {
    Stream.concat(
            Thread.getAllStackTraces().values().stream(),
            virtual.stream().map(Thread::getStackTrace))
        .filter(Child::awaitsHooks)
        .map(LoggingFrames::culprit)
        .flatMap(Optional::stream)
        .findFirst()
        .ifPresent(frame -> say(ENDED_UNDER + frame));
  }

  private static boolean awaitsHooks(StackTraceElement[] stack) {
    return Arrays.stream(stack)
        .anyMatch(frame -> frame.getClassName().equals("java.lang.ApplicationShutdownHooks"));
  }

  /**
   * Ends a forked JVM by {@link Runtime#halt} if its parent goes away: the parent holds the other
   * end of its standard input.
   */
  public static void endWithParent() {
    endWithParent(() -> {});
  }

  /**
   * The same for one that its parent speaks to.
   *
   * @param told run for each byte that comes
   */
  public static void endWithParent(Runnable told) {
    Thread watcher = new Thread(() -> awaitOrphanhood(told), "parent-watch");
    watcher.setDaemon(true);
    watcher.start();
  }

  private static void awaitOrphanhood(Runnable told) {
    try {
      while (System.in.read() >= 0) {
        told.run();
      }
    } catch (IOException e) {
      System.err.println("standard input failed: " + e);
    }
    Runtime.getRuntime().halt(ORPHANED);
  }

  /**
   * Logs a few events from one thread before any is measured, so that classes are loaded by then:
   * the class loader's own locks would be taken for the appender's. They are events like any other
   * when the files are read back.
   */
  static final class WarmUp {
    static final long EVENTS = 500;

    long interrupted;
    long threw;
    Throwable firstThrown;

    /** From a thread of this number. */
    void run(int number, LoadSpec.Target target) {
      Logger logger = LoggerFactory.getLogger(target.logger());
      for (long i = 0; i < EVENTS; i++) {
        try {
          LogLine.log(logger, number, i, target.messageBytes(), target.formatted());
        } catch (Throwable e) {
          threw++;
          firstThrown = firstThrown == null ? e : firstThrown;
        }
        interrupted += Thread.interrupted() ? 1 : 0;
        LockSupport.parkNanos(WARM_UP_PAUSE_NANOS);
      }
    }
  }

  private static LoadRun recordedLoad(LoadSpec spec, LoggingSystem logging)
      throws IOException, InterruptedException {
    FlightRecording recording =
        new FlightRecording(Path.of(spec.recordingFile()), spec.virtualThreads());
    try {
      say("load began");
      LoadRun load = new LoadRun(spec, logging);
      virtual = load.virtualThreads();
      load.run();
      say("load ended");
      System.gc(); // so that the recording tells what is alive by then
      return load;
    } finally {
      recording.close();
    }
  }

  /** One line of progress for the parent. */
  static void say(String what) {
    PROGRESS.println(what);
  }

  /** Processor time of this JVM. */
  static double cpuSeconds() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getProcessCpuTime()
        / 1e9;
  }
}
