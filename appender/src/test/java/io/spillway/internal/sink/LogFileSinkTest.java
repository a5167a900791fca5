package io.spillway.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogFileSinkTest {
  @TempDir Path directory;
  private final AtomicLong clock = new AtomicLong();
  private final LogFile log = new LogFile();
  private final Counters counters = new Counters();

  /** The disk has failed, and comes back with a part of what it had. */
  @Test
  void shouldEndALineThatADiskHasCutBackWhileItWasAway() throws Exception {
    Path file = Files.createDirectory(directory.resolve("disk")).resolve("app.log");
    Path away = directory.resolve("away");
    LogFileSink.Rolling rolling = new Returning(file.getParent(), away);
    log.open(file.toFile());
    LogFileSink sink =
        new LogFileSink(log, rolling, counters, new Reports(new ContextAwareBase()), clock::get)
            .besideSpill(directory);
    deliver(sink, "one\n");
    Files.move(file.getParent(), away);
    Files.createFile(file.getParent()); // so that no directory is made
    deliver(sink, "two\n");
    deliver(sink, "three\n");
    log.close();

    assertThat(file).hasContent("on\ntwo\nthree\n");
  }

  private LogFileSink sink(LogFile file, ContextAwareBase to) {
    LogFileSink.Rolling never = new Returning(directory, directory.resolve("never"));
    return new LogFileSink(file, never, counters, new Reports(to), clock::get)
        .besideSpill(directory);
  }

  private static ContextAwareBase origin() {
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    return to;
  }

  /** NFS and FUSE tell only then that they have not taken what was written. */
  @Test
  void shouldTellThatAFileCouldNotBeClosed() throws Exception {
    LogFile quota =
        new LogFile() {
          @Override
          FileOutputStream openToAppend() throws IOException {
            return new FileOutputStream(file(), true) {
              @Override
              public void close() throws IOException {
                super.close();
                throw new IOException("Disk quota exceeded");
              }
            };
          }
        };
    ContextAwareBase to = origin();
    File file = unwritable();
    quota.open(file);
    LogFileSink sink = sink(quota, to);
    deliver(sink, "one\n");
    quota.close();
    deliver(sink, "two\n");
    deliver(sink, "three\n");
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .singleElement()
        .asString()
        .contains("WARN", file.toString(), "Disk quota exceeded", "may be missing", "To do: ");
    quota.close();
  }

  /** A name that no locale can write: java.io.File writes a question mark, no Path takes it. */
  private File unwritable() {
    return new File(directory.toFile(), "a\uD800.log");
  }

  /** What throws here would pass for a sink that throws, whose events are given up in the end. */
  @Test
  void shouldTryAgainWhateverTheFileIsCalled() throws Exception {
    Path file = FilePaths.path(unwritable().getPath());
    Files.createSymbolicLink(file, Path.of("/dev/full"));
    LogFileSink.Rolling rolling =
        new Once() {
          private int looks;

          @Override
          public boolean isTriggering(File activeFile) {
            looks++;
            return looks == 2 && !file.toFile().delete(); // the disk is full at the first write
          }
        };
    ContextAwareBase to = origin();
    log.open(unwritable());
    deliver(
        new LogFileSink(log, rolling, counters, new Reports(to), clock::get).besideSpill(directory),
        "one\n");
    log.close();
    assertThat(file).isRegularFile().hasContent("one\n");
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .first()
        .asString()
        .contains("WARN", "Cannot write to file", unwritable().getName(), "To do: free");
  }

  @Test
  void shouldTryAgainEvenIfTheFailureCannotBeTold() throws Exception {
    LogFile unspeakable =
        new LogFile() {
          private int opened;

          @Override
          FileOutputStream openToAppend() throws IOException {
            opened++;
            if (opened == 2) {
              throw new IOException() {
                private static final long serialVersionUID = 1L;

                @Override
                public String getMessage() {
                  throw new IllegalStateException("no word of it");
                }
              };
            }
            return super.openToAppend();
          }
        };
    Path file = directory.resolve("app.log");
    unspeakable.open(file.toFile());
    Files.delete(file);
    deliver(sink(unspeakable, origin()), "one\n");
    unspeakable.close();
    assertThat(file).hasContent("one\n");
  }

  @Test
  void shouldTellThatAFileOfAnyNameCannotBeForced() throws Exception {
    File name = unwritable();
    Files.createSymbolicLink(FilePaths.path(name.getPath()), Path.of("/dev/null"));
    ContextAwareBase to = origin();
    log.forcedOnClose(true);
    log.open(name);
    LogFileSink sink = sink(log, to);
    deliver(sink, "one\n");
    assertThat(sink.force()).isFalse();
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .singleElement()
        .asString()
        .contains("WARN", "Cannot force file", name.getName(), "To do: ");
    log.forcedOnClose(false);
    log.close();
  }

  /** A second look for the end of the last line needs another descriptor. */
  @Test
  void shouldEndALineThatCouldNotBeLookedAtAtFirst() throws Exception {
    AtomicBoolean once = new AtomicBoolean(true);
    LogFile scarce =
        new LogFile() {
          @Override
          RandomAccessFile openToRead() throws IOException {
            if (once.getAndSet(false)) {
              throw new FileNotFoundException(file() + " (Too many open files)");
            }
            return super.openToRead();
          }
        };
    Path file = Files.writeString(directory.resolve("app.log"), "half");
    scarce.open(file.toFile());
    deliver(sink(scarce, origin()), "one\n");
    scarce.close();
    assertThat(file).hasContent("half\none\n");
  }

  /** Else a power cut takes a new file with all that was forced, and the spill has it no more. */
  @Test
  void shouldForceTheNamesThatLeadToWhatIsForced() throws Exception {
    List<Path> forced = new ArrayList<>();
    FaultyDisk names =
        new FaultyDisk()
            .hook(
                (number, operation, path) -> {
                  if (operation.equals("syncDirectory")) {
                    forced.add(path);
                  }
                });
    LogFile named = new LogFile(names);
    named.forcedOnClose(true);
    named.open(directory.resolve("app.log").toFile());
    named.write(new byte[1]);
    named.force();
    assertThat(forced).as("of a new file").containsExactly(directory);

    Path dated = Files.createDirectory(directory.resolve("dated"));
    named.movedInto(dated);
    names.failing.add("syncDirectory");
    assertThatThrownBy(named::force).isInstanceOf(IOException.class);
    names.heal();
    named.force();
    assertThat(forced).as("tried until it works").containsExactly(directory, dated, dated);
    named.force();
    assertThat(forced).as("then no more").hasSize(3);
    named.close();
  }

  private static void deliver(LogFileSink sink, String line) {
    Delivery delivery = new Delivery();
    ByteBatch batch = new ByteBatch(line.getBytes(StandardCharsets.UTF_8), 1);
    assertThat(delivery.begin(batch)).isTrue();
    sink.deliver(batch, false, delivery);
    assertThat(delivery.done()).isOne();
  }

  /** Has a directory come back with half a line, once a write has failed. */
  private static final class Returning implements LogFileSink.Rolling {
    private final Path directory;
    private final Path away;
    private int asked; // while it is away: before the first write, and after each that failed

    Returning(Path directory, Path away) {
      this.directory = directory;
      this.away = away;
    }

    @Override
    public boolean isTriggering(File activeFile) {
      if (Files.exists(away) && ++asked == 2) {
        try {
          Files.writeString(away.resolve(activeFile.getName()), "on");
          Files.delete(directory);
          Files.move(away, directory);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return false;
    }

    @Override
    public boolean rollover() {
      throw new AssertionError("nobody asked");
    }

    @Override
    public void written(byte[] bytes, long fileLength) {}

    @Override
    public void close() {}
  }

  /** A rollover may take seconds, and needs no room of the spill's disk that long. */
  @Test
  void shouldNotKeepTheSpillFromGrowingWhileARolloverFollowsAFullDisk() throws Exception {
    Path file = directory.resolve("app.log");
    Files.createSymbolicLink(file, Path.of("/dev/full"));
    List<Boolean> needed = new ArrayList<>();
    LogFileSink[] sink = new LogFileSink[1];
    LogFileSink.Rolling rolling =
        new LogFileSink.Rolling() {
          @Override
          public boolean isTriggering(File activeFile) {
            return sink[0].needsRoomOfSpill();
          }

          @Override
          public boolean rollover() {
            needed.add(sink[0].needsRoomOfSpill());
            clock.addAndGet(TimeUnit.SECONDS.toNanos(8));
            needed.add(sink[0].needsRoomOfSpill());
            try {
              Files.delete(file);
              log.open(file.toFile());
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return true;
          }

          @Override
          public void written(byte[] bytes, long fileLength) {}

          @Override
          public void close() {}
        };
    log.open(file.toFile());
    sink[0] = // with a spill on the disk that is full
        new LogFileSink(log, rolling, counters, new Reports(new ContextAwareBase()), clock::get)
            .besideSpill(Path.of("/dev"));
    Delivery delivery = new Delivery();
    ByteBatch batch = new ByteBatch("one\n".getBytes(StandardCharsets.UTF_8), 1);
    assertThat(delivery.begin(batch)).isTrue();
    sink[0].deliver(batch, false, delivery);
    log.close();

    assertThat(needed).as("before and after 8 s within a rollover").containsExactly(true, false);
    assertThat(file).hasContent("one\n");
    assertThat(delivery.done()).isOne();
  }

  @Test
  void shouldLeaveRoomOnlyToALogThatIsOnTheDiskOfTheSpill() throws Exception {
    Path elsewhere = directory.resolve("app.log");
    Path mounted = Files.createDirectory(directory.resolve("mounted"));
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=64k")) {
      Path file = disk.directory().resolve("app.log");
      Path link = Files.createSymbolicLink(disk.directory().resolve("link"), elsewhere);
      Files.createSymbolicLink(elsewhere, file);
      assertThat(needsRoom(file, disk, disk.directory())).isTrue();
      assertThat(needsRoom(file, disk, directory)).as("another disk").isFalse();
      assertThat(needsRoom(elsewhere, disk, directory)).as("its link is there").isFalse();
      assertThat(needsRoom(elsewhere, disk, disk.directory())).as("by a link").isTrue();
      assertThat(needsRoom(link, disk, disk.directory())).as("by two links").isTrue();
      assertThat(needsRoom(link, disk, directory)).as("two links elsewhere").isFalse();

      Shell.run("mount", "--bind", disk.directory(), mounted);
      try {
        assertThat(needsRoom(file, disk, mounted)).as("mounted twice").isTrue();
      } finally {
        Shell.run("umount", "-l", mounted);
      }
    }
  }

  /** What the sink says while the disk is full. */
  private boolean needsRoom(Path file, Tmpfs disk, Path spill) throws IOException {
    log.open(file.toFile());
    disk.ballast("ballast", disk.free());
    LogFileSink[] sink = new LogFileSink[1];
    AtomicBoolean needed = new AtomicBoolean();
    LogFileSink.Rolling rolling =
        new Once() {
          private int looks;

          @Override
          public boolean isTriggering(File activeFile) {
            looks++;
            if (looks == 2) { // the first write has failed
              needed.set(sink[0].needsRoomOfSpill());
              disk.drop("ballast");
            }
            return false;
          }
        };
    sink[0] =
        new LogFileSink(log, rolling, counters, new Reports(new ContextAwareBase()), clock::get)
            .besideSpill(spill);
    deliver(sink[0], "x".repeat(8_191) + "\n");
    log.close();
    Files.delete(FilePaths.target(file.toString()));
    return needed.get();
  }

  /** As NFS and CephFS leave one behind: neither writes nor cuts, though the name can be opened. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldWriteTheRestOfAChunkThroughAnotherDescriptorOnceItsOwnIsDead(boolean toTheEnd)
      throws Exception {
    LogFile dying =
        new LogFile() {
          private boolean opened;

          @Override
          FileOutputStream openToAppend() throws IOException {
            if (opened) {
              return super.openToAppend();
            }
            opened = true;
            File named = file();
            return new FileOutputStream(new RandomAccessFile(named, "r").getFD()) {
              private boolean closing;

              @Override
              public void write(byte[] bytes, int offset, int length) throws IOException {
                try (FileOutputStream part = new FileOutputStream(named, true)) {
                  part.write(bytes, offset, length / 2);
                }
                throw new IOException("Bad file descriptor");
              }

              @Override
              public void close() throws IOException {
                boolean begun = closing; // its channel closes it once more, within the call
                closing = true;
                super.close();
                if (toTheEnd && !begun) {
                  throw new IOException("Bad file descriptor");
                }
              }
            };
          }
        };
    Path file = Files.writeString(directory.resolve("app.log"), "zero\n");
    dying.open(file.toFile());
    byte[] chunk = "one\n".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> dying.write(chunk)).isInstanceOf(IOException.class);
    assertThat(dying.isTorn()).isTrue();
    dying.write(chunk);
    dying.close();
    assertThat(file).hasContent("zero\none\n");
  }

  /** A policy that asks once, as Logback's when a period ends. */
  private static class Once implements LogFileSink.Rolling {
    private boolean due;
    private boolean refused;
    private int asked;
    private int rollovers;

    @Override
    public boolean isTriggering(File activeFile) {
      boolean triggering = due;
      due = false;
      return triggering;
    }

    @Override
    public boolean mayRollOver(File activeFile) {
      asked++;
      return !refused;
    }

    @Override
    public boolean rollover() {
      rollovers++;
      return true;
    }

    @Override
    public void written(byte[] bytes, long fileLength) {}

    @Override
    public void close() {}
  }

  @Test
  void shouldRollOverLaterIfTheFileMayNotMoveYet() throws Exception {
    Path file = directory.resolve("app.log");
    Files.createSymbolicLink(file, Path.of("/dev/null")); // cannot be forced
    Once rolling = new Once();
    log.forcedOnClose(true);
    log.open(file.toFile());
    LogFileSink sink =
        new LogFileSink(log, rolling, counters, new Reports(new ContextAwareBase()), clock::get)
            .besideSpill(directory);
    deliver(sink, "one\n");
    rolling.due = true;
    deliver(sink, "two\n");
    assertThat(rolling.rollovers).as("what is in doubt is written again where it is").isZero();

    assertThat(rolling.asked).isOne();
    deliver(sink, "more\n");
    assertThat(rolling.asked).as("not with each batch: it would be forced each time").isOne();

    Files.delete(file);
    Files.createFile(file);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
    rolling.refused = true;
    deliver(sink, "three\n");
    deliver(sink, "four\n");
    assertThat(rolling.rollovers).as("refused").isZero();

    rolling.refused = false;
    deliver(sink, "five\n");
    deliver(sink, "six\n");
    assertThat(rolling.rollovers).isOne();
    log.forcedOnClose(false);
    log.close();
  }

  /** A device that cannot be forced, in whose place there is another file then. */
  @Test
  void shouldTellWhatIsKeptOfAFileThatHasLostWhatWasWrittenToIt() throws Exception {
    Path file = directory.resolve("app.log");
    Files.createSymbolicLink(file, Path.of("/dev/null"));
    ContextBase context = new ContextBase();
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    log.forcedOnClose(true);
    log.open(file.toFile());
    LogFileSink sink =
        new LogFileSink(
                log,
                new Returning(directory, directory.resolve("away")),
                counters,
                new Reports(origin),
                clock::get)
            .besideSpill(directory);
    deliver(sink, "one\n");
    assertThat(sink.force()).isFalse();
    assertThat(sink.hasLost()).isFalse();

    Files.delete(file);
    Files.createFile(file);
    assertThat(sink.force()).isFalse();
    assertThat(sink.hasLost()).isTrue();
    await()
        .untilAsserted(
            () ->
                assertThat(context.getStatusManager().getCopyOfStatusList())
                    .as("at once, though it has just told that it cannot be forced")
                    .anySatisfy(
                        status ->
                            assertThat(status.getMessage())
                                .contains("has lost what was written to it")
                                .contains("What of it went through the spill is kept there")
                                .contains("What went through memory alone is missing")));
    log.forcedOnClose(false);
    log.close();
  }
}
