package io.spillway.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnersTest {
  @TempDir Path directory;

  private static final class Named extends FileAppender<Object> {
    Named(String name, boolean running) {
      setName(name);
      setContext(new LoggerContext());
      getContext().setName("context of " + name);
      started = running;
    }

    void end() {
      started = false;
    }
  }

  private final Named first = new Named("FIRST", true);
  private final Named second = new Named("SECOND", true);

  @Test
  void shouldNameBothToTheSecondInEachSpelling() throws Exception {
    Path file = directory.resolve("app.log");
    assertThat(Owners.take(first, "log file", file)).isNull();
    assertThat(Owners.take(first, "log file", file)).as("its own").isNull();
    assertThat(Owners.take(second, "spill directory", file)).as("another kind").isNull();
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory);
    for (Path spelling : new Path[] {file, link.resolve("x/../app.log")}) {
      assertThat(Owners.take(second, "log file", spelling))
          .contains("[FIRST] of context [context of FIRST]", "[SECOND]", "To do: ");
    }
    Owners.release(first);
    assertThat(Owners.take(second, "log file", file)).isNull();
    Owners.release(second);
  }

  @Test
  void shouldGiveWhatIsOfAnAppenderThatIsNotStarted() {
    Path file = directory.resolve("app.log");
    assertThat(Owners.take(first, "log file", file)).isNull();
    first.end();
    assertThat(Owners.take(second, "log file", file)).isNull();
    Owners.release(first);
    assertThat(Owners.take(new Named("THIRD", true), "log file", file)).contains("[SECOND]");
    Owners.release(second);
  }
}
