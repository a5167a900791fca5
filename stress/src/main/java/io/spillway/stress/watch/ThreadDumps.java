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
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes thread dumps: printed ones, at a safepoint; on JDK 25 into a file in the target's recording
 * repository, which is the target's own place and goes with it. Once a second; less often if that
 * would take more than a hundredth of the time at safepoints, or a twentieth of it without.
 */
final class ThreadDumps implements AutoCloseable {

  private static final long INTERVAL_NANOS = 1_000_000_000L;
  private static final long PAUSES_PER_PRINT = 100;
  private static final long PAUSES_PER_FILE = 20;
  private static final int VIRTUAL_THREADS_SINCE = 25;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** What the name of a hidden class ends in. */
  private static final Pattern HIDDEN = Pattern.compile("/0x[0-9a-f]+");

  private final Target target;
  private final Path file;
  private final boolean virtualThreads;
  private long previousNanos;
  private long lastNanos;

  ThreadDumps(Target target, Path repository, int targetVersion) {
    this.target = target;
    file = repository.resolve("spillway-watch-threads.json");
    virtualThreads = targetVersion >= VIRTUAL_THREADS_SINCE;
  }

  /**
   * One dump.
   *
   * @param fromNanos when it was asked for, since the epoch
   * @param toNanos when it was there
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
    return new Dump(from, to, threads);
  }

  /** How long to wait before the next one, by what the shorter of the last two took. */
  long pauseNanos() {
    long pauses = virtualThreads ? PAUSES_PER_FILE : PAUSES_PER_PRINT;
    return Math.max(INTERVAL_NANOS, Math.min(previousNanos, lastNanos) * pauses);
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

  /** Reads what {@code Thread.print} says: platform threads, their states, stacks and monitors. */
  static List<Sample> printed(String text) {
    Printed dump = new Printed();
    text.lines().forEach(dump::line);
    dump.end();
    return dump.threads;
  }

  /** Reads what {@code Thread.dump_to_file -format=json} writes on JDK 25: virtual threads, too. */
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

  /** {@code loader/module/type.method(source)}; loader and module may be missing. */
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
   * @param waitsFor the monitor it waits to enter, or null
   * @param owns monitors it has entered
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

  /** Reads what {@code Thread.print} says: platform threads, their states, stacks and monitors. */
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

    /** A monitor that a thread waits on is still printed as locked further down its stack. */
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
