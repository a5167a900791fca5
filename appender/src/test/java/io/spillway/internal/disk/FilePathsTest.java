package io.spillway.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One path for each file, and names that no file can have. */
class FilePathsTest {
  @TempDir Path temp;

  @Test
  void shouldGiveOnePathToAFileHoweverItIsSpelled() throws IOException {
    Path real = Files.createDirectory(temp.toRealPath().resolve("real"));
    Path link = Files.createSymbolicLink(temp.resolve("link"), real);
    Path missing = real.resolve("a/app.log");
    assertThat(FilePaths.canonical(link.resolve("a/app.log"))).isEqualTo(missing);
    assertThat(FilePaths.canonical(real.resolve("b/../a/./app.log"))).isEqualTo(missing);
    assertThat(FilePaths.canonical(link)).isEqualTo(real);
  }

  @Test
  void shouldSayWhatIsWrongWithAName() {
    assertThat(FilePaths.trouble("/var/log/app.log")).isNull();
    assertThat(FilePaths.trouble("app\0.log")).contains("no file can have that name", "LC_ALL");
  }
}
