package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** The smallest policy there is: files app.N.log, the lowest number first, taken from the disk. */
final class DirectoryPolicy implements RolledFiles {
  static final Pattern STEM = Pattern.compile("app\\.\\d+\\.log");
  private static final Pattern NUMBER = Pattern.compile("app\\.(\\d+)\\.log(?:\\.(\\d+))?");

  final AtomicInteger settled = new AtomicInteger();
  volatile Runnable onSwept = () -> {};
  volatile Runnable onSettled = () -> {};
  volatile Runnable onPlaced = () -> {};
  final AtomicInteger swept = new AtomicInteger();
  private final Path directory;
  private final ArchiveNames names;
  volatile Path suspect;
  volatile Path beingWritten;
  volatile Throwable failure;
  volatile boolean capped;

  DirectoryPolicy(Path directory, ArchiveNames names) {
    this.directory = directory;
    this.names = names;
  }

  @Override
  public ArchiveNames names() {
    return names;
  }

  @Override
  public Path active() {
    Path raw = beingWritten;
    return raw == null ? log() : raw;
  }

  /** The file that is written, unless it is a raw one. */
  Path log() {
    return directory.resolve("app.log");
  }

  @Override
  public boolean isWritten(Path file) {
    return file.equals(active());
  }

  @Override
  public boolean take(Path file) {
    return !file.equals(beingWritten);
  }

  @Override
  public void release() {}

  /** The number is that of the rollover. */
  @Override
  public Path place(RolledName rolled) throws IOException {
    onPlaced.run();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof IOException exception) {
      throw exception;
    }
    return free(directory.resolve("app." + rolled.sequence() + ".log"));
  }

  @Override
  public Path aside(Path raw) {
    return free(raw.resolveSibling(raw.getFileName() + ".1"));
  }

  private Path free(Path raw) {
    Path free = raw;
    for (int i = 1; isTaken(free) || isTaken(names.archiveOf(free)); i++) {
      free = raw.resolveSibling(raw.getFileName().toString().replaceAll("log.*", "log." + i));
    }
    return free;
  }

  private static boolean isTaken(Path file) {
    return Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public LogbackLeftover suspect() {
    try {
      return suspect == null ? null : new LogbackLeftover(suspect, new Disk().state(log()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public boolean isCapped() {
    return capped;
  }

  @Override
  public Path upcoming() {
    return directory.resolve("app.0.log");
  }

  @Override
  public void swept() {
    onSwept.run();
    swept.incrementAndGet();
  }

  @Override
  public void settled() {
    onSettled.run();
    settled.incrementAndGet();
  }
}
