package io.spillway.stress.plan;

import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.ResultFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Where a run puts its files: figures in one directory a trial, which stay; log files and
 * recordings under {@code work}, which go.
 */
final class RunDirectory {

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT);

  private final Path out;
  private final Path root;
  private final boolean outIsOurs;

  private RunDirectory(Path out, Path root, boolean outIsOurs) {
    this.out = out;
    this.root = root;
    this.outIsOurs = outIsOurs;
  }

  /**
   * Makes it.
   *
   * @throws RefusedException if that is not possible there
   */
  static RunDirectory create(Path out) {
    try {
      return make(out);
    } catch (IOException e) {
      throw new RefusedException(
          "Invalid value for option '--out': '"
              + out
              + "' cannot be made or written to ("
              + e
              + "); allowed: a directory that can");
    }
  }

  private static RunDirectory make(Path out) throws IOException {
    boolean ours = !Files.exists(out);
    Path absolute = Files.createDirectories(out).toAbsolutePath();
    Path root = Files.createDirectory(absolute.resolve(LocalDateTime.now().format(NAME)));
    Files.createDirectory(root.resolve("work"));
    return new RunDirectory(absolute, root, ours);
  }

  Path root() {
    return root;
  }

  ResultFiles results() {
    return new ResultFiles(root);
  }

  Path prefill(long length) {
    return root.resolve("work").resolve("prefill-" + length + ".log");
  }

  /** The directory that keeps the figures of a trial. */
  Path figures(String trial) throws IOException {
    return Files.createDirectories(root.resolve(trial));
  }

  /** The directory for the large files of a trial. */
  Path work(String trial) throws IOException {
    return Files.createDirectories(root.resolve("work").resolve(trial));
  }

  /** Leaves nothing of a trial but its figures. */
  void deleteWork(String trial) throws IOException {
    DirectoryTree.delete(root.resolve("work").resolve(trial));
  }

  void deleteWork() throws IOException {
    DirectoryTree.delete(root.resolve("work"));
  }

  /** Leaves nothing of this run; nor the directory above, if it was made for it. */
  void deleteAll() throws IOException {
    DirectoryTree.delete(root);
    if (outIsOurs && Files.exists(out) && isEmpty(out)) {
      Files.deleteIfExists(out);
    }
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> left = Files.list(directory)) {
      return left.findAny().isEmpty();
    }
  }
}
