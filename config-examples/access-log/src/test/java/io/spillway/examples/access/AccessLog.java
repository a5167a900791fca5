package io.spillway.examples.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.examples.testkit.LogFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The access log as it is on disk: one archive and the file that is written now. */
final class AccessLog {
  private static final Pattern LINE =
      Pattern.compile("127\\.0\\.0\\.1 - - \\[(\\S+)] (\".*\") (-?\\d+)");

  private final Path directory;

  AccessLog(Path directory) {
    this.directory = directory;
  }

  Path current() {
    return directory.resolve("access.log");
  }

  /** Where a test puts the file that has the first requests. */
  Path aside() {
    return directory.resolve("aside");
  }

  /**
   * Every request is there once, in a line of its own data, and those of a connection are in order.
   */
  void assertHolds(List<List<Exchange>> expected, OffsetDateTime from, OffsetDateTime to)
      throws IOException {
    List<String> lines = lines();
    assertThat(lines).hasSize(expected.stream().mapToInt(List::size).sum());
    List<List<String>> logged = new ArrayList<>();
    expected.forEach(connection -> logged.add(new ArrayList<>()));
    for (String line : lines) {
      Matcher fields = LINE.matcher(line);
      assertThat(fields.matches()).as(line).isTrue();
      assertThat(OffsetDateTime.parse(fields.group(1))).isBetween(from, to);
      // Jetty's own clock may be a moment ahead of the one that the event is stamped by
      assertThat(Long.parseLong(fields.group(3))).as(line).isBetween(-10L, 60_000L);
      String request = fields.group(2);
      logged.get(Integer.parseInt(request.split("/")[1])).add(request);
    }
    for (int i = 0; i < expected.size(); i++) {
      assertThat(logged.get(i))
          .containsExactlyElementsOf(expected.get(i).stream().map(Exchange::logged).toList());
    }
  }

  private List<String> lines() throws IOException {
    List<Path> files;
    try (Stream<Path> list = Files.list(directory)) {
      files = list.filter(file -> !file.equals(aside())).sorted().toList();
    }
    // No spill is left, and a name with a date comes before access.log.
    assertThat(files).hasSize(2).last().isEqualTo(current());
    assertThat(files.get(0).getFileName().toString())
        .matches("access\\.\\d{4}-\\d\\d-\\d\\d\\.0\\.log\\.gz");
    List<String> lines = new ArrayList<>(LogFiles.lines(aside()));
    List<String> archived = LogFiles.lines(files.get(0));
    assertThat(archived).as("archive").isNotEmpty();
    lines.addAll(archived);
    List<String> rest = LogFiles.lines(files.get(1));
    assertThat(rest).as("active file").isNotEmpty();
    lines.addAll(rest);
    return lines;
  }
}
