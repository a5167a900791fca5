package io.spillway.internal.compress;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What waits for a number is found by its name, in its order. */
class RolledNameTest {
  @TempDir Path directory;

  @Test
  void shouldFindWhatItNamesInTheOrderOfTheRolloversAndNothingElse() throws IOException {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG")); // which has digits of its own
    try {
      Path active = directory.resolve("app.log");
      Instant period = Instant.parse("2026-11-23T10:15:30.123Z");
      for (long sequence : new long[] {1_000_000, 17, 999_999}) {
        Files.createFile(RolledName.of(active, period, sequence).path());
      }
      assertThat(directory.resolve("app.log.2026-11-23T10-15-30.123Z.000017.rolled")).exists();
      for (String foreign :
          new String[] {
            "app.log",
            "app.log.rolled",
            "app.log.2026-11-23.000001.rolled",
            "app.log.2026-11-23T10-15-30.123Z.1.rolled",
            "app.log.2026-13-23T10-15-30.123Z.000001.rolled",
            "other.log.2026-11-23T10-15-30.123Z.000001.rolled",
            "app.log.2026-11-23T10-15-30.123Z.000001.rolled.gz"
          }) {
        Files.createFile(directory.resolve(foreign));
      }
      Files.createDirectory(RolledName.of(active, period, 5).path());
      Files.createSymbolicLink(RolledName.of(active, period, 6).path(), active);
      assertThat(RolledName.list(new Disk(), active))
          .extracting(RolledName::sequence)
          .containsExactly(17L, 999_999L, 1_000_000L);
      assertThat(RolledName.list(new Disk(), active))
          .allMatch(rolled -> rolled.period().equals(period));
    } finally {
      Locale.setDefault(before);
    }
    assertThat(RolledName.list(new Disk(), directory.resolve("none/app.log"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "\u00e4", "\uD83D\uDE80"})
  void shouldFindItsOwnWhereTheFileSystemTakesNoLongerName(String character) throws IOException {
    String longest = character.repeat(252 / character.getBytes(UTF_8).length);
    Path active = Files.createFile(directory.resolve(longest + "1"));
    Path other = Files.createFile(directory.resolve(longest + "2"));
    Path rolled = RolledName.of(active, Instant.EPOCH, 7).path();
    Files.move(active, rolled);
    assertThat(RolledName.list(new Disk(), active))
        .extracting(RolledName::path)
        .containsExactly(rolled);
    assertThat(RolledName.list(new Disk(), other)).isEmpty();
  }
}
