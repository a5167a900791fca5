package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ArchiveFilesTest {
  /** As vboxsf and 9p do, where the archive would be compared and its rolled file kept for ever. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldDoWithoutForcingADirectoryWhereTheFileSystemRefusesTo() {
    assertThatCode(() -> new ArchiveFiles().forceDirectory(Path.of("/proc")))
        .doesNotThrowAnyException();
  }
}
