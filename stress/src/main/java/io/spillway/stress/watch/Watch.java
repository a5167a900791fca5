package io.spillway.stress.watch;

import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.report.Format;
import io.spillway.stress.report.Html;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TextTable;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.UndeclaredThrowableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.management.jfr.RemoteRecordingStream;

/**
 * Watches one JVM: its flight recorder reports waits of {@value #LEAST_MILLIS} ms or more when they
 * end; once a second, threads that wait on are looked at.
 *
 * @param pid the process to watch
 * @param seconds length of the watch
 * @param out the directory in which each watch creates its directory
 */
public record Watch(long pid, int seconds, Path out) {

  private static final long LEAST_MILLIS = 10;
  private static final int DEPTH = 64;
  private static final int SHOWN = 15;
  private static final String CLEAR = "\u001b[H\u001b[2J";
  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT);
  private static final List<String> HEADER =
      List.of("where", "threads now", "waits", "thread-s", "longest");

  /**
   * What is written to {@code watch.json}.
   *
   * @param pid the watched process
   * @param command its main class or jar
   * @param startedAt ISO-8601 instant
   * @param seconds how long it was watched
   * @param waits the waits by place, log calls first, then the costliest first
   * @param notes what a reader must know
   * @param machine the machine on which it ran
   */
  record Result(
      long pid,
      String command,
      String startedAt,
      double seconds,
      List<Waiting.Row> waits,
      List<String> notes,
      RunResult.Machine machine) {}

  /**
   * Watches, prints the figures and writes {@code watch.json} and {@code watch.html}.
   *
   * @param to where the figures are shown, anew each second on a terminal
   * @param terminal whether it is one
   * @return the directory of the files
   * @throws RefusedException if the process cannot be watched; the message says what to do
   */
  public Path execute(PrintStream to, boolean terminal) throws IOException, InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch written = new CountDownLatch(1);
    Thread hook = new Thread(() -> end(asked, written), "end-of-watch");
    try (Target target = Target.connect(pid)) {
      Path directory = directory();
      Runtime.getRuntime().addShutdownHook(hook);
      Result result = watch(target, asked, to, terminal);
      to.print(table(result.waits()));
      result.notes().forEach(note -> to.println("Note: " + note));
      write(directory, result);
      to.println("Page: " + directory.resolve("watch.html"));
      return directory;
    } finally {
      written.countDown();
      if (asked.getCount() > 0) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    }
  }

  /** Ctrl-C ends the watch early; the JVM ends when the files are written. */
  private static void end(CountDownLatch asked, CountDownLatch written) {
    asked.countDown();
    try {
      written.await(30, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Result watch(Target target, CountDownLatch asked, PrintStream to, boolean terminal)
      throws IOException, InterruptedException {
    Instant start = Instant.now();
    Waiting waiting = new Waiting();
    Set<String> notes = new HashSet<>();
    try (RemoteRecordingStream stream = new RemoteRecordingStream(target.connection())) {
      for (String wait : FlightRecording.WAITS) {
        stream.enable(wait).withThreshold(Duration.ofMillis(LEAST_MILLIS)).withStackTrace();
        stream.onEvent(wait, waiting::ended);
      }
      stream.onEvent(
          FlightRecording.DATA_LOSS,
          event -> notes.add("The flight recorder lost events: the sums are too low."));
      stream.onError(error -> {}); // the process has ended, which the look tells
      stream.startAsync();
      ThreadMXBean threads =
          ManagementFactory.newPlatformMXBeanProxy(
              target.connection(), ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
      to.println("Watching " + pid + " (" + target.command() + "); Ctrl-C ends it earlier.");
      Instant end = start.plusSeconds(seconds);
      while (Instant.now().isBefore(end) && !asked.await(1, TimeUnit.SECONDS)) {
        waiting.current(look(threads, waiting.current()));
        String shown = table(waiting.rows(Instant.now()));
        to.print(terminal ? CLEAR + shown : "");
      }
    } catch (IOException | UndeclaredThrowableException e) {
      if (target.isAlive()) {
        throw e instanceof IOException io ? io : new IOException(e);
      }
      notes.add("The process ended during the watch.");
    }
    Instant end = Instant.now();
    return new Result(
        pid,
        target.command(),
        start.toString(),
        Duration.between(start, end).toMillis() / 1e3,
        waiting.rows(end),
        List.copyOf(notes),
        RunResult.Machine.current());
  }

  /**
   * Returns the waits that last since the look before. Only threads that wait on and that were not
   * seen in this wait yet are asked for their stacks, which is what costs.
   */
  private static Map<Long, Waiting.Current> look(
      ThreadMXBean threads, Map<Long, Waiting.Current> before) {
    Map<Long, Waiting.Current> now = new HashMap<>();
    Instant time = Instant.now();
    List<Long> unknown = new ArrayList<>();
    for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info == null || info.getThreadState() == Thread.State.RUNNABLE) {
        continue;
      }
      long waits = info.getBlockedCount() + info.getWaitedCount();
      Waiting.Current known = before.get(info.getThreadId());
      boolean same = known != null && known.waits() == waits;
      now.put(info.getThreadId(), same ? known : new Waiting.Current(null, false, time, waits));
      if (same && !known.looked()) {
        unknown.add(info.getThreadId());
      }
    }
    long[] ids = unknown.stream().mapToLong(id -> id).toArray();
    for (ThreadInfo info : threads.getThreadInfo(ids, DEPTH)) {
      if (info != null) {
        Waiting.Current wait = now.get(info.getThreadId());
        Waiting.Row.Place place = place(info);
        now.put(info.getThreadId(), new Waiting.Current(place, true, wait.since(), wait.waits()));
      }
    }
    return now;
  }

  /** Returns where a thread waits that must be told of, or null. */
  private static Waiting.Row.Place place(ThreadInfo info) {
    StackTraceElement[] stack = info.getStackTrace();
    if (LoggingFrames.isInCall(stack)) {
      return new Waiting.Row.Place(LoggingFrames.nearest(stack), true);
    }
    return info.getThreadState() == Thread.State.BLOCKED
        ? new Waiting.Row.Place(LoggingFrames.nearest(stack), false)
        : null;
  }

  private static List<List<String>> rows(List<Waiting.Row> waits) {
    List<List<String>> rows = new ArrayList<>(List.of(HEADER));
    for (Waiting.Row row : waits.subList(0, Math.min(SHOWN, waits.size()))) {
      rows.add(
          List.of(
              (row.place().logging() ? "log call: " : "") + row.place().frame(),
              Format.number(row.threadsNow()),
              Format.number(row.waits()),
              String.format(Locale.ROOT, "%,.2f", row.threadSeconds()),
              Format.micros(row.longestSeconds() * 1e6)));
    }
    return rows;
  }

  private static String table(List<Waiting.Row> waits) {
    return waits.isEmpty()
        ? "No thread waited for " + LEAST_MILLIS + " ms in a log call or for a monitor.\n"
        : TextTable.render(rows(waits));
  }

  private static void write(Path directory, Result result) throws IOException {
    Json.write(directory.resolve("watch.json"), result);
    Html page = new Html();
    boolean logging = result.waits().stream().anyMatch(row -> row.place().logging());
    String held = logging ? "Threads waited in log calls." : "No thread waited in a log call.";
    page.add("p", "finding " + (logging ? "violated" : "passed"), held);
    page.add("p", "muted", result.command() + ", " + Format.seconds(result.seconds()));
    page.table(rows(result.waits())).list(result.notes());
    page.write(directory.resolve("watch.html"), "Process " + result.pid() + " watched");
  }

  private Path directory() {
    try {
      Path parent = Files.createDirectories(out).toAbsolutePath();
      return Files.createDirectory(parent.resolve(LocalDateTime.now().format(NAME)));
    } catch (IOException e) {
      throw new RefusedException(
          "--out " + out + " cannot be written to (" + e + "); name a directory that can");
    }
  }
}
