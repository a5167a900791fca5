package io.spillway.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Tmpfs;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a failure means, and what to do about it. */
class FailuresTest {
  private static final Path NOWHERE = Path.of("/nowhere/app.log");

  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "No space left on device",
        "Disk quota exceeded",
        "Read-only file system",
        "Input/output error",
        "Stale file handle",
        "Too many open files",
        "Cannot allocate memory",
        "Transport endpoint is not connected",
        "Eingabe-/Ausgabefehler"
      })
  void shouldWaitForWhatPasses(String text) {
    assertThat(Failures.isPassing(new IOException(text))).isTrue();
    assertThat(Failures.isPassing(new FileSystemException("a", null, text))).isTrue();
    assertThat(Failures.isPassing(new FileNotFoundException("a (" + text + ")"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Permission denied",
        "Operation not permitted",
        "Not a directory",
        "Is a directory",
        "File name too long",
        "Too many levels of symbolic links",
        "No such file or directory",
        "Invalid argument",
        "Operation not supported"
      })
  void shouldNotWaitForASetting(String text) {
    assertThat(Failures.isPassing(new FileNotFoundException("a (" + text + ")"))).isFalse();
  }

  @Test
  void shouldNotWaitForWhatExceptionsTell() {
    assertThat(Failures.isPassing(new AccessDeniedException("a"))).isFalse();
    assertThat(Failures.isPassing(new NoSuchFileException("a"))).isFalse();
    assertThat(Failures.isPassing(new FileAlreadyExistsException("a"))).isFalse();
    assertThat(Failures.isPassing(new NotDirectoryException("a"))).isFalse();
    assertThat(Failures.isGone(new NoSuchFileException("a"))).isTrue();
    assertThat(Failures.isGone(new IOException("a (Not a directory)"))).isTrue();
    assertThat(Failures.isGone(new IOException("Input/output error"))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"No space left on device", "Disk quota exceeded"})
  void shouldKnowAFullDiskByItsText(String text) {
    IOException failure = new IOException(text);
    assertThat(Failures.isNoRoom(failure, temp)).isTrue();
    assertThat(Failures.remedy(failure, temp)).startsWith("free or raise the space");
    IOException tooLarge = new IOException("File too large");
    assertThat(Failures.isNoRoom(tooLarge, temp)).isTrue();
    assertThat(Failures.isNoRoom(new IOException("Input/output error"), temp)).isFalse();
  }

  @Test
  void shouldKnowAFullDiskInAnyLanguage() throws IOException {
    IOException failure = new IOException("Auf dem Gerät ist kein Speicherplatz mehr verfügbar");
    assertThat(Failures.isNoRoom(failure, temp)).isFalse();
    try (Tmpfs disk = new Tmpfs(temp.resolve("disk"), "size=2m")) {
      Path file = disk.directory().resolve("missing/app.log");
      assertThat(Failures.isNoRoom(failure, file)).isFalse();
      disk.ballast("ballast", 1_500_000);
      assertThat(Failures.isNoRoom(failure, file)).isTrue();
      assertThat(Failures.isNoRoom(new NoSuchFileException("a"), file)).isFalse();
      IOException full = null;
      try (OutputStream out = new FileOutputStream(disk.directory().resolve("a").toFile())) {
        out.write(new byte[3 << 20]);
      } catch (IOException e) {
        full = e;
      }
      assertThat(Failures.isNoRoom(full, NOWHERE)).as("by its text").isTrue();
    }
  }

  @Test
  void shouldNameTheRemedy() throws IOException {
    assertThat(Failures.remedy(new IOException("Too many open files"), temp)).contains("ulimit");
    assertThat(Failures.remedy(new IOException("No locks available"), temp)).contains("locks");
    assertThat(Failures.remedy(new IOException("Input/output error"), temp)).contains("healthy");
    IOException tooLong = null;
    try {
      Files.createFile(temp.resolve("x".repeat(300)));
    } catch (IOException e) {
      tooLong = e;
    }
    assertThat(Failures.isPassing(tooLong)).isFalse();
    assertThat(Failures.isUnsupported(new IOException("Function not implemented"))).isTrue();
  }

  @Test
  void shouldGiveTheReasonWithoutTheNameThatIsSaidAlready() {
    Path named = Path.of("/var/log/app.log");
    String name = named.toString();
    assertThat(Failures.reason(new AccessDeniedException(name), named))
        .isEqualTo("AccessDeniedException");
    assertThat(Failures.reason(new AccessDeniedException("/var/log"), named))
        .isEqualTo("AccessDeniedException [/var/log]");
    assertThat(Failures.reason(new NoSuchFileException(name), named))
        .isEqualTo("NoSuchFileException");
    assertThat(Failures.reason(new NotDirectoryException(name), named))
        .isEqualTo("NotDirectoryException");
    assertThat(Failures.reason(new FileSystemException(name, null, "Stale"), named))
        .isEqualTo("Stale");
    assertThat(Failures.reason(new FileAlreadyExistsException(name), named))
        .isEqualTo("FileAlreadyExistsException");
    assertThat(Failures.reason(new FileNotFoundException(name + " (Is a directory)"), named))
        .isEqualTo("Is a directory");
    assertThat(Failures.reason(new IOException("Input/output error"), named))
        .isEqualTo("Input/output error");
    assertThat(Failures.reason(new IllegalStateException("x"), named))
        .isEqualTo("java.lang.IllegalStateException: x");
  }
}
