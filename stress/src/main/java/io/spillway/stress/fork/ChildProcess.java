package io.spillway.stress.fork;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.spillway.stress.load.Child;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.TrialResult;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One forked JVM: started, watched until its deadline, dumped and killed if it hangs. Its standard
 * input stays open while this process lives; the child ends when its standard input closes. It says
 * lines such as {@link Child#RUNS_OTHERS}.
 */
public final class ChildProcess {

  private static final String ERRORS = "stderr.txt";
  private static final int ERROR_LINES = 8;
  private static final int ERROR_BYTES = 1 << 16;
  private static final long TICK_MILLIS = 200;

  /** A process that has inherited the child's output may keep it open after the child's end. */
  private static final long READ_MILLIS = 5_000;

  // exit codes that stand for a signal
  private static final int CRASHED = 134;
  private static final int KILLED = 137;
  private static final int TERMINATED = 143;

  private final List<String> command;
  private final Path directory;
  private final Path errors;
  private final Process process;
  private final Driver driver;
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final Thread reader = new Thread(this::readOutput, "child-output");
  private volatile long heardNanos = System.nanoTime();
  private volatile boolean outOfMemory;
  private volatile boolean runsOthers;
  private volatile String endedUnder;

  /**
   * Starts a JVM.
   *
   * @param home its working directory, to which nothing is written
   * @param directory directory for its thread dumps
   * @param work directory for its standard error; if the JVM fails, the end of that is kept in
   *     {@code directory}
   */
  public ChildProcess(List<String> command, Path home, Path directory, Path work, Driver driver)
      throws IOException {
    this.command = command;
    this.directory = directory;
    this.driver = driver;
    errors = work.resolve(ERRORS);
    process =
        new ProcessBuilder(command).directory(home.toFile()).redirectError(errors.toFile()).start();
    reader.setDaemon(true);
    reader.start();
  }

  /** What this process does while the forked JVM of a trial runs. */
  public interface Driver extends AutoCloseable {

    /** Does nothing: the forked JVM makes its load itself. */
    Driver NONE = new Driver() {};

    /** Takes a line of the child; must return soon. A failure ends the listening. */
    default void heard(String line, ChildProcess child) throws IOException {}

    /** Returns the child's figures, completed by those of this driver; throws if that failed. */
    default LoadFigures completed(LoadFigures load) throws IOException {
      return load;
    }

    /** Returns figures that only a service has; null if the trial is none. */
    default TrialResult.ServiceFigures figures(LoadFigures load) {
      return null;
    }

    /** Returns the beginning of the names of the threads that make log calls. */
    default String applicationThreads() {
      return LoadSpec.APPLICATION_THREAD;
    }

    /** Stops what still runs. */
    @Override
    default void close() {}
  }

  /**
   * How a forked JVM ended.
   *
   * @param failure why it failed, or null
   * @param dump the path of the thread dump of a hung JVM, or why there is none; null if it did not
   *     hang
   * @param byOthers whether the code under test ended it, or hangs
   */
  public record Outcome(List<String> command, String failure, String dump, boolean byOthers) {

    public boolean ok() {
      return failure == null;
    }
  }

  /**
   * Waits until the child ends.
   *
   * @param deadline the time without a line of output after which the child counts as hung
   * @param report the file that the child writes last; without it the child has failed, because the
   *     code under test may end it early with any exit code
   */
  public Outcome await(Duration deadline, Progress progress, Path report)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!process.waitFor(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
      show(progress);
      if (System.nanoTime() - heardNanos > deadline.toNanos()) {
        return hung(deadline);
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    reader.join(READ_MILLIS);
    show(progress);
    int code = process.exitValue();
    if (code == 0 && Files.exists(report)) {
      return new Outcome(command, null, null, false);
    }
    boolean fromOutside = code == KILLED || code == TERMINATED;
    boolean byOthers = endedUnder != null || runsOthers && !fromOutside;
    boolean exited = byOthers && !outOfMemory && code < CRASHED;
    String how = exited ? endedByOthers(code, seconds) : failure(code);
    String tail = tail(keptErrors());
    return new Outcome(command, how + (tail.isEmpty() ? "" : ": " + tail), null, byOthers);
  }

  private Outcome hung(Duration deadline) throws IOException, InterruptedException {
    String dump = ThreadDump.of(process.pid(), directory);
    kill();
    keptErrors();
    String stuck = ThreadDump.stuck(directory, driver.applicationThreads());
    String failure = stuck + "the forked JVM showed no progress for %d s and was killed";
    return new Outcome(command, failure.formatted(deadline.toSeconds()), dump, !stuck.isEmpty());
  }

  private String endedByOthers(int code, double seconds) {
    String where =
        endedUnder == null
            ? "where in it is not known, as after Runtime.halt"
            : "under " + endedUnder;
    String how = "the appender ended the JVM (exit code %d) after %.1f s, %s";
    return String.format(Locale.ROOT, how, code, seconds, where);
  }

  private String failure(int code) {
    if (outOfMemory) {
      return "the forked JVM ran out of memory (exit code " + code + "; --heap gives it more)";
    }
    return code == Child.CONFIGURATION_ERROR
        ? "the logging library reported an error in its configuration"
        : "the forked JVM ended with exit code " + code + (code == 0 ? ", before it was done" : "");
  }

  /** Keeps the end of the standard error, because the whole may not fit into memory. */
  private String keptErrors() throws IOException {
    try (InputStream in = Files.newInputStream(errors)) {
      in.skipNBytes(Math.max(0, Files.size(errors) - ERROR_BYTES));
      String end = new String(in.readNBytes(ERROR_BYTES), UTF_8);
      if (!errors.getParent().equals(directory)) {
        Files.writeString(directory.resolve(ERRORS), end);
      }
      return end;
    }
  }

  /**
   * Returns the last lines of a standard error, with only the first frame of a stack trace, because
   * all frames would push the exception out of these lines.
   */
  private static String tail(String errors) {
    List<String> last = new ArrayList<>();
    boolean inTrace = false;
    for (String line : errors.strip().lines().toList()) {
      boolean frame = line.startsWith("\tat ") || line.startsWith("\t... ");
      if (!frame || !inTrace) {
        last.add(line);
      }
      inTrace = frame;
    }
    return String.join("\n", last.subList(Math.max(0, last.size() - ERROR_LINES), last.size()));
  }

  private void show(Progress progress) {
    for (String line = said.poll(); line != null; line = said.poll()) {
      progress.note("  " + line);
    }
  }

  private void readOutput() {
    try (BufferedReader lines = process.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        hear(line);
      }
    } catch (IOException e) {
      said.add("its output could not be read: " + e);
    }
  }

  private void hear(String line) throws IOException {
    heardNanos = System.nanoTime();
    if (line.equals(Child.RUNS_OTHERS)) {
      runsOthers = true;
    } else if (line.equals(Child.ENDS)) {
      runsOthers = false;
    } else if (line.startsWith(Child.ENDED_UNDER)) {
      endedUnder = line.substring(Child.ENDED_UNDER.length());
    } else {
      said.add(line);
      driver.heard(line, this);
      outOfMemory |= line.startsWith(ChildCommand.OUT_OF_MEMORY);
    }
  }

  /** Tells the child to go on; without effect if it has ended. */
  public void goOn() {
    try {
      process.getOutputStream().write('\n');
      process.getOutputStream().flush();
    } catch (IOException e) {
      said.add("it cannot be told anything: " + e);
    }
  }

  /** Kills the child, if it still runs, with all its descendants, and waits for its end. */
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Saves the stacks of a hung child's threads before the child is killed, and reads them. */
  private static final class ThreadDump {

    private static final String FILE = "thread-dump.txt";

    /** File of the virtual threads' stacks, which only a command of Java 21 or newer prints. */
    private static final String VIRTUAL_FILE = "thread-dump-virtual.txt";

    private static final Pattern HEADER = Pattern.compile("\"(.*)\" ");
    private static final Pattern NO_DAEMON =
        Pattern.compile("\"(.*)\" #\\d+ (?:\\[\\d+\\] )?(?!daemon )");
    private static final Pattern VIRTUAL = Pattern.compile("#\\d+ \"(.*)\" virtual");

    /** A frame: its group is the method without the module. Java 25 prints "at" before it. */
    private static final Pattern FRAME = Pattern.compile("\\s+(?:at )?(?:[^(]*/)?([^ (]+)\\(.*");

    private static final long PATIENCE_SECONDS = 15;

    private ThreadDump() {}

    /** Runs {@code jcmd} of this JDK; returns where the dump is, or why there is none. */
    static String of(long pid, Path directory) throws IOException, InterruptedException {
      Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
      List<String> command = List.of(jcmd.toString(), Long.toString(pid));
      Path file = directory.resolve(FILE);
      if (!Files.isExecutable(jcmd) || !ran(command, List.of("Thread.print"), file)) {
        return "its threads could not be dumped (no working " + jcmd + ")";
      }
      Path virtual = directory.resolve(VIRTUAL_FILE).toAbsolutePath();
      Path answer = directory.resolve("jcmd.txt");
      ran(command, List.of("Thread.dump_to_file", virtual.toString()), answer);
      Files.deleteIfExists(answer);
      if (ofThreads(virtual, VIRTUAL).isEmpty()) {
        Files.deleteIfExists(virtual);
        return "its threads are in " + file;
      }
      return "its threads are in " + file + ", virtual ones in " + virtual;
    }

    private static boolean ran(List<String> command, List<String> arguments, Path file)
        throws IOException, InterruptedException {
      List<String> whole = new ArrayList<>(command);
      whole.addAll(arguments);
      ProcessBuilder builder = new ProcessBuilder(whole).redirectErrorStream(true);
      Process process = builder.redirectOutput(file.toFile()).start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    }

    /**
     * Says how many threads hang in the code under test, and where; empty if none does. These are
     * the main thread and application threads, in log calls, or, while the main thread waits for
     * shutdown hooks, threads that are no daemons.
     */
    private static String stuck(Path directory, String applicationThreads) throws IOException {
      Path file = directory.resolve(FILE);
      Map<String, List<String>> threads = ofThreads(file, HEADER);
      threads.putAll(ofThreads(directory.resolve(VIRTUAL_FILE), VIRTUAL));
      boolean ends =
          threads.getOrDefault("main", List.of()).stream()
              .anyMatch(at -> at.startsWith("java.lang.ApplicationShutdownHooks."));
      if (ends) {
        threads = ofThreads(file, NO_DAEMON);
      } else {
        threads.keySet().removeIf(at -> !at.equals("main") && !at.startsWith(applicationThreads));
      }
      Map<String, Integer> frames = new TreeMap<>();
      for (List<String> stack : threads.values()) {
        (ends ? LoggingFrames.culprit(stack) : LoggingFrames.inCall(stack))
            .ifPresent(at -> frames.merge(at, 1, Integer::sum));
      }
      int number = frames.values().stream().mapToInt(Integer::intValue).sum();
      String many =
          String.format(Locale.ROOT, "%,d %s", number, number == 1 ? "thread" : "threads");
      return frames.entrySet().stream()
          .max(Map.Entry.comparingByValue())
          .map(most -> many + " never came back, mostly under " + most.getKey() + "; ")
          .orElse("");
    }

    /** Returns the methods on the stacks of a dump, innermost first, by thread name. */
    private static Map<String, List<String>> ofThreads(Path file, Pattern wanted)
        throws IOException {
      Map<String, List<String>> threads = new TreeMap<>();
      List<String> frames = new ArrayList<>(); // frames before the first header belong to no thread
      for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
        Matcher header = wanted.matcher(line);
        Matcher frame = FRAME.matcher(line);
        if (header.lookingAt()) {
          frames = threads.computeIfAbsent(header.group(1), name -> new ArrayList<>());
        } else if (line.startsWith("\"") || line.startsWith("#")) {
          frames = new ArrayList<>();
        } else if (frame.matches()) {
          frames.add(frame.group(1));
        }
      }
      return threads;
    }
  }
}
