package io.spillway.stress.verify;

import io.spillway.stress.report.FileFigures;
import io.spillway.stress.report.PrefillFigures;
import io.spillway.stress.report.ReadBackFigures;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/** Reads every file of a trial, streaming, and accounts for every line. */
public final class ReadBack {

  private static final byte[] LINE_END = {'\n'};

  private final LineParser parser = new LineParser();
  private final CRC32C prefillCrc = new CRC32C();
  private final Account account;
  private long prefillLines;
  private long prefillBytes;

  private ReadBack(List<Long> sentByThread) {
    account = new Account(sentByThread);
  }

  /**
   * Compares the files with what was written and sent.
   *
   * @param activeFile the log file; archives lie beside it
   * @param prefill the lines that were in the active file before the trial
   * @param sentByThread log calls of each thread
   */
  public static ReadBackFigures of(Path activeFile, PrefillFigures prefill, List<Long> sentByThread)
      throws IOException {
    return new ReadBack(sentByThread).read(activeFile, prefill);
  }

  private ReadBackFigures read(Path activeFile, PrefillFigures expected) throws IOException {
    Path directory = activeFile.getParent();
    List<FileFigures> figures = new ArrayList<>();
    List<Path> files = TrialFiles.inOrder(directory, activeFile);
    for (Path file : files) {
      figures.add(figures(directory, file, true, read(file)));
    }
    for (Path file : TrialFiles.others(directory, files)) {
      figures.add(figures(directory, file, false, null));
    }
    PrefillFigures found = new PrefillFigures(prefillLines, prefillBytes, prefillCrc.getValue());
    return new ReadBackFigures(account.conservation(), found, found.equals(expected), figures);
  }

  /** Why the file could not be read to its end, or null. */
  private String read(Path file) {
    try (InputStream in = TrialFiles.open(file)) {
      Lines.read(in, this::line);
      return null;
    } catch (IOException e) {
      return e.toString();
    }
  }

  private void line(byte[] bytes, int from, int to, boolean ended) {
    LineParser.Kind kind = ended ? parser.parse(bytes, from, to) : LineParser.Kind.TORN;
    switch (kind) {
      case EVENT -> account.event(parser.thread(), parser.sequence());
      case PREFILL -> prefill(bytes, from, to);
      case TORN -> account.torn(bytes, from, to);
    }
  }

  private void prefill(byte[] bytes, int from, int to) {
    prefillLines++;
    prefillBytes += to - from + 1L;
    prefillCrc.update(bytes, from, to - from);
    prefillCrc.update(LINE_END, 0, 1);
  }

  private static FileFigures figures(Path directory, Path file, boolean read, String error)
      throws IOException {
    String name = directory.relativize(file).toString();
    return new FileFigures(name, Files.size(file), read, error);
  }
}
