package io.spillway.compress;

import io.spillway.compress.ArchiveNames.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The smallest policy there is: files app.N.log, the lowest number first, taken from the disk. */
final class DirectoryPolicy implements RolledFiles {
  static final Pattern STEM = Pattern.compile("app\\.\\d+\\.log");
  private static final Pattern NUMBER = Pattern.compile("app\\.(\\d+)\\.log(?:\\.(\\d+))?");

  final ReentrantLock lock = new ReentrantLock();
  final AtomicInteger settled = new AtomicInteger();
  final AtomicInteger swept = new AtomicInteger();
  final AtomicInteger asked = new AtomicInteger();
  private final Path directory;
  private final ArchiveNames names;
  volatile Path suspect;
  volatile Path beingWritten;
  volatile Throwable failure;
  volatile Runnable looked = () -> {};

  DirectoryPolicy(Path directory, ArchiveNames names) {
    this.directory = directory;
    this.names = names;
  }

  @Override
  public Lock lock() {
    return lock;
  }

  @Override
  public Path next(Predicate<Path> ready) throws IOException {
    asked.incrementAndGet();
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof IOException exception) {
      throw exception;
    }
    List<Path> raw = new ArrayList<>();
    names.walk(
        (file, kind, bytes) -> {
          if (kind == Kind.RAW) {
            raw.add(file);
          }
          return true;
        });
    Path next =
        raw.stream().filter(ready).min(Comparator.comparing(DirectoryPolicy::order)).orElse(null);
    looked.run();
    return next;
  }

  private static Long order(Path raw) {
    Matcher name = NUMBER.matcher(raw.getFileName().toString());
    if (!name.matches()) {
      throw new IllegalArgumentException("not a raw name: " + raw);
    }
    return Long.parseLong(name.group(1)) * 1_000
        + (name.group(2) == null ? 0 : Long.parseLong(name.group(2)));
  }

  @Override
  public boolean isActive(Path raw) {
    return raw.equals(beingWritten);
  }

  @Override
  public Path moveAside(Path raw) throws IOException {
    Path free = names.free(raw);
    if (Files.exists(free, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException("taken: " + free);
    }
    return Files.move(raw, free, StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public Path suspect() {
    return suspect;
  }

  @Override
  public Path active() {
    return directory.resolve("app.log");
  }

  @Override
  public Path upcoming() {
    return names.archiveOf(directory.resolve("app.0.log"));
  }

  @Override
  public void swept() {
    swept.incrementAndGet();
  }

  @Override
  public void settled() {
    settled.incrementAndGet();
  }
}
