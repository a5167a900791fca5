package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.helpers.NOPAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("shared")
class SpillDirectoriesTest {
  @TempDir Path directory;

  private static String owner(Path spill) {
    Appender<Object> appender = new NOPAppender<>();
    appender.setName("FILE");
    appender.setContext(new ContextBase());
    return SpillDirectories.owner(appender, spill);
  }

  @Test
  void shouldTakeOneFileForOneHoweverItIsSpelled() throws Exception {
    Path logs = directory.resolve("logs");
    Path spill = logs.resolve("app.log.spill");
    String before = owner(spill);
    Files.createDirectory(logs);
    Path link = Files.createSymbolicLink(directory.resolve("link"), logs);

    assertThat(owner(spill)).isEqualTo(before);
    assertThat(owner(Path.of("").toAbsolutePath().relativize(spill))).isEqualTo(before);
    assertThat(owner(logs.resolve("../logs/app.log.spill"))).isEqualTo(before);
    assertThat(owner(link.resolve("app.log.spill"))).isEqualTo(before);
    assertThat(owner(logs.resolve("other.log.spill"))).isNotEqualTo(before);
  }
}
