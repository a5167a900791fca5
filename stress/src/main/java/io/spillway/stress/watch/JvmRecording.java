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
 * A recording of ours in the target: every wait, with its stack, at no threshold, and every system
 * call for a socket or a file that takes a millisecond; read along in the target's repository while
 * it is written. Events that come too often for what the target may pay are left out from then on.
 * It ends with {@link #close()}; should this process be killed, it ends by its own duration. It
 * names the null device as the file to end in, because a recording without a file would not be
 * removed then.
 *
 * <p>The JDK's own {@code RemoteRecordingStream} would do the same over JMX, and leave a management
 * agent and a port in the target.
 */
final class JvmRecording implements AutoCloseable {

  private static final String FILE_READ = "jdk.FileRead";

  /** Comes once a second, whatever else happens. */
  private static final String TICK = "jdk.CPULoad";

  private static final Path NULL_DEVICE = Path.of("/dev/null");

  /**
   * Since Java 25 the JDK's defaults let 100 a second through, also for us if another recording has
   * them: the highest rate of all wins, and "off" is none.
   */
  private static final String EVERY = "1000000/s";

  private static final int GRACE_SECONDS = 10;
  private static final String MAX_SIZE = "128m";
  private static final String PATH_LABEL = "Repository path:";

  /** The end of the flush that an event came with is told, and then the beginning of the next. */
  private static final int FLUSHES = 2;

  private static final long PATIENCE_SECONDS = 8;
  private static final Place.Frame SLEEP = new Place.Frame("java.lang.Thread", "sleep");

  /** What an event costs the target, its stack above all. */
  private static final double EVENT_SECONDS = 10e-6;

  /** Of the CPU time that the target uses; as much again is left for thread dumps. */
  private static final double MOST_COST = 0.05;

  /** Of a core: what costs less is never too much. */
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
   * @param seconds how long the watch is meant to last
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

  /** Stack traces are shared within a flush only; keeping more would keep every one ever read. */
  private void flushed() {
    stacks.clear();
    backOff();
    if (passed) {
      flushes.release();
    }
  }

  /** What a reader should know of what is recorded. */
  List<String> notes() {
    return List.copyOf(notes);
  }

  /** Leaves out what comes most often, if all that comes costs the target too much. */
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

  /** The next recording begins before this one ends, so that nothing is lost between them. */
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

  static String waits(String name, int seconds, Set<String> kinds) {
    StringBuilder line = command(name, seconds);
    kinds.forEach(kind -> append(line, kind, "0ms"));
    line.append(" +").append(TICK).append("#enabled=true");
    line.append(" +").append(TICK).append("#period=1s");
    return line.append(" +").append(WaitEvents.DATA_LOSS).append("#enabled=true").toString();
  }

  /** A recording of its own: a target on Java 17 takes no more than 1,024 characters at once. */
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
