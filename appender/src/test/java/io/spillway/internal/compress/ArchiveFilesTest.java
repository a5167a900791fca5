package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ArchiveFilesTest {
  /** As vboxsf and 9p do, where the archive would be compared and its rolled file kept for ever. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldDoWithoutForcingADirectoryWhereTheFileSystemRefusesTo() {
    assertThatCode(() -> new ArchiveFiles().forceDirectory(Path.of("/proc")))
        .doesNotThrowAnyException();
  }

  /** A power cut must not find the original deleted and the name of the copy not on the disk. */
  @Test
  void shouldForceTheNameOfACopyBeforeTheOriginalIsDeleted(@TempDir Path directory)
      throws IOException {
    try (Tmpfs other = new Tmpfs(directory.resolve("other"), "size=1m")) {
      Path from = Files.writeString(directory.resolve("app.log"), "content");
      Path to = other.directory().resolve("new/app.1.log");
      List<String> operations = new ArrayList<>();
      new FaultyFiles()
          .hook(
              (operation, file) -> operations.add(operation + (Files.exists(to) ? ", copied" : "")))
          .rename(from, to);
      assertThat(operations)
          .containsExactly("rename", "force", "forceDirectory, copied", "delete, copied");
      assertThat(to).hasContent("content");
      assertThat(from).doesNotExist();
    }
  }
}
