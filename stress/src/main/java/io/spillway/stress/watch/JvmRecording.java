package io.spillway.stress.watch;

import io.spillway.stress.record.WaitEvents;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A recording of ours in the target: every wait, with its stack, at no threshold. It ends with
 * {@link #close()}; should this process be killed, it ends by its own duration. It names the null
 * device as the file to end in, because a recording without a file would not be removed then.
 */
final class JvmRecording implements AutoCloseable {

  /** Comes once a second, whatever else happens. */
  static final String TICK = "jdk.CPULoad";

  private static final Path NULL_DEVICE = Path.of("/dev/null");
  private static final int GRACE_SECONDS = 10;
  private static final String MAX_SIZE = "128m";
  private static final String PATH_LABEL = "Repository path:";

  private final Target target;
  private final String name;
  private Path repository;
  private boolean stopped;

  private JvmRecording(Target target, String name) {
    this.target = target;
    this.name = name;
  }

  /**
   * Starts recording.
   *
   * @param seconds how long the watch is meant to last
   * @throws RefusedException if the target cannot record
   */
  static JvmRecording start(Target target, int seconds) throws IOException {
    String name = "spillway-watch-" + ProcessHandle.current().pid();
    String said = ask(target, command(name, seconds));
    if (!said.contains("Started recording")) {
      throw new RefusedException(unavailable(target, said));
    }
    JvmRecording started = new JvmRecording(target, name);
    try {
      started.locate();
    } catch (IOException | RuntimeException e) {
      started.close();
      throw e;
    }
    return started;
  }

  /** Where the target writes its events, while it lives. */
  Path repository() {
    return repository;
  }

  private static String command(String name, int seconds) {
    StringBuilder line = new StringBuilder("JFR.start settings=none name=").append(name);
    line.append(" duration=").append(seconds + GRACE_SECONDS).append("s maxsize=").append(MAX_SIZE);
    if (Files.exists(NULL_DEVICE)) {
      line.append(" filename=").append(NULL_DEVICE);
    }
    for (String event : WaitEvents.WAITS) {
      line.append(" +").append(event).append("#enabled=true");
      line.append(" +").append(event).append("#threshold=0ms");
      line.append(" +").append(event).append("#stackTrace=true");
    }
    line.append(" +").append(TICK).append("#enabled=true");
    line.append(" +").append(TICK).append("#period=1s");
    return line.append(" +").append(WaitEvents.DATA_LOSS).append("#enabled=true").toString();
  }

  private void locate() throws IOException {
    String path =
        target
            .ask("JFR.configure")
            .lines()
            .filter(line -> line.startsWith(PATH_LABEL))
            .map(line -> line.substring(PATH_LABEL.length()).strip())
            .findFirst()
            .orElseThrow(() -> new RefusedException(unavailable(target, "it does not say where")));
    repository = Path.of(path);
    if (!Files.isDirectory(repository)) {
      throw new RefusedException(
          "process "
              + target.pid()
              + " keeps its recording in "
              + path
              + ", which cannot be seen from here. If it runs in a container, run watch inside");
    }
  }

  private static String ask(Target target, String command) throws IOException {
    try {
      return target.ask(command);
    } catch (IOException e) {
      if (target.alive()) {
        throw new RefusedException(unavailable(target, e.getMessage()));
      }
      throw e;
    }
  }

  private static String unavailable(Target target, String said) {
    return "process "
        + target.pid()
        + " cannot record ("
        + String.valueOf(said).strip()
        + "); watch needs its JVM to be a HotSpot JDK 17 or newer, with the module jdk.jfr and"
        + " without -XX:-FlightRecorder";
  }

  /** Ends the recording, once; a target that has ended has ended it, too. */
  @Override
  public synchronized void close() throws IOException {
    if (stopped) {
      return;
    }
    stopped = true;
    try {
      target.ask("JFR.stop name=" + name);
    } catch (IOException e) {
      if (target.alive()) {
        throw new IOException(
            "The recording of process "
                + target.pid()
                + " could not be stopped; jcmd "
                + target.pid()
                + " JFR.stop name="
                + name
                + " does",
            e);
      }
    }
  }
}
