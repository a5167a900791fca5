package io.spillway.stress.watch;

import io.spillway.stress.record.WaitEvents;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;

/**
 * A recording of ours in the target: every wait, with its stack, at no threshold; read along in the
 * target's repository while it is written. It ends with {@link #close()}; should this process be
 * killed, it ends by its own duration. It names the null device as the file to end in, because a
 * recording without a file would not be removed then.
 *
 * <p>The JDK's own {@code RemoteRecordingStream} would do the same over JMX, and leave a management
 * agent and a port in the target.
 */
final class JvmRecording implements AutoCloseable {

  /** Comes once a second, whatever else happens. */
  private static final String TICK = "jdk.CPULoad";

  private static final Path NULL_DEVICE = Path.of("/dev/null");
  private static final int GRACE_SECONDS = 10;
  private static final String MAX_SIZE = "128m";
  private static final String PATH_LABEL = "Repository path:";

  /** The end of the flush that an event came with is told, and then the beginning of the next. */
  private static final int FLUSHES = 2;

  private static final long PATIENCE_SECONDS = 8;
  private static final Place.Frame SLEEP = new Place.Frame("java.lang.Thread", "sleep");

  private final Target target;
  private final String name;
  private Path repository;
  private boolean stopped;

  private EventStream events;
  private Tally tally;
  private final Map<RecordedStackTrace, Place> stacks = new IdentityHashMap<>();
  private final Semaphore flushes = new Semaphore(0);
  private volatile long awaitedNanos = Long.MAX_VALUE;
  private boolean passed;

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

  /**
   * Reads along, in a thread of its own, while the target writes.
   *
   * @param from what ended before is left out
   * @param to gets every wait, and whether something was lost
   */
  void follow(Instant from, Tally to) throws IOException {
    tally = to;
    events = EventStream.openRepository(repository);
    events.setStartTime(from);
    events.setOrdered(false);
    WaitEvents.WAITS.forEach(name -> events.onEvent(name, this::add));
    events.onEvent(TICK, this::tick);
    events.onEvent(WaitEvents.DATA_LOSS, event -> tally.dataLost());
    events.onError(failure -> tally.dataLost());
    events.onFlush(this::flushed);
    events.startAsync();
  }

  private void add(RecordedEvent event) {
    RecordedThread thread = event.getThread();
    RecordedStackTrace stack = event.getStackTrace();
    if (thread == null || stack == null) {
      return;
    }
    String kind = event.getEventType().getName();
    Place where = stacks.computeIfAbsent(stack, s -> place(s, kind));
    long start = ThreadDumps.epochNanos(event.getStartTime());
    long end = start + event.getDuration().toNanos();
    tally.waited(thread.getJavaThreadId(), where, start, end);
  }

  /** Stack traces are shared within a flush only; keeping more would keep every one ever read. */
  private void flushed() {
    stacks.clear();
    if (passed) {
      flushes.release();
    }
  }

  private void tick(RecordedEvent event) {
    passed = ThreadDumps.epochNanos(event.getStartTime()) > awaitedNanos;
  }

  private static Place place(RecordedStackTrace stack, String kind) {
    List<Place.Frame> frames = new ArrayList<>(frames(stack));
    if (kind.equals(WaitEvents.SLEEP) && !frames.contains(SLEEP)) {
      frames.add(0, SLEEP); // newer JDKs leave it out
    }
    return WaitRule.place(frames, kind.equals(WaitEvents.MONITOR_ENTER));
  }

  private static List<Place.Frame> frames(RecordedStackTrace stack) {
    return stack.getFrames().stream()
        .map(
            frame -> {
              RecordedMethod method = frame.getMethod();
              return new Place.Frame(method.getType().getName(), method.getName());
            })
        .filter(JvmRecording::isCode)
        .toList();
  }

  /** Thread dumps leave these out, too. */
  private static boolean isCode(Place.Frame frame) {
    return !frame.type().startsWith("jdk.internal.vm.Continuation");
  }

  /**
   * Waits until all has been read that happened up to a moment, some seconds at most. The reader
   * may be behind by any time, so it waits for an event from after that moment.
   */
  boolean awaitRead(long untilNanos) throws InterruptedException {
    awaitedNanos = untilNanos;
    return flushes.tryAcquire(FLUSHES, PATIENCE_SECONDS, TimeUnit.SECONDS);
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
    if (events != null) {
      events.close();
    }
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
