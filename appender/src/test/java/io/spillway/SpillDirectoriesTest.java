package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.helpers.NOPAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpillDirectoriesTest {
  @TempDir Path directory;

  private static String owner(Path spill) {
    Appender<Object> appender = new NOPAppender<>();
    appender.setName("FILE");
    appender.setContext(new ContextBase());
    return SpillDirectories.owner(appender, spill);
  }

  @Test
  void shouldTellTenantsApartButNotStarts() {
    Path logs = directory.toAbsolutePath();
    assertThat(owner(logs.resolve("tenant-1001/app.log.spill")))
        .isNotEqualTo(owner(logs.resolve("tenant-1002/app.log.spill")));
    assertThat(owner(logs.resolve("app-8080.log.spill")))
        .isNotEqualTo(owner(logs.resolve("app-8081.log.spill")));
    for (String[] starts :
        new String[][] {
          {"app-2026-11-23.log.spill", "app-2027-01-01.log.spill"},
          {"app.20261123T101500.log.spill", "app.20261124T235959.log.spill"},
          {"app.1795430000000.log.spill", "app.1795430000001.log.spill"},
        }) {
      assertThat(owner(logs.resolve(starts[0]))).isEqualTo(owner(logs.resolve(starts[1])));
    }
    assertThat(owner(logs.resolve("app." + ProcessHandle.current().pid() + ".log.spill")))
        .isEqualTo(owner(logs.resolve("app.#.log.spill")));
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
