package io.spillway.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is waited for when a file cannot be opened at the start, and what is a wrong setting. */
class StorageFailuresTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "No space left on device",
        "Disk quota exceeded",
        "Read-only file system",
        "Input/output error",
        "Structure needs cleaning",
        "Bad message",
        "Resource temporarily unavailable",
        "Connection refused",
        "Key has expired",
        "Required key not available",
        "Cannot send after transport endpoint shutdown",
        "Stale file handle",
        "Connection timed out",
        "Host is down",
        "No route to host",
        "Transport endpoint is not connected",
        "Too many open files",
        "Too many open files in system",
        "Cannot allocate memory",
        "Link has been severed",
        "No such device",
        "No data available",
        "Invalid exchange",
        "Remote address changed",
        "Device or resource busy",
        "Software caused connection abort",
        "Connection reset by peer",
        "Protocol error",
        "Interrupted system call",
        "File descriptor in bad state",
        "Bad file descriptor",
        "Remote I/O error"
      })
  void shouldWaitForWhatPasses(String text) {
    assertPassing(text, true);
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
        "No such device or address",
        "Invalid argument",
        "Operation not supported",
        "Function not implemented",
        "is a named pipe, which may have no reader; remove it",
        "Filename too long",
        "Symbolic link loop",
        "Invalid or incomplete multibyte or wide character",
        "Illegal byte sequence",
        "Access is denied",
        "The system cannot find the path specified",
        "The filename, directory name, or volume label syntax is incorrect"
      })
  void shouldNotWaitForASettingToChange(String text) {
    assertPassing(text, false);
  }

  /** The message of these is the path alone. */
  @Test
  void shouldNotWaitForASettingToChangeThatAnExceptionHasATypeFor() {
    String path = "logs/app.log";
    assertThat(StorageFailures.isPassing(new AccessDeniedException(path))).isFalse();
    assertThat(StorageFailures.isPassing(new NoSuchFileException(path))).isFalse();
    assertThat(StorageFailures.isPassing(new FileAlreadyExistsException(path))).isFalse();
  }

  @Test
  void shouldTellThatTheSpillNeedsLocks() {
    for (String text : List.of("No locks available", "Function not implemented")) {
      assertThat(StorageFailures.remedy(new IOException(text))).contains("locks");
    }
  }

  /** As java.io and as java.nio say it. */
  private static void assertPassing(String text, boolean passing) {
    assertThat(StorageFailures.isPassing(new FileNotFoundException("logs/app.log (" + text + ")")))
        .isEqualTo(passing);
    assertThat(StorageFailures.isPassing(new FileSystemException("logs/app.log", null, text)))
        .isEqualTo(passing);
  }

  /** A catalog of GNU gettext has the order of bytes of the machine that made it. */
  @ParameterizedTest
  @CsvSource({"LITTLE, ISO-8859-1", "BIG, ISO-8859-1", "LITTLE, UTF-8"})
  void shouldReadWhatTheSystemSaysInAnotherLanguage(String order, String charset) throws Exception {
    String german = "Der verfügbare Plattenplatz ist überschritten";
    List<String> texts =
        List.of(
            "",
            "Project-Id-Version: libc\nContent-Type: text/plain; charset=" + charset + "\n",
            "Disk quota exceeded",
            german);
    ByteBuffer catalog =
        ByteBuffer.allocate(1_000)
            .order(order.equals("BIG") ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
    // Magic number, version, how many, where the originals are and the translations, no hashes.
    catalog.putInt(0x950412de).putInt(0).putInt(2).putInt(28).putInt(28 + 16).putInt(0).putInt(0);
    int offset = 28 + 2 * 16;
    for (int index : new int[] {0, 2, 1, 3}) {
      byte[] text = texts.get(index).getBytes(charset);
      catalog.putInt(text.length).putInt(offset);
      catalog.put(offset, text);
      offset += text.length + 1;
    }
    Path file = Files.write(directory.resolve("libc.mo"), catalog.array());
    assertThat(SystemTexts.translation(file, "Disk quota exceeded")).isEqualTo(german);
    assertThat(SystemTexts.translation(file, "Is a directory")).isEmpty();
    assertThat(SystemTexts.translation(directory.resolve("none.mo"), "Is a directory")).isEmpty();
  }

  @Test
  void shouldLookForTheLanguagesOfTheProcess() {
    Map<String, String> environment = Map.of("LANGUAGE", "sr@latin:fr", "LANG", "de_AT.UTF-8@euro");
    List<Path> wanted =
        Stream.of("sr@latin", "sr", "fr", "de_AT@euro", "de_AT", "de@euro", "de")
            .map(locale -> Path.of("/usr/share/locale", locale, "LC_MESSAGES", "libc.mo"))
            .toList();
    assertThat(SystemTexts.catalogs(environment))
        .containsAll(wanted)
        .hasSize(2 * wanted.size()); // those of language packs, too
    assertThat(SystemTexts.catalogs(Map.of("LANG", "C"))).isEmpty();
    assertThat(SystemTexts.catalogs(Map.of("LANG", "../../tmp/de"))).isEmpty();
  }
}
