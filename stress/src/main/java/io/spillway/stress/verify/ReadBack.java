package io.spillway.stress.verify;

import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.ReadBackFigures.LeftFile;
import io.spillway.stress.report.ReadBackFigures.Prefill;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Reads every file of a trial as a stream and accounts for every line, in reading order. An event
 * read a second time is a duplicate, wherever it is; an event first read after a later event of its
 * thread is out of order. A torn line is counted as such, and its event as lost.
 */
public final class ReadBack {

  private static final byte[] LINE_END = {'\n'};
  private static final int START_BYTES = 1 << 16;

  private final LineReader parser = new LineReader();
  private final List<Long> sentByThread;
  private final BitSet[] seen;
  private final long[] highest;
  private final CRC32C prefillCrc = new CRC32C();
  private long prefillLines;
  private long prefillBytes;
  private long delivered;
  private long duplicated;
  private long outOfOrder;
  private long unknown;
  private long torn;

  private ReadBack(List<Long> sentByThread) {
    this.sentByThread = sentByThread;
    seen = new BitSet[sentByThread.size()];
    Arrays.setAll(seen, thread -> new BitSet());
    highest = new long[seen.length];
    Arrays.fill(highest, -1);
  }

  /** Takes a line without its end, which is missing only from the last line of a stream. */
  private interface Lines {
    void line(byte[] bytes, int from, int to, boolean ended);
  }

  /**
   * Compares the files of an appender with what was written and sent.
   *
   * @param root the directory that contains all files
   * @param activeFile the log file, or null if it is named like an archive
   * @param fileNamePattern pattern of the archives' names, or null if there are none
   * @param prefill the lines that were in the active file before the trial
   */
  public static ReadBackFigures of(
      Path root, Path activeFile, String fileNamePattern, Prefill prefill, List<Long> sentByThread)
      throws IOException {
    ReadBack all = new ReadBack(sentByThread);
    List<Path> files = LogFiles.of(root, activeFile, fileNamePattern);
    List<LeftFile> figures = read(root, files, all::line);
    for (Path file : LogFiles.others(root, files)) {
      figures.add(figures(root, file, false, null));
    }
    Prefill found = new Prefill(all.prefillLines, all.prefillBytes, all.prefillCrc.getValue());
    return new ReadBackFigures(all.conservation(), found, found.equals(prefill), figures);
  }

  /**
   * Compares the number of whole lines in a log file and its archives with the number of calls, for
   * lines that other code has written; a damaged archive counts as far as it can be read.
   */
  public static ReadBackFigures counted(
      Path activeFile, String fileNamePattern, List<Long> sentByThread) throws IOException {
    ReadBack count = new ReadBack(sentByThread);
    Path root = activeFile.getParent();
    long[] lines = {0};
    List<LeftFile> files =
        read(
            root,
            LogFiles.of(root, activeFile, fileNamePattern),
            (bytes, from, to, ended) -> lines[0] += ended ? 1 : 0);
    count.delivered = Math.min(lines[0], count.sent());
    count.unknown = lines[0] - count.delivered;
    return new ReadBackFigures(count.conservation(), new Prefill(0, 0, 0), true, files);
  }

  private long sent() {
    return sentByThread.stream().mapToLong(calls -> calls).sum();
  }

  private ReadBackFigures.Conservation conservation() {
    return new ReadBackFigures.Conservation(
        sent(), delivered, sent() - delivered, duplicated, outOfOrder, torn, unknown);
  }

  private void line(byte[] bytes, int from, int to, boolean ended) {
    LineReader.Kind kind = parser.parse(bytes, from, to);
    if (!ended && kind != LineReader.Kind.FOREIGN) {
      kind = LineReader.Kind.TORN;
    }
    switch (kind) {
      case EVENT -> event(parser.thread(), parser.sequence());
      case PREFILL -> {
        prefillLines++;
        prefillBytes += to - from + 1L;
        prefillCrc.update(bytes, from, to - from);
        prefillCrc.update(LINE_END, 0, 1);
      }
      case TORN -> torn++;
      case FOREIGN -> {} // a header, a footer, another library's line
    }
  }

  private void event(int thread, long sequence) {
    if (thread >= seen.length || sequence >= sentByThread.get(thread)) {
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
    outOfOrder += sequence < highest[thread] ? 1 : 0;
    highest[thread] = Math.max(highest[thread], sequence);
  }

  private static List<LeftFile> read(Path root, List<Path> files, Lines lines) throws IOException {
    List<LeftFile> figures = new ArrayList<>();
    for (Path file : files) {
      String error = null;
      try (InputStream in = LogFiles.open(file)) {
        read(in, lines);
      } catch (IOException e) {
        error = e.toString();
      }
      figures.add(figures(root, file, true, error));
    }
    return figures;
  }

  private static LeftFile figures(Path root, Path file, boolean read, String error)
      throws IOException {
    return new LeftFile(root.relativize(file).toString(), Files.size(file), read, error);
  }

  /** Cuts a stream into lines without copying each of them; on an error, what is before it. */
  private static void read(InputStream in, Lines lines) throws IOException {
    byte[] buffer = new byte[START_BYTES];
    int kept = 0; // bytes of the line that has not ended yet, at the beginning of the buffer
    try {
      while (true) {
        if (kept == buffer.length) {
          buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        int count = in.read(buffer, kept, buffer.length - kept);
        if (count < 0) {
          return;
        }
        int start = 0;
        int end = kept + count;
        for (int i = kept; i < end; i++) {
          if (buffer[i] == '\n') {
            lines.line(buffer, start, i, true);
            start = i + 1;
          }
        }
        kept = end - start;
        System.arraycopy(buffer, start, buffer, 0, kept);
      }
    } finally {
      if (kept > 0) {
        lines.line(buffer, 0, kept, false);
      }
    }
  }
}
