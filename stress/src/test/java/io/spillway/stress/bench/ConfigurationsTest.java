package io.spillway.stress.bench;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;

class ConfigurationsTest {
  static List<String> shouldStartWithoutAWarning() throws Exception {
    Path directory = Path.of(Configurations.resource("off").toURI()).getParent();
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(path -> path.getFileName().toString())
          .filter(file -> file.endsWith(".xml"))
          .map(file -> file.replace(".xml", "").replace("async", "async-8192"))
          .filter(name -> !name.startsWith("log4j2"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource
  void shouldStartWithoutAWarning(String name, @TempDir Path directory) throws Exception {
    LoggerContext context = Configurations.load(name, directory);
    try {
      context.getLogger("bench").info("one");
      boolean logs = context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders().hasNext();
      assertThat(logs).as("whether it has an appender").isEqualTo(!name.equals("off"));
    } finally {
      context.stop();
    }
  }
}
