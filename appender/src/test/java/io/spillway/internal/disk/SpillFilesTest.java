package io.spillway.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Modes, links and interrupts of the spill's files, and one owner of a directory. */
class SpillFilesTest {
  @TempDir Path temp;
  private final SpillFiles files = new SpillFiles();

  private static ByteBuffer direct(int bytes) {
    return ByteBuffer.allocateDirect(bytes);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void shouldWriteAndReadAtPositions() throws IOException {
    Path path = temp.resolve("file");
    try (SpillFiles.OpenFile file = files.create(path)) {
      file.write(direct(8).putLong(7).flip(), 100);
      file.write(direct(8).putLong(5).flip(), 0);
      ByteBuffer read = direct(200);
      assertThat(file.read(read, 0)).isEqualTo(108);
      assertThat(read.getLong(0)).isEqualTo(5);
      assertThat(read.getLong(100)).isEqualTo(7);
      file.force();
      file.truncate(50);
      assertThat(files.size(path)).isEqualTo(50);
      assertThat(file.read(direct(10), 45)).isEqualTo(5);
      assertThat(file.read(direct(10), 50)).isZero();
    }
    files.forceDirectory(temp);
    assertThat(mode(path)).isEqualTo("rw-------");
  }

  @Test
  void shouldCreateOnlyWhatIsFreeAndFollowNoLink() throws IOException {
    Path target = Files.writeString(temp.resolve("target"), "not ours");
    Path link = Files.createSymbolicLink(temp.resolve("link"), target);
    Path dangling = Files.createSymbolicLink(temp.resolve("dangling"), temp.resolve("none"));
    for (Path taken : new Path[] {target, link, dangling}) {
      assertThatThrownBy(() -> files.create(taken)).isInstanceOf(FileAlreadyExistsException.class);
    }
    for (Path linked : new Path[] {link, dangling}) {
      assertThatThrownBy(() -> files.open(linked)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> files.openToRead(linked)).isInstanceOf(IOException.class);
      assertThat(files.size(linked)).isEqualTo(-1);
      assertThat(files.exists(linked)).isTrue();
    }
    assertThat(target).hasContent("not ours");
    assertThat(temp.resolve("none")).doesNotExist();
    Path directory = Files.createSymbolicLink(temp.resolve("directory"), temp);
    assertThatThrownBy(() -> files.createDirectory(directory))
        .isInstanceOf(NotDirectoryException.class);
  }

  @Test
  void shouldCreateDirectoriesForTheOwnerAlone() throws IOException {
    Path directory = temp.resolve("a/b");
    assertThat(files.createDirectory(directory)).isTrue();
    assertThat(files.createDirectory(directory)).isFalse();
    assertThat(mode(directory)).isEqualTo("rwx------");
    assertThat(files.exposure(directory)).isNull();
    assertThat(files.exposure(temp.resolve("a"))).contains("is open to other users");
    files.removeIfEmpty(temp.resolve("a")); // it is not
    files.removeIfEmpty(directory);
    files.removeIfEmpty(directory); // nor does it exist
    assertThat(directory).doesNotExist();
    assertThat(files.usableSpace(directory)).isEqualTo(Long.MAX_VALUE);
    assertThat(files.usableSpace(temp)).isBetween(1L, Long.MAX_VALUE - 1);
    assertThat(files.isSameStore(temp, temp.resolve("a"))).isTrue();
    assertThat(files.isSameStore(temp, Path.of("/proc"))).isFalse();
    assertThat(files.isSameStore(temp, directory)).isFalse();
  }

  @Test
  void shouldKeepTheInterruptAndTheFile() throws IOException {
    Path path = temp.resolve("file");
    try (SpillFiles.OpenFile file = files.create(path)) {
      Thread.currentThread().interrupt();
      file.write(direct(8).putLong(5).flip(), 0);
      ByteBuffer read = direct(8);
      assertThat(file.read(read, 0)).isEqualTo(8);
      file.force();
      file.truncate(4);
      files.forceDirectory(temp);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(read.getLong(0)).isEqualTo(5);
    } finally {
      assertThat(Thread.interrupted()).as("given back once").isFalse();
    }
  }

  /** An interrupt within an operation closes the channel for another thread as well. */
  @Test
  void shouldSurviveInterruptsWithinOperations() throws Exception {
    try (SpillFiles.OpenFile file = files.create(temp.resolve("file"))) {
      AtomicBoolean over = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      CountDownLatch started = new CountDownLatch(2);
      Thread[] writers = new Thread[2];
      for (int i = 0; i < writers.length; i++) {
        long base = i * 1_000_000L;
        writers[i] =
            new Thread(
                () -> {
                  ByteBuffer buffer = direct(100_000);
                  started.countDown();
                  try {
                    while (!over.get()) {
                      buffer.clear();
                      file.write(buffer, base);
                      buffer.clear();
                      assertThat(file.read(buffer, base)).isEqualTo(100_000);
                    }
                  } catch (Throwable t) {
                    failure.set(t);
                  }
                });
        writers[i].start();
      }
      started.await();
      for (int i = 0; i < 2000; i++) {
        writers[i % 2].interrupt();
        Thread.yield();
      }
      over.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
      assertThat(failure.get()).isNull();
    }
  }

  @Test
  void shouldNotComeBackOnceItIsClosed() throws IOException {
    SpillFiles.OpenFile file = files.create(temp.resolve("file"));
    file.close();
    file.close();
    assertThatThrownBy(() -> file.write(direct(8), 0)).isInstanceOf(ClosedChannelException.class);
  }

  @Test
  void shouldGiveADirectoryToOneOwner() throws IOException {
    Path lockFile = temp.resolve(DirectoryLock.NAME);
    try (DirectoryLock lock = files.lock(temp)) {
      assertThat(lock).isNotNull();
      assertThat(files.lock(temp)).isNull();
      Path sameByAnotherName = Files.createSymbolicLink(temp.resolve("self"), temp);
      assertThat(files.lock(sameByAnotherName)).isNull();
    }
    DirectoryLock again = files.lock(temp);
    assertThat(again).isNotNull();
    again.delete();
    assertThat(lockFile).doesNotExist();
    again.close();
    again.close();
    Files.createSymbolicLink(lockFile, temp.resolve("elsewhere"));
    assertThatThrownBy(() -> files.lock(temp)).isInstanceOf(IOException.class);
    Files.delete(lockFile);
    Thread.currentThread().interrupt();
    DirectoryLock interrupted = files.lock(temp);
    assertThat(interrupted).isNotNull();
    interrupted.close();
    assertThat(Thread.interrupted()).isTrue();
    assertThat(temp.resolve("elsewhere")).doesNotExist();
  }
}
