package io.spillway.stress.verify;

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

  private final LineReader parser;
  private final CRC32C prefillCrc = new CRC32C();
  private final Account account;
  private long prefillLines;
  private long prefillBytes;

  private ReadBack(LineReader parser, List<Long> sentByThread) {
    this.parser = parser;
    account = new Account(sentByThread);
  }

  /**
   * Compares the files with what was written and sent.
   *
   * @param activeFile the log file; archives lie beside it
   * @param prefill the lines that were in the active file before the trial
   * @param sentByThread log calls of each thread
   */
  public static ReadBackFigures of(
      Path activeFile, ReadBackFigures.Prefill prefill, List<Long> sentByThread)
      throws IOException {
    Path directory = activeFile.getParent();
    List<Path> files = TrialFiles.inOrder(directory, activeFile);
    return new ReadBack(new LineParser(), sentByThread).read(directory, files, prefill);
  }

  /**
   * The same for the files of somebody else's configuration, whatever its layout.
   *
   * @param root the directory that all of them are in
   * @param activeFile the log file, or null if it is called like an archive
   * @param fileNamePattern of its archives, or null
   * @param prefill the lines that were in the active file before the trial
   * @param sentByThread log calls of each thread
   */
  public static ReadBackFigures ofAnyLayout(
      Path root,
      Path activeFile,
      String fileNamePattern,
      ReadBackFigures.Prefill prefill,
      List<Long> sentByThread)
      throws IOException {
    List<Path> files = SandboxFiles.inOrder(root, activeFile, fileNamePattern);
    return new ReadBack(new AnyLayoutParser(), sentByThread).read(root, files, prefill);
  }

  private ReadBackFigures read(Path directory, List<Path> files, ReadBackFigures.Prefill expected)
      throws IOException {
    List<ReadBackFigures.LeftFile> figures = new ArrayList<>();
    for (Path file : files) {
      figures.add(figures(directory, file, true, read(file)));
    }
    for (Path file : TrialFiles.others(directory, files)) {
      figures.add(figures(directory, file, false, null));
    }
    ReadBackFigures.Prefill found =
        new ReadBackFigures.Prefill(prefillLines, prefillBytes, prefillCrc.getValue());
    return new ReadBackFigures(account.conservation(), found, found.equals(expected), figures);
  }

  /** Why the file could not be read to its end, or null. */
  private String read(Path file) {
    try (InputStream in = Archives.open(file)) {
      Lines.read(in, this::line);
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
}
