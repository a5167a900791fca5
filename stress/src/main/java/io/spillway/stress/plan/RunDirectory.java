package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The directory of a run or of a probe. The figures of a trial are in a directory of its name and
 * remain; log files and recordings are below {@code work} and are deleted.
 *
 * <p>If this JVM is terminated before {@link #close()}, no child and no file remains. The thread of
 * the run continues meanwhile and may create files, so the deletion is repeated.
 */
public final class RunDirectory implements AutoCloseable {

  private static final DateTimeFormatter NAME =
      DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss-SSS", Locale.ROOT);
  private static final int ATTEMPTS = 20;
  private static final int LEAST_ATTEMPTS = 3;
  private static final long PAUSE_NANOS = 50_000_000;

  private static volatile boolean cancelled;

  private final Path root;
  private final Path parent; // the directory above if this run creates it, or null
  private final Thread hook = new Thread(this::cleanUp, "clean-up");
  private volatile ChildProcess child;

  private RunDirectory(Path root, Path parent) {
    this.root = root;
    this.parent = parent;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Creates the directory of a run below that of all runs.
   *
   * @throws RefusedException if that is not possible
   */
  static RunDirectory create(Path out) {
    Path parent = out.toAbsolutePath();
    Path root = parent.resolve(LocalDateTime.now().format(NAME));
    RunDirectory directory = new RunDirectory(root, Files.exists(parent) ? null : parent);
    try {
      Files.createDirectories(parent);
      Files.createDirectory(root);
      Files.createDirectory(directory.work());
      return directory;
    } catch (IOException e) {
      directory.close();
      throw new RefusedException(
          "Invalid value for option '--out': '%s' cannot be made or written to (%s); allowed: %s"
              .formatted(out, e, "a directory that can"));
    }
  }

  /** Creates a directory of a probe among temporary files. */
  static RunDirectory temporary() throws IOException {
    return new RunDirectory(Files.createTempDirectory("spillway-probe").toRealPath(), null);
  }

  Path root() {
    return root;
  }

  /** Returns the directory for the large files of all trials, each in a directory of its name. */
  Path work() {
    return root.resolve("work");
  }

  /** Deletes this directory, and the one above if this run has created it and it is empty. */
  void deleteAll() throws IOException {
    delete(root);
    if (parent != null) {
      try {
        Files.deleteIfExists(parent);
      } catch (DirectoryNotEmptyException e) {
        return; // another run has begun there
      }
    }
  }

  /**
   * Deletes a directory with its content, if it exists. Another thread or process may delete in it
   * at the same time. Links are not followed.
   *
   * @throws IOException if a file in it cannot be deleted
   */
  public static void delete(Path directory) throws IOException {
    while (Files.exists(directory)) {
      try (Stream<Path> content = Files.walk(directory)) {
        for (Path path : content.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      } catch (NoSuchFileException e) {
        return;
      } catch (UncheckedIOException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw e.getCause();
        }
      }
    }
  }

  /** Waits for a child as {@link ChildProcess#await} does, and ends it with all its descendants. */
  ChildProcess.Outcome await(
      ChildProcess started, Duration deadline, Progress progress, Path report)
      throws IOException, InterruptedException {
    child = started;
    try {
      checkCancelled();
      return started.await(deadline, progress, report);
    } finally {
      started.kill();
      child = null;
    }
  }

  /** Returns whether this JVM is being terminated in the middle of a run, and deletes its files. */
  public static boolean cancelled() {
    return cancelled;
  }

  /** Ends the work of this thread if the run has been cancelled. */
  static void checkCancelled() {
    if (cancelled) {
      throw new CancellationException();
    }
  }

  private void cleanUp() {
    cancelled = true;
    IOException failure = null;
    for (int i = 0; i < ATTEMPTS && (failure != null || i < LEAST_ATTEMPTS); i++) {
      ChildProcess running = child;
      if (running != null) {
        running.kill();
      }
      try {
        failure = null;
        deleteAll();
      } catch (IOException e) {
        failure = e;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    if (failure != null) {
      System.err.println("Not all files of the run could be deleted: " + failure);
    }
  }

  /** Ends the clean-up: the files that exist now remain. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      cancelled = true;
    }
  }
}
