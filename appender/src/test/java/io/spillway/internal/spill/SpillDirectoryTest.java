package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.DirectoryLock;
import io.spillway.internal.disk.SpillFiles;
import io.spillway.testkit.Fork;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Promises 14, 22 and 23: who owns a directory, what is left alone in it, and what removes it. */
class SpillDirectoryTest {
  private static final int RECORD = 400_000; // two in a segment

  @TempDir Path temp;
  private final Listened listener = new Listened();

  private static SpillConfig small(Path directory) {
    return Spills.config(directory, 16 * Spills.MEGABYTE);
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private static void deleteAll(Path directory) throws IOException {
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.delete(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path emptied, IOException e)
              throws IOException {
            Files.delete(emptied);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  @Test
  void shouldKeepOthersOut() throws IOException {
    Path directory = temp.resolve("a/b/spill");
    try (Spill spill = Spills.open(directory, listener)) {
      Spills.appendAll(spill, 0, 2);
      assertThat(mode(directory)).isEqualTo("rwx------");
      assertThat(mode(Spills.segments(directory).get(0))).isEqualTo("rw-------");
      assertThat(mode(directory.resolve(DirectoryLock.NAME))).isEqualTo("rw-------");
    }
    assertThat(listener.warnings).isEmpty();
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-x---"));
    try (Spill spill = Spills.open(directory, listener)) {
      assertThat(listener.warnings)
          .singleElement()
          .asString()
          .contains("is open to other users (rwxr-x---). To do: chmod 700");
      Spills.deliverAll(spill);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldFollowNoLinks() throws IOException {
    Path elsewhere = Files.createDirectory(temp.resolve("elsewhere"));
    Path link = Files.createSymbolicLink(temp.resolve("link"), elsewhere);
    assertThat(new Spill(Spills.config(link), new SpillFiles(), listener, () -> true).open())
        .isFalse();
    assertThat(listener.failures).containsExactly("open");

    Path directory = Files.createDirectory(temp.resolve("spill"));
    Path target = Files.writeString(temp.resolve("target"), "not ours");
    Path lock = Files.createSymbolicLink(directory.resolve(DirectoryLock.NAME), target);
    Spill locked = new Spill(Spills.config(directory), new SpillFiles(), listener, () -> true);
    assertThat(locked.open()).isFalse();
    Files.delete(lock);
    Files.createSymbolicLink(directory.resolve("000004-000000.bytes"), target);
    assertThat(locked.open()).isTrue();
    assertThat(listener.failures).contains("look at");
    // A name is taken in advance: the next number.
    Files.createSymbolicLink(directory.resolve("000005-000000.bytes"), target);
    Spills.appendAll(locked, 0, 3);
    assertThat(directory.resolve("000005-000001.bytes")).isRegularFile();
    assertThat(Spills.deliverAll(locked)).isEqualTo(Spills.range(0, 3));
    locked.close();
    assertThat(target).hasContent("not ours");
    assertThat(directory.resolve("000004-000000.bytes")).isSymbolicLink();
  }

  @Test
  void shouldLeaveForeignFilesAlone() throws IOException {
    Path directory = temp.resolve("spill");
    new SpillFiles().createDirectory(directory);
    Files.writeString(directory.resolve("notes.txt"), "mine");
    Files.writeString(directory.resolve("1-1.bytes"), "no name of a segment");
    Files.writeString(directory.resolve("000001-000001.events"), "of the other kind");
    Files.writeString(directory.resolve("000001-000002.bytes2"), "a later suffix");
    Listened first = new Listened();
    try (Spill spill = Spills.open(directory, first)) {
      assertThat(first.warnings).singleElement().asString().contains("left alone");
      assertThat(first.warnings.get(0)).contains("000001-000001.events").contains("To do:");
      Spills.appendAll(spill, 0, 3);
      assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(0, 3));
    }
    assertThat(Spills.files(directory, "*")).hasSize(5); // with the lock file
  }

  @Test
  void shouldLeaveAnotherVersionAlone() throws IOException {
    Path directory = temp.resolve("spill");
    try (Spill spill = Spills.open(directory, listener)) {
      Spills.appendAll(spill, 0, 3);
    }
    Path segment = Spills.segments(directory).get(0);
    byte[] bytes = Files.readAllBytes(segment);
    ByteBuffer later = ByteBuffer.wrap(bytes);
    later.putInt(4, 2).putInt(32, SegmentFormat.computedSalt(later));
    Files.write(segment, bytes);
    try (Spill spill = Spills.open(directory, listener)) {
      assertThat(spill.first()).isNull();
      assertThat(listener.warnings).singleElement().asString().contains("is of a later version");
    }
    assertThat(segment).hasBinaryContent(bytes);
  }

  @Test
  void shouldLeaveTheFormerFormatAlone() throws IOException {
    Path directory = temp.resolve("spill");
    new SpillFiles().createDirectory(directory);
    Files.createDirectory(directory.resolve("1"));
    for (String name : List.of("owner", "cursor", "0000000000000010.seg", "lock", "1/cursor")) {
      Files.writeString(directory.resolve(name), name);
    }
    try (Spill spill = Spills.open(directory, listener)) {
      assertThat(listener.warnings)
          .singleElement()
          .asString()
          .contains("left alone")
          .contains("start the version or appender that wrote it once more");
      Spills.appendAll(spill, 0, 3);
      assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(0, 3));
    }
    for (String name : List.of("owner", "cursor", "0000000000000010.seg", "1/cursor")) {
      assertThat(directory.resolve(name)).hasContent(name);
    }
  }

  @Test
  void shouldWaitUntilAnotherOwnerInTheJvmHasLeft() {
    Path directory = temp.resolve("spill");
    Spill second = new Spill(Spills.config(directory), new SpillFiles(), listener, () -> true);
    try (Spill first = Spills.open(directory, new Listened())) {
      Spills.appendAll(first, 0, 3);
      assertThat(second.open()).isFalse();
      assertThat(second.isOpen()).isFalse();
      assertThat(Spills.append(second, 0, 1, 0)).isNull();
      assertThat(second.first()).isNull();
      assertThat(listener.warnings).singleElement().asString().startsWith("inUse: ");
      Spills.appendAll(first, 3, 5); // the first one's lock is not disturbed
    }
    assertThat(second.open()).isTrue();
    assertThat(second.leftoverEvents()).isEqualTo(5);
    assertThat(Spills.deliverAll(second)).isEqualTo(Spills.range(0, 5));
    second.close();
    assertThat(directory).doesNotExist();
    second.close(); // again
    assertThat(second.open()).isFalse();
  }

  /** A process of its own: holds a spill until it is killed. */
  public static final class Holder {
    private Holder() {}

    public static void main(String[] arguments) {
      Spill spill = Spills.open(Path.of(arguments[0]), new Listened());
      Spills.appendAll(spill, 0, 3);
      Spills.deliver(spill, 1);
      spill.exiting();
      System.out.println("holds");
      while (spill.isOpen()) {
        LockSupport.parkNanos(1_000_000_000L);
      }
    }
  }

  @Test
  void shouldWaitUntilAnotherProcessHasLeft() {
    Path directory = temp.resolve("spill");
    Spill spill = new Spill(Spills.config(directory), new SpillFiles(), listener, () -> true);
    try (Fork holder = Fork.start(Holder.class, List.of(), directory)) {
      holder.awaitLine("holds");
      assertThat(spill.open()).isFalse();
      assertThat(listener.warnings).singleElement().asString().startsWith("inUse: ");
      holder.kill();
    }
    assertThat(spill.open()).isTrue();
    assertThat(Spills.deliverAll(spill)).containsExactly(1, 2);
    spill.close();
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldCreateARemovedDirectoryAgainAtTheNextSegment() throws IOException {
    Path directory = temp.resolve("spill");
    Spill spill = Spills.open(small(directory), new SpillFiles(), listener);
    for (int i = 0; i < 5; i++) { // in three segments
      Spills.append(spill, i, i + 1, RECORD);
    }
    Spills.deliver(spill, 1);
    deleteAll(directory);
    for (int i = 5; i < 8; i++) { // one more in the segment that is open
      Spills.append(spill, i, i + 1, RECORD);
    }
    assertThat(Spills.segments(directory)).hasSize(1);
    assertThat(mode(directory)).isEqualTo("rwx------");
    assertThat(listener.warnings).singleElement().asString().contains("was removed");
    assertThat(Spills.deliver(spill, 1)).as("this file is open").containsExactly(1);
    spill.close();
    assertThat(listener.lost.get()).as("2 to 5").isEqualTo(4);
    assertThat(listener.losses).containsOnly("the file was removed");
    assertThat(spill.events()).isEqualTo(2);
    try (Spill next = Spills.open(directory, listener)) {
      assertThat(Spills.deliverAll(next)).containsExactly(6, 7);
    }
  }

  @Test
  void shouldCountARemovedSegmentWhenItIsRead() throws IOException {
    Path directory = temp.resolve("spill");
    Spill spill = Spills.open(small(directory), new SpillFiles(), listener);
    for (int i = 0; i < 7; i++) {
      Spills.append(spill, i, i + 1, RECORD);
    }
    Files.delete(Spills.segments(directory).get(1));
    assertThat(Spills.deliverAll(spill)).containsExactly(0, 1, 4, 5, 6);
    assertThat(listener.lost.get()).isEqualTo(2);
    assertThat(spill.events()).isZero();
    spill.close();
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldNoticeThatAnEmptySpillsSegmentWasRemoved() throws IOException {
    Path directory = temp.resolve("spill");
    FaultyFiles files = new FaultyFiles();
    Spill spill = Spills.open(Spills.config(directory), files, listener);
    Spills.appendAll(spill, 0, 3);
    Spills.deliverAll(spill);
    deleteAll(directory);
    files.elapse(1000);
    Spills.appendAll(spill, 3, 6);
    Path killed = Spills.copy(directory, temp.resolve("killed"));
    assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(3, 6));
    spill.close();
    try (Spill next = Spills.open(killed, listener)) {
      assertThat(Spills.deliverAll(next)).isEqualTo(Spills.range(3, 6));
    }
    assertThat(listener.lost.get()).isZero();
  }

  @Test
  void shouldNotShareARemovedDirectoryWithItsNextOwner() throws IOException {
    Path directory = temp.resolve("spill");
    FaultyFiles files = new FaultyFiles();
    Spill spill = Spills.open(small(directory), files, listener);
    Spills.append(spill, 0, 1, 3 * RECORD);
    deleteAll(directory);
    files.rival = true;
    assertThat(Spills.append(spill, 1, 2, RECORD)).isNull();
    assertThat(listener.failures).contains("append to");
    files.elapse(1000);
    files.rival = false;
    assertThat(Spills.append(spill, 1, 2, RECORD)).isNotNull();
    assertThat(Spills.deliverAll(spill)).as("0 by its open file").containsExactly(0, 1);
    assertThat(listener.lost.get()).isZero();
    spill.close();
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldInspectWithoutAnyChange() throws IOException {
    Path directory = temp.resolve("spill");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (Spill spill = Spills.open(small(directory), new FaultyFiles(), listener)) {
      for (int i = 0; i < 5; i++) {
        Spills.append(spill, i, i + 1, RECORD);
      }
      Files.writeString(directory.resolve("notes.txt"), "mine");
      Files.writeString(directory.resolve("000000-000001.bytes.corrupt"), "damaged");
      SpillInspection.print(directory, new PrintStream(bytes, true, StandardCharsets.UTF_8));
      assertThat(Spills.deliverAll(spill)).hasSize(5);
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("000000-000001.bytes.corrupt  damaged, kept for inspection")
        .contains("000001-000000.bytes  2 events, begun 2025-11-24T16:00:00Z")
        .contains("000001-000002.bytes  1 events")
        .contains("3 segments, 5 events waiting, " + 5 * (RECORD + 24) + " bytes")
        .contains("other files: [notes.txt]");
  }
}
