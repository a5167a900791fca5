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

/** One watch of one JVM, from attaching to the files it leaves. */
public final class Watch {

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT);
  private static final double NANOS = 1e9;

  private final WatchOptions options;
  private final PrintStream out;
  private final boolean terminal;
  private final List<String> notes = new ArrayList<>();

  /** Prepares a watch; nothing is touched before {@link #execute()}. */
  public Watch(WatchOptions options, PrintStream out, boolean terminal) {
    this.options = options;
    this.out = out;
    this.terminal = terminal;
  }

  /**
   * Watches, prints what it sees and writes {@code watch.json} and {@code watch.html}.
   *
   * @return the figures
   * @throws RefusedException if the process cannot be watched
   */
  public WatchFigures execute() throws IOException, InterruptedException {
    try (StopSignal stop = new StopSignal();
        Target target = Target.attach(options.pid())) {
      TargetInfo info = TargetInfo.of(target);
      try (JvmRecording recording = JvmRecording.start(target, options.seconds())) {
        Path directory = directory();
        WatchFigures figures = watch(target, info, recording.repository(), stop);
        stop(recording);
        write(directory, figures);
        return figures;
      }
    }
  }

  /** Before the files are written; what was seen is worth writing if that fails, too. */
  private void stop(JvmRecording recording) {
    try {
      recording.close();
    } catch (IOException e) {
      notes.add(e.getMessage());
    }
  }

  private WatchFigures watch(Target target, TargetInfo info, Path repository, StopSignal stop)
      throws IOException, InterruptedException {
    Instant begin = Instant.now();
    Tally tally = new Tally(ThreadSampler.epochNanos(begin));
    try (ThreadSampler sampler = new ThreadSampler(target, repository, info.feature());
        EventReader reader = new EventReader(repository, begin, tally)) {
      out.printf(
          Locale.ROOT,
          "Watching process %d (%s) for %d s; Ctrl-C ends it earlier.%n",
          target.pid(),
          info.describe(),
          options.seconds());
      String failure = sample(sampler, tally, stop);
      long end = ThreadSampler.epochNanos(Instant.now());
      tally.end(end);
      if (failure != null) {
        notes.add(target.alive() ? failure : "The process ended during the watch.");
      } else if (!reader.awaitRead(end)) {
        tally.dataLost();
        notes.add("The last events of the flight recorder did not come in time.");
      }
      if (info.hasVirtualThreads() && !sampler.seesVirtualThreads()) {
        notes.add("Virtual threads are not seen: that takes a target on Java 25.");
      }
      return figures(info, begin, end, tally);
    }
  }

  /** Takes dumps until the time is over; says why if that was earlier, else null. */
  private String sample(ThreadSampler sampler, Tally tally, StopSignal stop)
      throws InterruptedException {
    LiveView view = new LiveView(out, terminal);
    long begin = System.nanoTime();
    long length = options.seconds() * 1_000_000_000L;
    long left = length;
    boolean told = false;
    while (left > 0 && !told) {
      try {
        tally.dumped(sampler.take());
      } catch (IOException e) {
        return "The watch ended early, for the process did not answer: " + e;
      }
      long now = ThreadSampler.epochNanos(Instant.now());
      view.show((System.nanoTime() - begin) / NANOS, tally.states(), tally.heldUp(now));
      left = length - (System.nanoTime() - begin);
      told = stop.await(Math.min(Math.max(0, left), sampler.pauseNanos()));
      left = length - (System.nanoTime() - begin);
    }
    return null;
  }

  private WatchFigures figures(TargetInfo info, Instant begin, long end, Tally tally) {
    List<WatchFigures.Group> all = tally.figures(end);
    if (!tally.complete()) {
      notes.add("The flight recorder lost events: the sums are too low.");
    }
    return new WatchFigures(
        WatchFigures.SCHEMA,
        options.pid(),
        info.describe(),
        begin.toString(),
        (end - ThreadSampler.epochNanos(begin)) / NANOS,
        tally.complete(),
        notes,
        tally.states(),
        all.stream().filter(group -> !group.idle()).toList(),
        all.stream().filter(WatchFigures.Group::idle).toList(),
        RunResult.Machine.current());
  }

  private void write(Path directory, WatchFigures figures) throws IOException {
    WatchFiles files = WatchFiles.write(directory, figures);
    out.println();
    out.print(Summary.of(figures));
    figures.notes().forEach(note -> out.println("Note: " + note));
    out.println("Figures: " + files.json());
    out.println("Page: " + files.page());
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
}
