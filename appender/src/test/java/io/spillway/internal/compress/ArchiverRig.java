package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.compress.ArchiveFormats.UnsupportedFormatException;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** One archiver over a directory, with a worker of its own. Close it to stop. */
final class ArchiverRig implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Higher than the sequences of files that tests put there before the start. */
  static final long LEFT = 500;

  final LoggerContext context = new LoggerContext();
  final FaultyDisk files = new FaultyDisk();
  final CompressionWorker worker;
  final Path directory;
  final ArchiveNames names;
  final DirectoryPolicy policy;
  private final ArchiveFormat format;
  private Duration delay = Duration.ZERO;
  private double cpuShare = 1;
  private LongSupplier clock = System::nanoTime;
  Archiver archiver;

  ArchiverRig(Path directory) {
    this(directory, new CompressionWorker());
  }

  ArchiverRig(Path directory, CompressionWorker worker) {
    this(directory, directory, "x.gz", worker);
  }

  ArchiverRig(Path directory, Path rawDirectory, String pattern) {
    this(directory, rawDirectory, pattern, new CompressionWorker());
  }

  private ArchiverRig(Path directory, Path rawDirectory, String pattern, CompressionWorker worker) {
    this.worker = worker;
    this.directory = rawDirectory;
    try {
      format = ArchiveFormats.forName(pattern);
    } catch (UnsupportedFormatException e) {
      throw new IllegalArgumentException(e);
    }
    names = new ArchiveNames(directory, rawDirectory, DirectoryPolicy.STEM, format.suffix(), true);
    policy = new DirectoryPolicy(rawDirectory, names);
  }

  ArchiverRig randomDelay(Duration most) {
    delay = most;
    return this;
  }

  ArchiverRig cpuShare(double share) {
    cpuShare = share;
    return this;
  }

  /** Of pauses, and of those who wait. */
  ArchiverRig clock(LongSupplier nanos) {
    clock = nanos;
    return this;
  }

  ArchiverRig start() {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    Archiver.Settings settings =
        new Archiver.Settings(format, format.defaultLevel(), cpuShare, delay);
    archiver =
        new Archiver(
            policy, settings, new Reports(origin), new Archiver.Context(files, worker, clock));
    archiver.start(LEFT);
    return this;
  }

  Path raw(int number) {
    return directory.resolve("app." + number + ".log");
  }

  Path archive(int number) {
    return names.archiveOf(raw(number));
  }

  /** Puts a rolled file there, as a rollover does, and tells the archiver. */
  byte[] roll(int number, int bytes) {
    byte[] content = Samples.log(number, bytes);
    roll(number, content);
    return content;
  }

  void roll(int number, byte[] content) {
    try {
      Files.createDirectories(directory);
      Files.write(policy.log(), content);
      rollOver(number);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Renames the active file, as a rollover does, and tells the archiver. */
  void rollOver(int number) throws IOException {
    RolledName rolled = RolledName.of(policy.log(), Instant.now(), number);
    Files.move(policy.log(), rolled.path(), StandardCopyOption.ATOMIC_MOVE);
    archiver.rolled(rolled);
  }

  /** Renames as a policy's shift does, which the worker does between two pieces of its work. */
  void shift(int from, int to) {
    try {
      if (Files.exists(archive(from))) {
        archiver.move(archive(from), archive(to));
      }
      if (Files.exists(raw(from))) {
        archiver.move(raw(from), raw(to));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  ArchiveMetrics metrics() {
    return archiver.metrics();
  }

  void awaitArchived(long archives) {
    await(archives + " archives", () -> metrics().archived() >= archives);
    awaitIdle();
  }

  /** Nothing waits, and nothing but archives and foreign files is there. */
  void awaitIdle() {
    await("sweep", () -> policy.swept.get() > 0);
    await("empty backlog", () -> metrics().backlogFiles() == 0);
    await("no leftovers: " + leftovers(), this::hasNoLeftovers);
  }

  /**
   * One listing may show neither name of a file that is renamed meanwhile; where no other operation
   * has begun, the second shows the new one.
   */
  private boolean hasNoLeftovers() {
    long before = files.operations.get();
    return leftovers().isEmpty() && leftovers().isEmpty() && files.operations.get() == before;
  }

  /** Files that are on their way to become archives, or to vanish. */
  List<Path> leftovers() {
    return Samples.below(directory).stream()
        .filter(file -> !file.equals(policy.active()))
        .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
        .filter(
            file ->
                file.toString().endsWith(".rolled")
                    || names.kindOf(file) != ArchiveNames.Kind.FOREIGN
                        && names.kindOf(file) != ArchiveNames.Kind.ARCHIVE)
        .toList();
  }

  void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime())
          .as(() -> what + " in time; " + metrics() + ", " + statuses())
          .isPositive();
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** What an operator would read. */
  List<String> statuses() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream()
        .map(ArchiverRig::text)
        .toList();
  }

  private static String text(Status status) {
    return status.getMessage()
        + (status.getThrowable() == null ? "" : " (" + status.getThrowable() + ")");
  }

  boolean hasWorkerThread() {
    return worker.thread() != null;
  }

  @Override
  public void close() {
    files.hook((number, operation, file) -> {});
    if (archiver != null) {
      archiver.stop();
      await("worker gone", () -> !hasWorkerThread());
    }
    context.stop();
  }
}
