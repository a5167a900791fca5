package io.spillway.stress.fork;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChildCommandTest {

  private static final String CLASS_PATH = "java.class.path";
  private final String before = System.getProperty(CLASS_PATH);

  @AfterEach
  void restore() {
    System.setProperty(CLASS_PATH, before);
  }

  @Test
  void shouldNameTheClassPathAsItIsSeenFromAnyDirectory() {
    System.setProperty(CLASS_PATH, "one.jar" + File.pathSeparator + "lib/two.jar");

    List<String> command =
        ChildCommand.ofTrial("64m", Map.of(), List.of(Path.of("mine.jar")), Path.of("spec"));

    assertThat(command.get(command.indexOf("-cp") + 1).split(File.pathSeparator))
        .containsExactly(
            Path.of("mine.jar").toAbsolutePath().toString(),
            Path.of("one.jar").toAbsolutePath().toString(),
            Path.of("lib/two.jar").toAbsolutePath().toString());
  }
}
