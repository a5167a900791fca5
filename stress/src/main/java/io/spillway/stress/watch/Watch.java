package io.spillway.stress.watch;

import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.RunResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** One watch of one JVM, from attaching to writing files. The calling thread takes the dumps. */
public final class Watch {

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT);
  private static final double NANOS = 1e9;

  private final Options options;
  private final PrintStream out;
  private final boolean terminal;
  private final List<String> notes = new ArrayList<>();

  /** Prepares a watch; it has no effect before {@link #execute()}. */
  public Watch(Options options, PrintStream out, boolean terminal) {
    this.options = options;
    this.out = out;
    this.terminal = terminal;
  }

  /**
   * Watches, prints the figures and writes {@code watch.json} and {@code watch.html}.
   *
   * @return the figures
   * @throws RefusedException if the process cannot be watched
   */
  public WatchFigures execute() throws IOException, InterruptedException {
    try (StopSignal stop = new StopSignal();
        Target target = Target.attach(options.pid())) {
      return execute(target, stop);
    }
  }

  /** Watches a target that is already attached. */
  WatchFigures execute(Target target, StopSignal stop) throws IOException, InterruptedException {
    Target.Info info;
    JvmRecording started;
    try {
      info = Target.Info.of(target);
      started = JvmRecording.start(target, options.seconds());
    } catch (Target.NoAnswer e) {
      throw new RefusedException(e.getMessage());
    } catch (IOException e) {
      if (target.alive()) {
        throw e;
      }
      throw new RefusedException(
          "process " + target.pid() + " ended before there was anything to see of it");
    }
    try (JvmRecording recording = started) {
      Path directory = directory();
      WatchFigures figures = watch(target, info, recording, stop);
      stop(recording);
      write(directory, figures);
      return figures;
    }
  }

  /**
   * Stops the recording before the files are written; a failure becomes a note, so that the figures
   * are written anyway.
   */
  private void stop(JvmRecording recording) {
    try {
      recording.close();
    } catch (IOException e) {
      notes.add(e.getMessage());
    }
  }

  private WatchFigures watch(
      Target target, Target.Info info, JvmRecording recording, StopSignal stop)
      throws IOException, InterruptedException {
    Instant begin = Instant.now();
    Tally tally = new Tally(ThreadDumps.epochNanos(begin));
    try (ThreadDumps dumps = new ThreadDumps(target, recording.repository(), info.feature())) {
      recording.follow(begin, tally);
      out.printf(
          Locale.ROOT,
          "Watching process %d (%s) for %d s; Ctrl-C ends it earlier.%n",
          target.pid(),
          info.describe(),
          options.seconds());
      String failure = sample(dumps, tally, recording, stop);
      long end = ThreadDumps.epochNanos(Instant.now());
      tally.end(end);
      if (failure != null) {
        notes.add(target.alive() ? failure : "The process ended during the watch.");
      } else if (!recording.awaitRead(end)) {
        tally.dataLost();
        notes.add("The last events of the flight recorder did not come in time.");
      }
      if (info.hasVirtualThreads() && !dumps.seesVirtualThreads()) {
        notes.add("Virtual threads are not seen: that takes a target on Java 25.");
      }
      notes.addAll(recording.notes());
      double seconds = (end - ThreadDumps.epochNanos(begin)) / NANOS;
      lateness(seconds, options.seconds()).ifPresent(notes::add);
      dumps.rarity(seconds).ifPresent(notes::add);
      return figures(info, begin, end, tally);
    }
  }

  /** Returns a note if the watch lasted over a second longer than asked; sums include that time. */
  static Optional<String> lateness(double seconds, int asked) {
    return seconds <= asked + 1
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "The watch lasted %.1f s, for its last thread dump was late.",
                seconds));
  }

  /** Takes dumps until the time is over; returns the cause if they ended early, otherwise null. */
  private String sample(ThreadDumps dumps, Tally tally, JvmRecording recording, StopSignal stop)
      throws InterruptedException {
    Screen view = new Screen(out, terminal);
    long begin = System.nanoTime();
    long length = options.seconds() * 1_000_000_000L;
    long left = length;
    boolean told = false;
    int said = 0;
    while (left > 0 && !told) {
      try {
        tally.dumped(dumps.take());
      } catch (IOException e) {
        return "The watch ended early, for the process did not answer: " + e;
      }
      long now = ThreadDumps.epochNanos(Instant.now());
      view.show((System.nanoTime() - begin) / NANOS, tally.states(), tally.heldUp(now));
      said = tell(recording.notes(), said);
      left = length - (System.nanoTime() - begin);
      told = stop.await(Math.min(Math.max(0, left), dumps.pauseNanos()));
      left = length - (System.nanoTime() - begin);
    }
    return null;
  }

  /** Prints new notes; not on a terminal, where the view would overwrite them before the end. */
  private int tell(List<String> all, int before) {
    if (!terminal) {
      all.stream().skip(before).forEach(note -> out.println("Note: " + note));
    }
    return all.size();
  }

  private WatchFigures figures(Target.Info info, Instant begin, long end, Tally tally) {
    List<WatchFigures.Group> all = tally.figures(end);
    if (!tally.complete()) {
      notes.add("The flight recorder lost events: the sums are too low.");
    }
    if (all.stream().anyMatch(group -> group.threads() == Tally.MOST_THREADS)) {
      notes.add(Tally.MOST_THREADS + " threads at a place are that many or more.");
    }
    return new WatchFigures(
        WatchFigures.SCHEMA,
        options.pid(),
        info.describe(),
        begin.toString(),
        (end - ThreadDumps.epochNanos(begin)) / NANOS,
        tally.complete(),
        notes,
        tally.states(),
        all.stream().filter(group -> !group.idle()).toList(),
        all.stream().filter(WatchFigures.Group::idle).toList(),
        RunResult.Machine.current());
  }

  /** Prints the figures before it writes them, so that a full disk does not lose them. */
  private void write(Path directory, WatchFigures figures) throws IOException {
    out.println();
    out.print(Screen.summary(figures));
    figures.notes().forEach(note -> out.println("Note: " + note));
    try {
      figures.write(directory);
    } catch (IOException e) {
      // Printed here, while the stop signal delays the JVM's end; the caller may print it too late.
      out.println("Note: the figures could not be written to " + directory + " (" + e + ")");
      throw e;
    }
    out.println("Figures: " + directory.resolve(WatchFigures.JSON));
    out.println("Page: " + directory.resolve(WatchFigures.PAGE));
  }

  private Path directory() {
    try {
      Path parent = Files.createDirectories(options.out()).toAbsolutePath();
      return Files.createDirectory(parent.resolve(LocalDateTime.now().format(NAME)));
    } catch (IOException e) {
      throw new RefusedException(
          "--out "
              + options.out()
              + " cannot be written to ("
              + e
              + "); name a directory that can");
    }
  }

  /**
   * The options of a watch.
   *
   * @param pid the process to watch
   * @param seconds length of the watch
   * @param out the directory in which each watch creates its directory
   */
  public record Options(long pid, int seconds, Path out) {}

  /**
   * Ends the watch early when this JVM is to end, by Ctrl-C or a termination signal, and delays the
   * JVM's end until the recording is stopped and the figures are written.
   */
  static final class StopSignal implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 30; // long, as a watched machine is usually busy

    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::stop, "stop-watching");

    StopSignal() {
      Runtime.getRuntime().addShutdownHook(hook);
    }

    /** Waits for the signal and returns whether it has come. */
    boolean await(long nanos) throws InterruptedException {
      return asked.await(nanos, TimeUnit.NANOSECONDS);
    }

    private void stop() {
      asked.countDown();
      try {
        if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
          System.err.println(
              "The watch did not end in time; its recording ends by itself, within seconds.");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Lets the JVM end; called when the figures are written. */
    @Override
    public void close() {
      finished.countDown();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        asked.countDown(); // the JVM is ending already: the hook runs
      }
    }
  }
}
