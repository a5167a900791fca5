package io.spillway.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is waited for when a file cannot be opened at the start, and what is a wrong setting. */
class StorageFailuresTest {
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
        "Cannot allocate memory"
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
        "Invalid argument"
      })
  void shouldNotWaitForASettingToChange(String text) {
    assertPassing(text, false);
  }

  /** As java.io and as java.nio say it. */
  private static void assertPassing(String text, boolean passing) {
    assertThat(StorageFailures.isPassing(new FileNotFoundException("logs/app.log (" + text + ")")))
        .isEqualTo(passing);
    assertThat(StorageFailures.isPassing(new FileSystemException("logs/app.log", null, text)))
        .isEqualTo(passing);
  }
}
