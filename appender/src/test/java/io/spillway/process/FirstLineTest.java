package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Fork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a process that logs one line pays for the appender. */
@Timeout(60)
class FirstLineTest {
  /** Above Logback's RollingFileAppender. */
  private static final int MOST_CLASSES = 300;

  /** Of the appender's own; the JVM spins a class for each, with 30 KB of heap on Java 25. */
  private static final int MOST_LAMBDAS = 2;

  /** One that lives for more than a second, on a busy machine, loads what may come later. */
  private static final int ATTEMPTS = 5;

  private static final String LATE = " io.spillway.internal.codec.Input ";

  @TempDir Path directory;

  private List<String> loadedBy(String appender) throws IOException {
    Path logs = Files.createTempDirectory(directory, appender);
    try (Fork child =
        Fork.start(FirstLineChild.class, List.of("-Xlog:class+load=info:stdout"), logs, appender)) {
      child.awaitEnd(0);
      assertThat(child.number("bytes")).isPositive();
      return child.output().stream().filter(line -> line.contains(" source: ")).toList();
    }
  }

  @Test
  void shouldLoadFewClassesMoreThanLogbacks() throws Exception {
    List<String> stock = loadedBy(Configured.STOCK);
    List<String> own = loadedBy(Configured.SPILLWAY);
    for (int i = 1; i < ATTEMPTS && own.stream().anyMatch(line -> line.contains(LATE)); i++) {
      own = loadedBy(Configured.SPILLWAY);
    }
    Set<String> more = new TreeSet<>(names(own));
    more.removeAll(names(stock));
    assertThat(own.size() - stock.size()).as(more::toString).isBetween(1, MOST_CLASSES);
    assertThat(more)
        .filteredOn(name -> name.matches("io\\.spillway\\.(?!testkit).*Lambda.*"))
        .hasSizeLessThanOrEqualTo(MOST_LAMBDAS);
  }

  private static List<String> names(List<String> loaded) {
    return loaded.stream()
        .map(line -> line.replaceAll(".*\\] (\\S+) source: .*", "$1").trim())
        .toList();
  }
}
