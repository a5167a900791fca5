package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Fork;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two where there should be one: two contexts, class loaders or processes that write and roll over
 * one file, which nobody can refuse them, and two services that spill into one directory.
 */
@Timeout(300)
@Tag("slow")
class TwoWritersTest {
  private static final int EVENTS = Boolean.getBoolean("spillway.test.full") ? 200_000 : 10_000;
  private static final int SPILLED = 20_000;

  private static final String BY_SIZE_AND_TIME =
      "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d.%i.log.gz</fileNamePattern>"
          + "<maxFileSize>20KB</maxFileSize></rollingPolicy>";
  private static final String BY_WINDOW =
      "<rollingPolicy class='io.spillway.rolling.FixedWindowRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%i.log.gz</fileNamePattern><maxIndex>21</maxIndex>"
          + "</rollingPolicy>"
          + "<triggeringPolicy class='io.spillway.rolling.SizeBasedTriggeringPolicy'>"
          + "<maxFileSize>SIZE</maxFileSize></triggeringPolicy>";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "CONTEXTS, false",
    "CONTEXTS, true",
    "LOADERS, false",
    "LOADERS, true",
    "PROCESSES, false",
    "PROCESSES, true"
  })
  void shouldTearNothingIfTwoWriteOneFile(String how, boolean window) throws Exception {
    String size =
        EVENTS * 2 * 11 / 5 / 1024 + "KB"; // a window of 21 holds all, even in small parts
    String settings =
        "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>"
            + (window ? BY_WINDOW.replace("SIZE", size) : BY_SIZE_AND_TIME);
    List<Fork> children = new ArrayList<>();
    try {
      if (how.equals("PROCESSES")) {
        children.add(start("ALONE", settings, "1"));
        children.add(start("ALONE", settings, "2"));
      } else {
        children.add(start(how, settings, "1", "2"));
      }
      children.forEach(child -> child.awaitEnd(0));
    } finally {
      children.forEach(Fork::close);
    }

    Set<String> lines = new HashSet<>(); // two that archive one file may do so twice
    Configured.contents(directory)
        .forEach(
            (name, content) -> {
              if (!name.contains(".spill/")) {
                lines.addAll(content.lines().toList());
              }
            });
    Set<String> logged = new HashSet<>();
    for (int i = 0; i < EVENTS; i++) {
      logged.add("#1:" + i + ".");
      logged.add("#2:" + i + ".");
    }
    Set<String> missing = new HashSet<>(logged);
    missing.removeAll(lines);
    lines.removeAll(logged);
    assertThat(lines).as("torn").isEmpty();
    if (how.equals("CONTEXTS")) { // others may give two files one name in the same instant
      assertThat(missing).as("missing").isEmpty();
    }
  }

  private Fork start(String how, String settings, String... streams) {
    List<Object> arguments = new ArrayList<>(List.of(how, directory, settings, EVENTS));
    arguments.addAll(List.of(streams));
    return Fork.start(TwoWritersChild.class, List.of("-Xmx256m"), arguments.toArray());
  }

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldGiveEachServiceItsOwnEventsBackInWhateverOrderTheyStart(Kind kind) throws Exception {
    try (Fork first = service(kind, "1", SPILLED);
        Fork second = service(kind, "2", SPILLED)) {
      first.awaitAtLeast("spilled", SPILLED / 2);
      second.awaitAtLeast("spilled", SPILLED / 2);
      first.kill();
      second.kill();
    }
    for (String stream : List.of("2", "1")) {
      try (Fork again = service(kind, stream, 0)) {
        again.awaitEnd(0);
      }
    }
    for (String stream : List.of("1", "2")) {
      List<String> lines = Files.readAllLines(directory.resolve(stream).resolve("app.log"));
      assertThat(lines).allMatch(line -> line.startsWith("#" + stream + ":"));
      assertThat(new HashSet<>(lines).size()).isGreaterThan(SPILLED / 2);
      new SequenceCheck(lines).assertInOrderWithoutFragments();
    }
  }

  private Fork service(Kind kind, String stream, int events) throws Exception {
    Path own = Files.createDirectories(directory.resolve(stream));
    return Fork.start(
        TwoWritersChild.Service.class,
        List.of(),
        kind,
        own,
        directory.resolve("spill"),
        stream,
        events);
  }
}
