package io.spillway.stress.fork;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.spillway.stress.load.Child;
import io.spillway.stress.report.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One forked JVM: started, watched until its deadline, dumped and killed if it hangs. Its standard
 * input stays open as long as this process lives; the child ends when that closes.
 */
public final class ChildProcess {

  private static final String ERRORS = "stderr.txt";
  private static final long TICK_MILLIS = 200;

  /** Another process may have inherited the child's output, so that it does not end with it. */
  private static final long READ_MILLIS = 5_000;

  /** Exit codes above it are of a signal, which is from outside, or of a JVM that crashed. */
  private static final int SIGNALS = 128;

  private final List<String> command;
  private final Path directory;
  private final Path errors;
  private final Process process;
  private final Queue<String> said = new ConcurrentLinkedQueue<>();
  private final Thread reader = new Thread(this::readOutput, "child-output");
  private volatile long heardNanos = System.nanoTime();
  private volatile boolean outOfMemory;
  private volatile boolean runsOthers;
  private volatile String endedUnder;

  private ChildProcess(List<String> command, Path directory, Path errors, Process process) {
    this.command = command;
    this.directory = directory;
    this.errors = errors;
    this.process = process;
  }

  /**
   * Starts a JVM.
   *
   * @param directory in which it runs
   * @param work gets its standard error; if it fails, the end of that is kept in {@code directory}
   */
  public static ChildProcess start(List<String> command, Path directory, Path work)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    Path errors = work.resolve(ERRORS);
    builder.redirectError(errors.toFile());
    ChildProcess child = new ChildProcess(command, directory, errors, builder.start());
    child.reader.setDaemon(true);
    child.reader.start();
    return child;
  }

  /**
   * Waits until the child ends.
   *
   * @param deadline after its start, and after whatever it says: then it is taken to hang
   * @param report that it writes last: code that it runs for others may end it before, with any
   *     exit code
   */
  public Outcome await(Duration deadline, Progress progress, Path report)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!process.waitFor(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
      tell(progress);
      progress.tick();
      if (System.nanoTime() - heardNanos > deadline.toNanos()) {
        return hung(deadline);
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    reader.join(READ_MILLIS);
    tell(progress);
    int code = process.exitValue();
    if (code == 0 && Files.exists(report)) {
      return new Outcome(command, null, null, false);
    }
    boolean byOthers = endedUnder != null || runsOthers && !outOfMemory && code <= SIGNALS;
    String how = byOthers ? endedByOthers(code, seconds) : failure(code);
    keepErrors();
    String tail = Tail.of(errors);
    return new Outcome(command, how + (tail.isEmpty() ? "" : ": " + tail), null, byOthers);
  }

  /** Ends the child at once, if it still runs, with all that it started, and waits for it. */
  public void kill() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
  }

  private Outcome hung(Duration deadline) throws IOException, InterruptedException {
    String dump = ThreadDump.of(process.pid(), directory);
    kill();
    keepErrors();
    String failure =
        String.format(
            Locale.ROOT,
            "the forked JVM showed no progress for %d s and was killed",
            deadline.toSeconds());
    return new Outcome(command, failure, dump, false);
  }

  private String endedByOthers(int code, double seconds) {
    return String.format(
        Locale.ROOT,
        "the appender ended the JVM (exit code %d) after %.1f s, %s",
        code,
        seconds,
        endedUnder == null
            ? "where in it is not known, as after Runtime.halt"
            : "under " + endedUnder);
  }

  private String failure(int code) {
    if (outOfMemory) {
      return "the forked JVM ran out of memory (exit code " + code + "; --heap gives it more)";
    }
    return switch (code) {
      case Child.CONFIGURATION_ERROR ->
          "the logging library reported an error in its configuration";
      case 0 -> "the forked JVM ended with exit code 0, before it was done";
      default -> "the forked JVM ended with exit code " + code;
    };
  }

  private void tell(Progress progress) {
    for (String line = said.poll(); line != null; line = said.poll()) {
      progress.note(line);
    }
  }

  private void readOutput() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        hear(line);
      }
    } catch (IOException e) {
      said.add("its output could not be read: " + e);
    }
  }

  private void hear(String line) {
    heardNanos = System.nanoTime();
    if (line.equals(Child.RUNS_OTHERS)) {
      runsOthers = true;
    } else if (line.equals(Child.ENDS)) {
      runsOthers = false;
    } else if (line.startsWith(Child.ENDED_UNDER)) {
      endedUnder = line.substring(Child.ENDED_UNDER.length());
    } else {
      said.add(line);
      outOfMemory |= line.startsWith(ChildCommand.OUT_OF_MEMORY);
    }
  }

  private void keepErrors() throws IOException {
    Path kept = directory.resolve(ERRORS);
    if (!kept.equals(errors)) {
      Files.writeString(kept, Tail.end(errors));
    }
  }

  /**
   * How a forked JVM ended.
   *
   * @param command its command line
   * @param failure why it did not end well, or null
   * @param dump where the threads of one that hung are written down, or why they are not; else null
   * @param byOthers whether code that it ran for others ended it
   */
  public record Outcome(List<String> command, String failure, String dump, boolean byOthers) {

    /** Whether the child ended by itself, reporting success. */
    public boolean ok() {
      return failure == null;
    }
  }

  /**
   * The last lines of what a child wrote to its standard error. Of a stack trace there is only the
   * method that threw, or its frames would hide what was thrown.
   */
  public static final class Tail {

    private static final int LINES = 8;
    private static final int BYTES = 1 << 16;

    private Tail() {}

    /** Of the file that has it; empty if there is nothing in it. */
    public static String of(Path file) {
      List<String> last = new ArrayList<>();
      boolean inTrace = false;
      try {
        for (String line : end(file).strip().lines().toList()) {
          boolean frame = line.startsWith("\tat ") || line.startsWith("\t... ");
          if (!frame || !inTrace) {
            last.add(line);
          }
          inTrace = frame;
        }
      } catch (IOException e) {
        return "(its standard error cannot be read: " + e + ")";
      }
      return String.join("\n", last.subList(Math.max(0, last.size() - LINES), last.size()));
    }

    /** A child may have written more than fits into memory. */
    private static String end(Path file) throws IOException {
      try (InputStream in = Files.newInputStream(file)) {
        in.skipNBytes(Math.max(0, Files.size(file) - BYTES));
        return new String(in.readNBytes(BYTES), UTF_8);
      }
    }
  }

  /** Writes down what the threads of a hung child are doing, before it is killed. */
  public static final class ThreadDump {

    private static final String FILE = "thread-dump.txt";

    /** Of virtual threads, which only another command of Java 21 or newer shows. */
    private static final String VIRTUAL_FILE = "thread-dump-virtual.txt";

    private static final Pattern HEADER = Pattern.compile("\"(.*)\" ");
    private static final Pattern NO_DAEMON =
        Pattern.compile("\"(.*)\" #\\d+ (?:\\[\\d+\\] )?(?!daemon )");
    private static final Pattern VIRTUAL = Pattern.compile("#\\d+ \"(.*)\" virtual");

    /** The method, without its module; Java 25 has an "at" before it. */
    private static final Pattern FRAME = Pattern.compile("\\s+(?:at )?(?:[^(]*/)?([^ (]+\\(.*)");

    private static final long PATIENCE_SECONDS = 15;

    private ThreadDump() {}

    /**
     * Asks {@code jcmd}, or {@code jstack}, of this JDK.
     *
     * @return where the dump is, or why there is none
     */
    static String of(long pid, Path directory) throws IOException, InterruptedException {
      Path file = directory.resolve(FILE);
      Path bin = Path.of(System.getProperty("java.home"), "bin");
      String target = Long.toString(pid);
      List<List<String>> ways =
          List.of(
              List.of(bin.resolve("jcmd").toString(), target, "Thread.print"),
              List.of(bin.resolve("jstack").toString(), target));
      for (List<String> way : ways) {
        if (Files.isExecutable(Path.of(way.get(0))) && ran(way, file)) {
          return "its threads are in " + file + virtual(bin.resolve("jcmd"), target, directory);
        }
      }
      return "its threads could not be dumped (no working jcmd or jstack in " + bin + ")";
    }

    private static String virtual(Path jcmd, String target, Path directory)
        throws IOException, InterruptedException {
      Path file = directory.resolve(VIRTUAL_FILE).toAbsolutePath();
      Path answer = directory.resolve("jcmd.txt");
      boolean dumped =
          ran(List.of(jcmd.toString(), target, "Thread.dump_to_file", file.toString()), answer);
      Files.deleteIfExists(answer);
      if (dumped && !ofThreads(file, VIRTUAL).isEmpty()) {
        return ", virtual ones in " + file;
      }
      Files.deleteIfExists(file);
      return "";
    }

    /** The methods that each of its threads was in, innermost first, by its name. */
    public static Map<String, List<String>> ofThreads(Path directory) throws IOException {
      Map<String, List<String>> threads = ofThreads(directory.resolve(FILE), HEADER);
      threads.putAll(ofThreads(directory.resolve(VIRTUAL_FILE), VIRTUAL));
      return threads;
    }

    /**
     * Where it hangs, in words: the method that its main thread is in, or, if that waits for
     * shutdown hooks, the one that a hook is in. Empty if it is not known.
     */
    public static String whereItHangs(Path directory) throws IOException {
      List<String> main = ofThreads(directory).getOrDefault("main", List.of());
      boolean ending =
          main.stream().anyMatch(frame -> frame.startsWith("java.lang.ApplicationShutdownHooks."));
      if (!ending) {
        return own(main).map(frame -> "; it hangs in " + frame).orElse("");
      }
      Map<String, List<String>> others = ofThreads(directory.resolve(FILE), NO_DAEMON);
      others.remove("main");
      return others.values().stream()
          .flatMap(stack -> own(stack).stream())
          .findFirst()
          .map(frame -> "; it hangs in a shutdown hook, in " + frame)
          .orElse("; it hangs in a shutdown hook");
    }

    private static Optional<String> own(List<String> stack) {
      return stack.stream()
          .filter(frame -> !frame.startsWith("java.") && !frame.startsWith("jdk."))
          .findFirst();
    }

    private static Map<String, List<String>> ofThreads(Path file, Pattern wanted)
        throws IOException {
      Map<String, List<String>> threads = new TreeMap<>();
      List<String> frames = new ArrayList<>(); // of no thread
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

    private static boolean ran(List<String> command, Path file)
        throws IOException, InterruptedException {
      ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
      Process process = builder.redirectOutput(file.toFile()).start();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    }
  }
}
