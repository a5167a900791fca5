package io.spillway.stress.plan;

import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.ResultFiles;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The directory of a run. Figures are in one directory for each trial and remain; log files, and
 * recordings are below {@code work} and are deleted.
 */
public final class RunDirectory {

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
   * Creates the directory of a run.
   *
   * @throws RefusedException if that is not possible
   */
  public static RunDirectory create(Path out) {
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

  /** Returns the directory of this run, below that of all runs. */
  public Path root() {
    return root;
  }

  ResultFiles results() {
    return new ResultFiles(root);
  }

  /** Creates and returns the directory for the figures of a trial. */
  public Path figures(String trial) throws IOException {
    return Files.createDirectories(root.resolve(trial));
  }

  /** Creates and returns the directory for the large files of a trial. */
  public Path work(String trial) throws IOException {
    return Files.createDirectories(root.resolve("work").resolve(trial));
  }

  /** Deletes the files of a trial except its figures. */
  public void deleteWork(String trial) throws IOException {
    delete(root.resolve("work").resolve(trial));
  }

  /** Deletes all files of a trial. */
  void delete(String trial) throws IOException {
    deleteWork(trial);
    delete(root.resolve(trial));
  }

  /** Deletes the files of all trials except their figures. */
  public void deleteWork() throws IOException {
    delete(root.resolve("work"));
  }

  /** Deletes this run's directory, and the one above if this run created it and it is empty. */
  public void deleteAll() throws IOException {
    delete(root);
    if (outIsOurs && Files.exists(out) && isEmpty(out)) {
      Files.deleteIfExists(out);
    }
  }

  /**
   * Deletes a directory, if it exists. Another thread or process may delete in it at the same time.
   * Links are not followed.
   *
   * @param directory the directory, deleted with its content
   * @throws IOException if a file in it cannot be deleted
   */
  public static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            if (e instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw e;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, IOException e)
              throws IOException {
            Files.deleteIfExists(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> left = Files.list(directory)) {
      return left.findAny().isEmpty();
    }
  }
}
