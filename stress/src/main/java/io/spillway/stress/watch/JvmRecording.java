package io.spillway.stress.watch;

import io.spillway.stress.record.WaitEvents;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordedThread;

/**
 * The flight recording that the watcher starts in the target: every wait with its stack, without
 * threshold, and every system call for a socket or a file that takes a millisecond. The watcher
 * reads it in the target's repository while the target writes it. Kinds of events that come too
 * often for the target's CPU budget are left out from then on. The recording ends with {@link
 * #close()}; if the watcher is killed, it ends by its own duration. It names the null device as its
 * file, because a recording without a file would not be removed when its duration ends.
 *
 * <p>The JDK's {@code RemoteRecordingStream} reads a recording over JMX, but leaves a management
 * agent and a port in the target.
 */
final class JvmRecording implements AutoCloseable {

  private static final String FILE_READ = "jdk.FileRead";

  /** An event that comes once a second, whatever happens in the target. */
  private static final String TICK = "jdk.CPULoad";

  private static final Path NULL_DEVICE = Path.of("/dev/null");

  /**
   * A rate that no target exceeds. Since Java 25 the JDK's default settings limit events to 100 a
   * second, for this recording too if another one uses them: the highest rate wins, and "off"
   * counts as no rate.
   */
  private static final String EVERY = "1000000/s";

  private static final int GRACE_SECONDS = 10;
  private static final String MAX_SIZE = "128m";
  private static final String PATH_LABEL = "Repository path:";

  /**
   * Flushes to await: the first reports the end of the flush with the event, the second the start
   * of the next flush.
   */
  private static final int FLUSHES = 2;

  private static final long PATIENCE_SECONDS = 8;
  private static final Place.Frame SLEEP = new Place.Frame("java.lang.Thread", "sleep");

  /** CPU time that an event costs the target, mostly for its stack. */
  private static final double EVENT_SECONDS = 10e-6;

  /** Largest cost of events, as a share of the target's CPU time; thread dumps may take as much. */
  private static final double MOST_COST = 0.05;

  /** A cost of events below this share of a core is never too much. */
  private static final double LEAST_COST = 0.005;

  private static final int TIMES_TOO_MUCH = 2;
  private static final double NANOS = 1e9;

  private final Target target;
  private final int seconds;
  private final long startNanos = System.nanoTime();
  private final Set<String> kinds = new TreeSet<>(WaitEvents.WAITS);
  private final Map<String, Integer> seen = new TreeMap<>();
  private final List<String> notes = new CopyOnWriteArrayList<>();
  private long countedNanos = System.nanoTime();
  private double cpuSeconds;
  private int tooMuch;
  private volatile String name;
  private final String calls;
  private Path repository;
  private boolean stopped;

  private EventStream events;
  private Tally tally;
  private final Map<RecordedStackTrace, Place> stacks = new IdentityHashMap<>();
  private final Semaphore flushes = new Semaphore(0);
  private volatile long awaitedNanos = Long.MAX_VALUE;
  private boolean passed;

  private JvmRecording(Target target, String name, int seconds) {
    this.target = target;
    this.name = name;
    this.calls = name + "-calls";
    this.seconds = seconds;
  }

  /**
   * Starts recording.
   *
   * @param seconds the planned length of the watch
   * @throws RefusedException if the target cannot record
   */
  static JvmRecording start(Target target, int seconds) throws IOException {
    String name = "spillway-watch-" + ProcessHandle.current().pid();
    begin(target, waits(name, seconds, WaitEvents.WAITS));
    JvmRecording started = new JvmRecording(target, name, seconds);
    try {
      begin(target, calls(started.calls, seconds));
      started.locate();
    } catch (IOException | RuntimeException e) {
      started.close();
      throw e;
    }
    return started;
  }

  private static void begin(Target target, String command) throws IOException {
    String said = ask(target, command);
    if (!said.contains("Started recording")) {
      throw new RefusedException(unavailable(target, said));
    }
  }

  /** Returns the directory of the target's events; it exists while the target runs. */
  Path repository() {
    return repository;
  }

  /**
   * Starts a thread that reads events while the target writes them.
   *
   * @param from events that ended before this moment are left out
   * @param to receives every wait, and the loss of events
   */
  void follow(Instant from, Tally to) throws IOException {
    tally = to;
    events = EventStream.openRepository(repository);
    events.setStartTime(from);
    events.setOrdered(false);
    WaitEvents.WAITS.forEach(wait -> events.onEvent(wait, this::add));
    WaitEvents.SYSTEM_CALLS.forEach(call -> events.onEvent(call, this::add));
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
    seen.merge(kind, 1, Integer::sum);
    if (kind.equals(FILE_READ) && event.getString("path") == null) {
      return; // standard input, or a pipe
    }
    Place where = stacks.computeIfAbsent(stack, s -> place(s, kind));
    long start = ThreadDumps.epochNanos(event.getStartTime());
    long end = start + event.getDuration().toNanos();
    tally.waited(thread.getJavaThreadId(), where, start, end);
  }

  /**
   * Called after each flush. Clears the cache of stacks, because the parser shares stack traces
   * within a flush only; a cache over flushes would grow without limit.
   */
  private void flushed() {
    stacks.clear();
    backOff();
    if (passed) {
      flushes.release();
    }
  }

  /** Returns notes for readers on what is not recorded. */
  List<String> notes() {
    return List.copyOf(notes);
  }

  /** Leaves out the most frequent kinds of events if the cost was too high twice in a row. */
  private void backOff() {
    long now = System.nanoTime();
    double elapsed = (now - countedNanos) / NANOS;
    if (elapsed * 2 < 1) {
      return;
    }
    double cpu = target.cpuSeconds();
    double used = (cpu - cpuSeconds) / elapsed;
    double most = Math.max(LEAST_COST, MOST_COST * used);
    boolean known = cpuSeconds > 0;
    cpuSeconds = cpu;
    countedNanos = now;
    tooMuch = known && cost(elapsed) > most ? tooMuch + 1 : 0;
    if (tooMuch == TIMES_TOO_MUCH) {
      tooMuch = 0;
      leaveOut(elapsed, most);
    }
    seen.clear();
  }

  private double cost(double elapsed) {
    return seen.entrySet().stream()
        .filter(each -> kinds.contains(each.getKey()))
        .mapToDouble(each -> each.getValue() * EVENT_SECONDS / elapsed)
        .sum();
  }

  private void leaveOut(double elapsed, double most) {
    while (cost(elapsed) > most) {
      String often =
          kinds.stream().max(Comparator.comparingInt(kind -> seen.getOrDefault(kind, 0))).get();
      kinds.remove(often);
      notes.add(
          String.format(
              Locale.ROOT,
              "%s came %,.0f times a second. To record each would cost the process more than a"
                  + " twentieth of its CPU time, so from %.0f s on thread dumps alone show these"
                  + " waits: the sums are estimates, and short waits are not counted.",
              often,
              seen.get(often) / elapsed,
              (System.nanoTime() - startNanos) / NANOS));
    }
    restart();
  }

  /**
   * Replaces the recording; the next one starts before the current one stops, so that no event is
   * lost between them.
   */
  private synchronized void restart() {
    if (stopped) {
      return;
    }
    String before = name;
    String next = before + "+";
    int left = (int) (seconds - (System.nanoTime() - startNanos) / NANOS);
    try {
      target.ask(waits(next, Math.max(0, left), kinds));
      name = next;
      target.ask("JFR.stop name=" + before);
    } catch (IOException e) {
      notes.add("The recording could not be changed (" + e.getMessage() + ").");
    }
  }

  private void tick(RecordedEvent event) {
    passed = ThreadDumps.epochNanos(event.getStartTime()) > awaitedNanos;
  }

  private static Place place(RecordedStackTrace stack, String kind) {
    List<Place.Frame> frames = new ArrayList<>(frames(stack));
    if (WaitEvents.SYSTEM_CALLS.contains(kind)) {
      return WaitRule.systemCall(frames);
    }
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

  /** Returns whether a frame is not a continuation's; thread dumps leave those out, too. */
  private static boolean isCode(Place.Frame frame) {
    return !frame.type().startsWith("jdk.internal.vm.Continuation");
  }

  /**
   * Waits until all events up to a moment have been read, for 8 s at most. The reader's delay is
   * not bounded, so the method waits for an event from after that moment. Returns false on timeout.
   */
  boolean awaitRead(long untilNanos) throws InterruptedException {
    awaitedNanos = untilNanos;
    return flushes.tryAcquire(FLUSHES, PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  static String waits(String name, int seconds, Set<String> kinds) {
    StringBuilder line = command(name, seconds);
    kinds.forEach(kind -> append(line, kind, "0ms"));
    line.append(" +").append(TICK).append("#enabled=true");
    line.append(" +").append(TICK).append("#period=1s");
    return line.append(" +").append(WaitEvents.DATA_LOSS).append("#enabled=true").toString();
  }

  /**
   * Returns the command for a separate recording of system calls: a target on Java 17 accepts
   * commands of at most 1,024 characters.
   */
  static String calls(String name, int seconds) {
    StringBuilder line = command(name, seconds);
    for (String kind : WaitEvents.SYSTEM_CALLS) {
      append(line, kind, "1ms");
      line.append(" +").append(kind).append("#throttle=").append(EVERY);
    }
    return line.toString();
  }

  private static StringBuilder command(String name, int seconds) {
    StringBuilder line = new StringBuilder("JFR.start settings=none name=").append(name);
    line.append(" duration=").append(seconds + GRACE_SECONDS).append("s maxsize=").append(MAX_SIZE);
    return Files.exists(NULL_DEVICE) ? line.append(" filename=").append(NULL_DEVICE) : line;
  }

  private static void append(StringBuilder line, String event, String threshold) {
    line.append(" +").append(event).append("#enabled=true");
    line.append(" +").append(event).append("#threshold=").append(threshold);
    line.append(" +").append(event).append("#stackTrace=true");
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
    } catch (Target.NoAnswer e) {
      throw e;
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

  /** Ends the recording; further calls do nothing. A target that has ended needs no stop. */
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
      stop(name);
    } finally {
      stop(calls);
    }
  }

  private void stop(String recording) throws IOException {
    try {
      target.ask("JFR.stop name=" + recording);
    } catch (IOException e) {
      if (target.alive()) {
        throw new IOException(
            "The recording of process "
                + target.pid()
                + " could not be stopped; jcmd "
                + target.pid()
                + " JFR.stop name="
                + recording
                + " does",
            e);
      }
    }
  }
}
