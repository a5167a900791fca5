package io.spillway.stress.cli;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.codec.CodecException;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.ByteBatch;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.spill.SpillInspection;
import io.spillway.internal.spill.SpillInspection.Segment;
import io.spillway.internal.spill.SpillInspection.Slot;
import io.spillway.internal.spill.SpillInspection.State;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillRecord;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The {@code spill} command: shows what a spill directory holds. */
@Command(
    name = "spill",
    mixinStandardHelpOptions = true,
    description =
        "Shows what a spill directory holds: whose it is, its segments, how many events wait, from"
            + " when, and what is damaged. Only reads, also while the application runs; what it"
            + " prints is then of a moment ago. Prints no event unless asked.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:everything in it is intact",
      "1:something is damaged or cannot be read",
      "2:wrong arguments, or no such directory"
    })
final class SpillCommand implements Callable<Integer> {

  private static final BatchCodec LINES = BatchCodec.bytes();
  private static final BatchCodec EVENTS = BatchCodec.events(null); // for reading only

  @Spec private CommandSpec spec;
  @ParentCommand private CommandLineTool tool;

  @Parameters(
      index = "0",
      paramLabel = "DIR",
      description = "The spill directory: the setting spillDirectory, else <file>.spill.")
  private Path directory;

  @Option(
      names = "--events",
      description = {
        "Print the events that wait, too, in order: log lines as they would go into the file, or",
        "for an appender that wraps another one time, level, thread, logger and message, in UTF-8."
      })
  private boolean events;

  private final Map<Path, Times> times = new HashMap<>();
  private PrintStream lines; // the events: lines of any charset, or text in UTF-8
  private boolean isDamaged;

  /** First and last time of the events in a segment. */
  private static final class Times {
    private long first = Long.MAX_VALUE;
    private long last = Long.MIN_VALUE;

    private void add(long millis) {
      first = Math.min(first, millis);
      last = Math.max(last, millis);
    }
  }

  @Override
  public Integer call() throws IOException {
    lines = new PrintStream(tool.out(), false, StandardCharsets.UTF_8);
    List<Slot> slots;
    try {
      slots = SpillInspection.inspect(directory, this::record);
    } catch (NoSuchFileException | NotDirectoryException e) {
      throw new RefusedException(
          directory
              + " is no directory. To do: give the appender's spillDirectory, or <file>.spill,"
              + " where <file> is the log file.");
    }
    lines.flush();
    slots.forEach(this::print);
    if (slots.stream().allMatch(slot -> slot.segments().isEmpty())) {
      out().println("Nothing waits in " + directory + ".");
    }
    out().flush();
    return isDamaged ? 1 : 0;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private void record(Path segment, SpillKind kind, SpillRecord record, int delivered) {
    Batch batch;
    try {
      batch = (kind == SpillKind.BYTES ? LINES : EVENTS).decode(record);
    } catch (CodecException e) {
      isDamaged = true;
      out().printf("%s: a record is intact and cannot be decoded: %s%n", segment, e.getMessage());
      return;
    }
    if (batch instanceof EventBatch run) {
      record(segment, run.array(), delivered);
    } else if (events && delivered == 0) {
      byte[] bytes = ((ByteBatch) batch).bytes();
      lines.write(bytes, 0, bytes.length);
    }
  }

  private void record(Path segment, ILoggingEvent[] decoded, int delivered) {
    Times of = times.computeIfAbsent(segment, path -> new Times());
    for (int i = 0; i < decoded.length; i++) {
      of.add(decoded[i].getTimeStamp());
      if (events && i >= delivered) {
        print(decoded[i]);
      }
    }
  }

  private void print(ILoggingEvent event) {
    lines.printf(
        "%s %s [%s] %s - %s%s%n",
        Instant.ofEpochMilli(event.getTimeStamp()),
        event.getLevel(),
        event.getThreadName(),
        event.getLoggerName(),
        event.getFormattedMessage(),
        event.getThrowableProxy() == null
            ? ""
            : " (" + event.getThrowableProxy().getClassName() + ")");
  }

  private void print(Slot slot) {
    out().printf("%s%n", slot.directory());
    out().printf("  owner: %s%n", owner(slot));
    long waiting = 0;
    long bytes = 0;
    long lost = 0;
    for (Segment segment : slot.segments()) {
      print(segment);
      waiting += segment.waiting();
      bytes += segment.bytes();
      lost += segment.lost();
      isDamaged |= !segment.damage().isEmpty();
    }
    out()
        .printf(
            "  %,d events wait, %,d are lost; %d files, %s%n",
            waiting, lost, slot.segments().size(), new FileSize(bytes));
  }

  /** Returns the owner in one line; the file has a line for each part of it. */
  private static String owner(Slot slot) {
    return slot.owner() == null
        ? "not recorded"
        : slot.owner().lines().collect(Collectors.joining(", "));
  }

  private void print(Segment segment) {
    Times of = times.get(segment.path());
    out()
        .printf(
            "  %-24s %-10s %9s %,12d events %,12d wait  %s%n",
            segment.path().getFileName(),
            segment.state().name().toLowerCase(Locale.ROOT),
            new FileSize(segment.bytes()),
            segment.events(),
            segment.waiting(),
            of == null
                ? "written " + span(segment.created(), segment.modified())
                : "logged " + span(Instant.ofEpochMilli(of.first), Instant.ofEpochMilli(of.last)));
    for (String what : segment.damage()) {
      out().printf("    %s%n", what);
    }
    if (segment.state() == State.ASIDE) {
      out().println("    set aside by an earlier start, tried again by the next");
    }
  }

  private static String span(Instant from, Instant to) {
    Instant end = to.truncatedTo(ChronoUnit.SECONDS);
    return from == null ? "until " + end : from.truncatedTo(ChronoUnit.SECONDS) + " to " + end;
  }
}
