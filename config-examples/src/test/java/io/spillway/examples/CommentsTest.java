package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.io.FileUtils;
import org.apache.commons.io.filefilter.FileFilterUtils;
import org.apache.commons.io.filefilter.NameFileFilter;
import org.junit.jupiter.api.Test;

/** Comments of the main sources are sentences that are understood without their neighbours. */
class CommentsTest {
  private static final Path PROJECT = Path.of("..");

  /** The beginnings of a Javadoc that needs the one before it, or the name below it. */
  private static final Pattern FRAGMENT =
      Pattern.compile(
          "/\\*\\*[\\s*]+(The same|As above|Ditto|Likewise|So that|So many|So often|Else|Nor|And)\\b.*");

  /** Words in place of the name of a thread, a caller or a program. */
  private static final Pattern NAMELESS =
      Pattern.compile(
          "^\\s*(?:/?\\*|.*?//).*?\\b(whoever|nobody|somebody|for want of|to be had)\\b.*",
          Pattern.CASE_INSENSITIVE | Pattern.MULTILINE);

  @Test
  void shouldStandAlone() throws Exception {
    List<String> bad = new ArrayList<>();
    int files = 0;
    for (File file :
        FileUtils.listFiles(
            PROJECT.toFile(),
            FileFilterUtils.suffixFileFilter(".java"),
            FileFilterUtils.notFileFilter(new NameFileFilter("target", "test", ".git")))) {
      String text = FileUtils.readFileToString(file, StandardCharsets.UTF_8);
      files++;
      for (Pattern pattern : List.of(FRAGMENT, NAMELESS)) {
        Matcher found = pattern.matcher(text);
        while (found.find()) {
          bad.add(file.getName() + ": " + found.group().strip());
        }
      }
    }
    assertThat(files).isGreaterThan(100);
    assertThat(bad).isEmpty();
  }
}
