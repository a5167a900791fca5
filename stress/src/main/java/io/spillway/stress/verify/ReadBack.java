package io.spillway.stress.verify;

import io.spillway.stress.report.ReadBackFigures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;

/** Reads every file of a trial as a stream and accounts for every line. */
public final class ReadBack {

  private static final byte[] LINE_END = {'\n'};

  private final LineReader parser = new LineReader();
  private final CRC32C prefillCrc = new CRC32C();
  private final Account account;
  private long prefillLines;
  private long prefillBytes;

  private ReadBack(List<Long> sentByThread) {
    account = new Account(sentByThread);
  }

  /**
   * Compares the files of an appender with what was written and sent.
   *
   * @param root the directory that contains all files
   * @param activeFile the log file, or null if it is named like an archive
   * @param fileNamePattern pattern of the archives' names, or null if there are none
   * @param prefill the lines that were in the active file before the trial
   * @param sentByThread log calls of each thread
   * @throws IOException if the files cannot be listed
   */
  public static ReadBackFigures of(
      Path root,
      Path activeFile,
      String fileNamePattern,
      ReadBackFigures.Prefill prefill,
      List<Long> sentByThread)
      throws IOException {
    List<Path> files = LogFiles.of(root, activeFile, fileNamePattern);
    return new ReadBack(sentByThread).read(root, files, prefill);
  }

  /**
   * Compares the number of whole lines in a log file and its archives with the number of calls, for
   * lines that other code has written; a damaged archive counts as far as it can be read.
   *
   * @param activeFile the log file
   * @param fileNamePattern pattern of the archives' names
   * @param sentByThread log calls of each thread
   * @throws IOException if the files cannot be listed
   */
  public static ReadBackFigures counted(
      Path activeFile, String fileNamePattern, List<Long> sentByThread) throws IOException {
    long[] lines = {0};
    List<ReadBackFigures.LeftFile> files = new ArrayList<>();
    for (Path file : LogFiles.of(activeFile.getParent(), activeFile, fileNamePattern)) {
      String error = read(file, (bytes, from, to, ended) -> lines[0] += ended ? 1 : 0);
      files.add(figures(activeFile.getParent(), file, true, error));
    }
    long sent = sentByThread.stream().mapToLong(calls -> calls).sum();
    long lost = Math.max(0, sent - lines[0]);
    long unknown = Math.max(0, lines[0] - sent);
    ReadBackFigures.Conservation events =
        new ReadBackFigures.Conservation(sent, sent - lost, lost, 0, 0, 0, unknown, null);
    return new ReadBackFigures(events, new ReadBackFigures.Prefill(0, 0, 0), true, files);
  }

  private ReadBackFigures read(Path directory, List<Path> files, ReadBackFigures.Prefill expected)
      throws IOException {
    List<ReadBackFigures.LeftFile> figures = new ArrayList<>();
    for (Path file : files) {
      figures.add(figures(directory, file, true, read(file, this::line)));
    }
    for (Path file : LogFiles.others(directory, files)) {
      figures.add(figures(directory, file, false, null));
    }
    ReadBackFigures.Prefill found =
        new ReadBackFigures.Prefill(prefillLines, prefillBytes, prefillCrc.getValue());
    return new ReadBackFigures(account.conservation(), found, found.equals(expected), figures);
  }

  /** Reads a file; returns why it could not be read to its end, or null if it was. */
  private static String read(Path file, Lines.Consumer lines) {
    try (InputStream in = Archives.open(file)) {
      Lines.read(in, lines);
      return null;
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void line(byte[] bytes, int from, int to, boolean ended) {
    LineReader.Kind kind = ended ? parser.parse(bytes, from, to) : LineReader.Kind.TORN;
    switch (kind) {
      case EVENT -> account.event(parser.thread(), parser.sequence());
      case PREFILL -> prefill(bytes, from, to);
      case TORN -> account.torn(bytes, from, to);
      case FOREIGN -> {} // a header, a banner, another library's line
    }
  }

  private void prefill(byte[] bytes, int from, int to) {
    prefillLines++;
    prefillBytes += to - from + 1L;
    prefillCrc.update(bytes, from, to - from);
    prefillCrc.update(LINE_END, 0, 1);
  }

  private static ReadBackFigures.LeftFile figures(
      Path directory, Path file, boolean read, String error) throws IOException {
    String name = directory.relativize(file).toString();
    return new ReadBackFigures.LeftFile(name, Files.size(file), read, error);
  }

  /**
   * Keeps account of the events read, in reading order, against those sent. An event read a second
   * time is a duplicate, wherever it is; an event first read after a later event of its thread is
   * out of order. A torn line is counted as such, and its event as lost.
   */
  static final class Account {

    private static final int SHOWN = 160;

    private final long[] sentByThread;
    private final BitSet[] seen;
    private final long[] highest;
    private long delivered;
    private long duplicated;
    private long outOfOrder;
    private long unknown;
    private long torn;
    private String firstTorn;

    Account(List<Long> sentByThread) {
      this.sentByThread = sentByThread.stream().mapToLong(Long::longValue).toArray();
      seen = new BitSet[this.sentByThread.length];
      highest = new long[seen.length];
      for (int i = 0; i < seen.length; i++) {
        seen[i] = new BitSet();
        highest[i] = -1;
      }
    }

    void event(int thread, long sequence) {
      if (thread >= seen.length || sequence >= sentByThread[thread]) {
        unknown++;
        return;
      }
      int bit = Math.toIntExact(sequence);
      if (seen[thread].get(bit)) {
        duplicated++;
        return;
      }
      seen[thread].set(bit);
      delivered++;
      if (sequence < highest[thread]) {
        outOfOrder++;
      } else {
        highest[thread] = sequence;
      }
    }

    void torn(byte[] bytes, int from, int to) {
      torn++;
      if (firstTorn == null) {
        int length = Math.min(SHOWN, to - from);
        firstTorn = new String(bytes, from, length, StandardCharsets.ISO_8859_1);
      }
    }

    ReadBackFigures.Conservation conservation() {
      long sent = 0;
      for (long count : sentByThread) {
        sent += count;
      }
      long lost = sent - delivered;
      return new ReadBackFigures.Conservation(
          sent, delivered, lost, duplicated, outOfOrder, torn, unknown, firstTorn);
    }
  }

  /** Cuts a stream into lines without copying each of them. */
  static final class Lines {

    private static final int START_BYTES = 1 << 16;

    /** Receives lines. */
    interface Consumer {
      /**
       * Takes {@code bytes[from, to)}, without the line end.
       *
       * @param ended whether a line end followed; false only for the last line of a stream
       */
      void line(byte[] bytes, int from, int to, boolean ended);
    }

    private Lines() {}

    /** Passes every line to the consumer; on an error, the lines before it. */
    static void read(InputStream in, Consumer consumer) throws IOException {
      byte[] buffer = new byte[START_BYTES];
      int kept = 0;
      try {
        while (true) {
          if (kept == buffer.length) {
            buffer = Arrays.copyOf(buffer, buffer.length * 2);
          }
          int count = in.read(buffer, kept, buffer.length - kept);
          if (count < 0) {
            break;
          }
          int end = kept + count;
          int consumed = lines(buffer, kept, end, consumer);
          System.arraycopy(buffer, consumed, buffer, 0, end - consumed);
          kept = end - consumed;
        }
      } finally {
        if (kept > 0) {
          consumer.line(buffer, 0, kept, false);
        }
      }
    }

    private static int lines(byte[] buffer, int from, int end, Consumer consumer) {
      int start = 0;
      for (int i = from; i < end; i++) {
        if (buffer[i] == '\n') {
          consumer.line(buffer, start, i, true);
          start = i + 1;
        }
      }
      return start;
    }
  }
}
