package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * Main class of the forked JVM. It configures Logback as any application does, sends the load,
 * stops Logback, and writes what it measured. Lines on its standard output are progress. It ends by
 * {@link Runtime#halt} if its parent goes away: the parent holds the other end of its standard
 * input.
 */
public final class Child {

  /** Exit code if Logback reports an error in its configuration. */
  public static final int CONFIGURATION_ERROR = 10;

  private static final int ORPHANED = 11;
  private static final int PROBLEMS_SHOWN = 20;

  private Child() {}

  /** Takes the path of a {@link LoadSpec} in JSON. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    endWithParent();
    LoadSpec spec = Json.read(Path.of(arguments[0]), LoadSpec.class);
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    List<String> errors = problems(context, Status.ERROR);
    if (!errors.isEmpty()) {
      errors.forEach(System.err::println);
      System.exit(CONFIGURATION_ERROR);
    }
    long warmUpEvents = WarmUp.run(spec.threads());
    LoadRun load = recordedLoad(spec);
    long stopStart = System.nanoTime();
    context.stop();
    double stopSeconds = (System.nanoTime() - stopStart) / 1e9;
    Path directory = Path.of(spec.trialDirectory());
    load.latency().writeHistograms(directory);
    Json.write(
        directory.resolve(LoadSpec.FIGURES_FILE),
        figures(load, warmUpEvents, stopSeconds, problems(context, Status.WARN)));
    System.exit(0);
  }

  private static LoadRun recordedLoad(LoadSpec spec) throws IOException, InterruptedException {
    FlightRecording recording = new FlightRecording(Path.of(spec.recordingFile()));
    try {
      say("load began");
      LoadRun load = new LoadRun(spec);
      load.run();
      say("load ended");
      return load;
    } finally {
      recording.close();
    }
  }

  /** One line of progress for the parent. */
  static void say(String what) {
    System.out.println(what);
  }

  private static LoadFigures figures(
      LoadRun load, long warmUpEvents, double stopSeconds, List<String> problems) {
    List<Long> sent = new ArrayList<>();
    long threw = 0;
    Throwable firstThrown = null;
    for (Sender sender : load.senders()) {
      sent.add(sender.sent());
      threw += sender.threw();
      firstThrown = firstThrown == null ? sender.firstThrown() : firstThrown;
    }
    sent.add(warmUpEvents);
    return new LoadFigures(
        sent,
        threw,
        firstThrown == null ? null : firstThrown.toString(),
        load.startEpochNanos(),
        load.seconds(),
        stopSeconds,
        cpuSeconds(),
        load.rotation(),
        load.latency().figures(),
        load.latency().seconds(),
        problems);
  }

  private static List<String> problems(LoggerContext context, int level) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() >= level)
        .limit(PROBLEMS_SHOWN)
        .map(status -> status.toString() + cause(status))
        .toList();
  }

  private static String cause(Status status) {
    return status.getThrowable() == null ? "" : ": " + status.getThrowable();
  }

  private static double cpuSeconds() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getProcessCpuTime()
        / 1e9;
  }

  private static void endWithParent() {
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  continue;
                }
              } catch (IOException e) {
                System.err.println("standard input failed: " + e);
              }
              Runtime.getRuntime().halt(ORPHANED);
            },
            "parent-watch");
    watcher.setDaemon(true);
    watcher.start();
  }
}
