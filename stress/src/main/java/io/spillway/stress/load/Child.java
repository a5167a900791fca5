package io.spillway.stress.load;

import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Main class of the forked JVM. It configures logging as any application does, sends the load,
 * stops logging, and writes what it measured. Lines on its standard output are progress. It ends
 * with its parent.
 */
public final class Child {

  /** Exit code if the logging library reports an error in its configuration. */
  public static final int CONFIGURATION_ERROR = 10;

  /** Whatever the configuration prints goes elsewhere. */
  private static final PrintStream PROGRESS = System.out;

  private Child() {}

  /** Takes the path of a {@link LoadSpec} in JSON. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    ParentWatch.start();
    LoadSpec spec = Json.read(Path.of(arguments[0]), LoadSpec.class);
    System.setOut(new PrintStream(spec.consoleFile(), StandardCharsets.UTF_8));
    LoggingSystem logging = LoggingSystem.current();
    List<String> errors = logging.errors();
    if (!errors.isEmpty()) {
      errors.forEach(System.err::println);
      System.exit(CONFIGURATION_ERROR);
    }
    long warmUpEvents = WarmUp.run(spec.threads(), spec.target());
    LoadRun load = recordedLoad(spec, logging);
    long stopStart = System.nanoTime();
    logging.stop();
    double stopSeconds = (System.nanoTime() - stopStart) / 1e9;
    Path directory = Path.of(spec.trialDirectory());
    load.latency().writeHistograms(directory);
    Json.write(
        directory.resolve(LoadSpec.FIGURES_FILE),
        figures(load, warmUpEvents, stopSeconds, logging.problems()));
    System.exit(0);
  }

  private static LoadRun recordedLoad(LoadSpec spec, LoggingSystem logging)
      throws IOException, InterruptedException {
    FlightRecording recording =
        new FlightRecording(Path.of(spec.recordingFile()), spec.virtualThreads());
    try {
      say("load began");
      LoadRun load =
          new LoadRun(
              spec,
              logging.buffers(),
              new DiskWatch(
                  List.of(Path.of(spec.target().directory()), Path.of(spec.trialDirectory()))),
              logging.rollover(spec.target()));
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

  private static LoadFigures figures(
      LoadRun load, long warmUpEvents, double stopSeconds, List<String> problems)
      throws IOException {
    List<Long> sent = new ArrayList<>();
    long threw = 0;
    long calls = 0;
    long allocated = 0;
    Throwable firstThrown = null;
    for (Sender sender : load.senders()) {
      sent.add(sender.sent());
      threw += sender.threw();
      calls += sender.sent();
      allocated += sender.allocatedBytes();
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
        allocated == 0 ? null : new LoadFigures.Allocation(allocated, (double) allocated / calls),
        load.disk().figures(),
        load.rotation(),
        load.latency().figures(),
        load.latency().seconds(),
        load.buffers().figures(),
        problems);
  }

  private static double cpuSeconds() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getProcessCpuTime()
        / 1e9;
  }
}
