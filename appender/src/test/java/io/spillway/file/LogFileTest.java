package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.sink.LogFile;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The writer of the active file, against a file system that really fails. */
class LogFileTest {
  private static final int FREE = 8_192; // two pages: a chunk of three is written in part

  private final LogFile log = new LogFile();
  @TempDir Path directory;

  @AfterEach
  void close() {
    log.close();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] chunk(char c) {
    return bytes(String.valueOf(c).repeat(3 * 4_096 - 1) + "\n");
  }

  private Path open(Path file) throws IOException {
    log.open(file.toFile());
    return file;
  }

  @Test
  void shouldCreateMissingDirectoriesAndAppendToWhatIsThere() throws IOException {
    Path file = open(directory.resolve("a/b/app.log"));
    log.write(bytes("one\n"));
    log.open(file.toFile());
    log.write(bytes("two\n"));

    assertThat(file).hasContent("one\ntwo\n");
    assertThat(log.file()).isEqualTo(file.toFile());
  }

  @Test
  void shouldSayWhyItsDirectoryIsAway() throws IOException {
    Path away = directory.resolve("away");
    Files.createSymbolicLink(away, away);
    assertThatThrownBy(() -> open(away.resolve("app.log")))
        .isInstanceOfSatisfying(
            FileSystemException.class, e -> assertThat(e.getReason()).isNotNull());
  }

  @Test
  void shouldWriteToANewFileWhenTheOldOneIsDeletedMovedOrReplaced() throws IOException {
    Path file = open(directory.resolve("app.log"));
    log.write(bytes("one\n"));
    Files.delete(file);
    log.write(bytes("two\n"));
    assertThat(file).hasContent("two\n");

    Files.move(file, directory.resolve("moved"));
    log.write(bytes("three\n"));
    assertThat(file).hasContent("three\n");
    assertThat(directory.resolve("moved")).hasContent("two\n");

    Files.move(file, directory.resolve("kept"));
    Files.writeString(file, "somebody else's\n");
    log.write(bytes("four\n"));
    assertThat(file).hasContent("somebody else's\nfour\n");
  }

  @Test
  void shouldGoOnAtTheNewEndWhenTheFileIsTruncatedFromOutside() throws IOException {
    Path file = open(directory.resolve("app.log"));
    log.write(bytes("one\ntwo\n"));
    Shell.run("truncate", "-s", "0", file);
    log.write(bytes("three\n"));

    assertThat(file).hasContent("three\n");
  }

  @Test
  void shouldCutATornChunkOffAndWriteItWholeOnceThereIsRoom() throws IOException {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      Path file = openOnFullDisk(disk);
      assertTears(chunk('x'));
      assertThat(log.isTorn()).isFalse();
      assertThat(file).hasContent("first\n");

      disk.drop("ballast");
      log.write(chunk('x'));

      assertThat(file).hasBinaryContent(concat(bytes("first\n"), chunk('x')));
    }
  }

  @Test
  void shouldWriteOnlyTheRestOfAChunkThatCannotBeCutOff() throws IOException {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      byte[] chunk = chunk('x');
      Path file = tear(disk, chunk);

      disk.drop("ballast");
      log.write(chunk);
      log.write(bytes("last\n"));

      assertThat(log.isTorn()).isFalse();
      assertThat(file).hasBinaryContent(concat(concat(bytes("first\n"), chunk), bytes("last\n")));
    }
  }

  @Test
  void shouldNotWriteAnythingElseBehindATornChunk() throws IOException {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      byte[] chunk = chunk('x');
      Path file = tear(disk, chunk);
      disk.drop("ballast");

      assertThatThrownBy(() -> log.write(bytes("footer\n"))).isInstanceOf(IOException.class);
      assertThat(log.isTorn()).isTrue();
      Shell.run("chattr", "-a", file);
      log.write(bytes("footer\n"));

      assertThat(file).hasContent("first\nfooter\n");
    }
  }

  @Test
  void shouldWriteATornChunkWholeToTheNextFileWhenTheTornOneIsGone() throws IOException {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      byte[] chunk = chunk('x');
      Path file = tear(disk, chunk);
      Shell.run("chattr", "-a", file);
      Shell.run("rm", file);
      disk.drop("ballast");
      log.write(chunk);

      assertThat(file).hasBinaryContent(chunk);
    }
  }

  @Test
  void shouldSurviveAnInterruptAimedAtTheWriter() throws IOException {
    Path file = open(directory.resolve("app.log"));
    Thread.currentThread().interrupt();
    log.write(bytes("one\n"));
    assertThat(Thread.interrupted()).isTrue();
    log.write(bytes("two\n"));

    assertThat(file).hasContent("one\ntwo\n");
  }

  @Test
  void shouldTellWhetherTheFileEndsInsideALine() throws IOException {
    Path file = open(directory.resolve("app.log"));
    assertThat(log.endsInsideLine()).as("empty").isFalse();
    log.write(bytes("whole\n"));
    assertThat(log.endsInsideLine()).isFalse();
    log.write(bytes("half"));
    assertThat(log.endsInsideLine()).isTrue();
    Files.delete(file);
    assertThat(log.endsInsideLine()).as("gone").isFalse();
  }

  /** One line in the file and two pages left. */
  private Path openOnFullDisk(Tmpfs disk) throws IOException {
    Path file = open(disk.directory().resolve("app.log"));
    log.write(bytes("first\n"));
    disk.ballast("ballast", disk.free() - FREE);
    return file;
  }

  /** Has a chunk written in part, and an append-only file that keeps this part. */
  private Path tear(Tmpfs disk, byte[] chunk) throws IOException {
    Path file = openOnFullDisk(disk);
    Shell.Result result = Shell.attempt("chattr", "+a", file);
    Assumptions.assumeTrue(
        result.exitCode() == 0,
        () -> "skipped, tmpfs has no append-only files here (Linux 6.6 or later): " + result);
    assertTears(chunk);
    assertThat(log.isTorn()).isTrue();
    assertThat(Files.size(file)).isGreaterThan(FREE);
    return file;
  }

  private void assertTears(byte[] chunk) {
    assertThatThrownBy(() -> log.write(chunk))
        .isInstanceOfSatisfying(
            IOException.class, e -> assertThat(StorageFailures.isDiskFull(e)).isTrue());
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] both = java.util.Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }

  /** As retention removes it, once it has deleted the last file in it. */
  @Test
  void shouldForceTheRestOnceADirectoryThatItMovedIntoIsGone() throws IOException {
    log.forcedOnClose(true);
    Path file = open(directory.resolve("app.log"));
    for (String gone : new String[] {"2026-01-01", "replaced/2026-01-02"}) {
      log.write(bytes("one\n"));
      Path dated = Files.createDirectories(directory.resolve(gone));
      log.movedInto(dated);
      Files.delete(dated);
      if (dated.getParent().endsWith("replaced")) {
        Files.delete(dated.getParent());
        Files.createFile(dated.getParent());
      }
      log.force();
    }

    assertThat(file).hasContent("one\none\n");
  }
}
