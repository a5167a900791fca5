package io.spillway.stress.watch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes thread dumps: printed ones, at a safepoint; from JDK 25 on into a file in the target's
 * recording repository, which the target removes when it ends. A dump is taken once a second; less
 * often, but at least every four seconds, if dumps would take more than their budget. For printed
 * dumps that is a fiftieth of the CPU time that the target uses (at least 0.25 % of a core, at most
 * 1 %), for files a twentieth of a core.
 */
final class ThreadDumps implements AutoCloseable {

  private static final long INTERVAL_NANOS = 1_000_000_000L;
  private static final long MOST_NANOS = 4 * INTERVAL_NANOS;
  private static final double OF_CPU = 0.02;
  private static final double LEAST_OF_CORE = 0.0025;
  private static final double MOST_OF_CORE = 0.01;
  private static final double OF_CORE_PER_FILE = 0.05;
  private static final double RARE = 1.5;
  private static final int VIRTUAL_THREADS_SINCE = 25;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** The end of the name of a hidden class. */
  private static final Pattern HIDDEN = Pattern.compile("/0x[0-9a-f]+");

  private final Target target;
  private final Path file;
  private final boolean virtualThreads;
  private long previousNanos;
  private long lastNanos;
  private double cpuSeconds;
  private long cpuNanos;
  private double used; // cores
  private long count;
  private long sumNanos;

  ThreadDumps(Target target, Path repository, int targetVersion) {
    this.target = target;
    file = file(repository);
    virtualThreads = targetVersion >= VIRTUAL_THREADS_SINCE;
  }

  /**
   * Returns the file for dumps; its name contains the watcher's pid, as several watchers may watch
   * one JVM.
   */
  static Path file(Path repository) {
    return repository.resolve("spillway-watch-threads-" + ProcessHandle.current().pid() + ".json");
  }

  /**
   * One dump.
   *
   * @param fromNanos when it was requested, since the epoch
   * @param toNanos when it was complete, since the epoch
   * @param threads all threads in it
   */
  record Dump(long fromNanos, long toNanos, List<Sample> threads) {}

  /** Takes a dump. */
  Dump take() throws IOException {
    long from = epochNanos(Instant.now());
    List<Sample> threads;
    long to;
    if (virtualThreads) {
      target.ask("Thread.dump_to_file -overwrite -format=json \"" + file + "\"");
      to = epochNanos(Instant.now());
      threads = json(file);
    } else {
      String text = target.ask("Thread.print");
      to = epochNanos(Instant.now());
      threads = printed(text);
    }
    previousNanos = lastNanos;
    lastNanos = to - from;
    count++;
    sumNanos += lastNanos;
    measure();
    return new Dump(from, to, threads);
  }

  private void measure() {
    double cpu = target.cpuSeconds();
    long now = System.nanoTime();
    used = cpuSeconds == 0 ? 0 : (cpu - cpuSeconds) * INTERVAL_NANOS / (now - cpuNanos);
    cpuSeconds = cpu;
    cpuNanos = now;
  }

  /** Returns the pause before the next dump, by the duration of the shorter of the last two. */
  long pauseNanos() {
    double ofCore =
        virtualThreads
            ? OF_CORE_PER_FILE
            : Math.min(MOST_OF_CORE, Math.max(LEAST_OF_CORE, OF_CPU * used));
    long pause = (long) (Math.min(previousNanos, lastNanos) / ofCore);
    return Math.min(MOST_NANOS, Math.max(INTERVAL_NANOS, pause));
  }

  /** Returns a note on the interval of dumps if it was 1.5 s or more on average. */
  Optional<String> rarity(double seconds) {
    return seconds < count * RARE
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "Thread dumps came every %.1f s, for each takes the process %.0f ms: what they"
                    + " alone show is the less exact.",
                seconds / count,
                sumNanos / 1e6 / count));
  }

  boolean seesVirtualThreads() {
    return virtualThreads;
  }

  static long epochNanos(Instant instant) {
    return instant.getEpochSecond() * 1_000_000_000L + instant.getNano();
  }

  @Override
  public void close() throws IOException {
    Files.deleteIfExists(file);
  }

  /** Reads {@code Thread.print}'s output: platform threads, their states, stacks and monitors. */
  static List<Sample> printed(String text) {
    Printed dump = new Printed();
    text.lines().forEach(dump::line);
    dump.end();
    return dump.threads;
  }

  /** Reads the JSON of {@code Thread.dump_to_file} of JDK 25, which includes virtual threads. */
  static List<Sample> json(Path file) throws IOException {
    List<Sample> threads = new ArrayList<>();
    JsonNode dump = MAPPER.readTree(file.toFile()).path("threadDump");
    for (JsonNode container : dump.path("threadContainers")) {
      for (JsonNode thread : container.path("threads")) {
        if (thread.hasNonNull("state")) {
          threads.add(thread(thread));
        }
      }
    }
    return threads;
  }

  private static Sample thread(JsonNode thread) {
    List<Place.Frame> stack = new ArrayList<>();
    thread.path("stack").forEach(line -> stack.add(frame(line.asText())));
    Set<String> owns = new HashSet<>();
    for (JsonNode depth : thread.path("monitorsOwned")) {
      depth.path("locks").forEach(lock -> owns.add(lock.asText()));
    }
    owns.remove(thread.path("waitingOn").asText());
    return new Sample(
        thread.path("tid").asLong(),
        thread.path("name").asText(),
        Thread.State.valueOf(thread.path("state").asText()),
        stack,
        thread.path("blockedOn").asText(null),
        owns);
  }

  /** Parses {@code loader/module/type.method(source)}; loader and module may be missing. */
  private static Place.Frame frame(String line) {
    int end = line.indexOf('(');
    String qualified = HIDDEN.matcher(end < 0 ? line : line.substring(0, end)).replaceAll("");
    return Place.Frame.of(qualified.substring(qualified.lastIndexOf('/') + 1));
  }

  /**
   * One thread in a thread dump.
   *
   * @param id the Java thread id
   * @param name its name
   * @param state a {@link Thread.State}
   * @param stack its frames, the innermost first
   * @param waitsFor the monitor that it waits to enter, or null
   * @param owns monitors that it has entered
   */
  record Sample(
      long id,
      String name,
      Thread.State state,
      List<Place.Frame> stack,
      String waitsFor,
      Set<String> owns) {

    boolean blocked() {
      return state == Thread.State.BLOCKED;
    }

    boolean waiting() {
      return blocked() || state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
    }
  }

  /** Parser of the output of {@code Thread.print}. */
  private static final class Printed {

    private static final Pattern HEADER = Pattern.compile("\"(.*)\" #(\\d+) .*");
    private static final Pattern STATE =
        Pattern.compile(" +java\\.lang\\.Thread\\.State: (\\w+).*");
    private static final Pattern FRAME = Pattern.compile("\\tat ([^(]+)\\(.*");
    private static final Pattern LOCK =
        Pattern.compile(
            "\\t- (locked|waiting to lock|waiting on|waiting to re-lock in wait\\(\\)) <(\\w+)>.*");

    private final List<Sample> threads = new ArrayList<>();
    private long id = -1;
    private String name;
    private Thread.State state;
    private List<Place.Frame> stack = new ArrayList<>();
    private String waitsFor;
    private Set<String> owns = new HashSet<>();
    private final Set<String> released = new HashSet<>();

    private void line(String line) {
      Matcher header = HEADER.matcher(line);
      if (header.matches()) {
        end();
        id = Long.parseLong(header.group(2));
        name = header.group(1);
        return;
      }
      Matcher frame = FRAME.matcher(line);
      if (frame.matches()) {
        stack.add(Place.Frame.of(frame.group(1)));
        return;
      }
      Matcher lock = LOCK.matcher(line);
      if (lock.matches()) {
        lock(lock.group(1), lock.group(2));
        return;
      }
      Matcher found = STATE.matcher(line);
      if (found.matches()) {
        state = Thread.State.valueOf(found.group(1));
      } else if (line.isEmpty()) {
        end();
      }
    }

    /**
     * Reads a line on a monitor. A monitor on which a thread waits is released, but is also printed
     * as locked further down the stack.
     */
    private void lock(String how, String monitor) {
      if (how.equals("locked")) {
        if (!released.contains(monitor)) {
          owns.add(monitor);
        }
      } else {
        released.add(monitor);
        waitsFor = how.equals("waiting on") ? waitsFor : monitor;
      }
    }

    private void end() {
      if (id >= 0 && state != null) {
        threads.add(new Sample(id, name, state, List.copyOf(stack), waitsFor, owns));
      }
      id = -1;
      state = null;
      stack = new ArrayList<>();
      waitsFor = null;
      owns = new HashSet<>();
      released.clear();
    }
  }
}
