package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** PROMISES.md: each promise is held by tests that exist. */
class PromisesTest {
  private static final Path PAGE = Path.of("PROMISES.md");
  private static final Path TESTS = Path.of("src", "test", "java");
  private static final Pattern TEST = Pattern.compile("`(\\w+Test)(?:#(\\w+))?`");
  private static final int PROMISES = 42;

  static Stream<String> rows() throws IOException {
    return Files.readAllLines(PAGE).stream().filter(line -> line.matches("[|] \\d+ [|].*"));
  }

  @Test
  void shouldNumberThemFromOneOn() throws IOException {
    List<Integer> numbers = rows().map(row -> Integer.valueOf(row.split(" *[|] *")[1])).toList();
    assertThat(numbers).isEqualTo(IntStream.rangeClosed(1, PROMISES).boxed().toList());
  }

  @ParameterizedTest
  @MethodSource("rows")
  void shouldBeHeldByTestsThatExist(String row) throws IOException {
    Matcher named = TEST.matcher(row.split(" *[|] *")[3]);
    int tests = 0;
    while (named.find()) {
      tests++;
      String source = Files.readString(find(named.group(1)));
      if (named.group(2) != null) {
        assertThat(source).contains("void " + named.group(2) + "(");
      }
    }
    assertThat(tests).isPositive();
  }

  private static Path find(String test) throws IOException {
    try (Stream<Path> files = Files.walk(TESTS)) {
      List<Path> found = files.filter(file -> file.endsWith(test + ".java")).toList();
      assertThat(found).as(test).hasSize(1);
      return found.get(0);
    }
  }
}
