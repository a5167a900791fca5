package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What README.md, or another page, gives to copy: its commands, blocks and links. */
final class Readme {
  static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();

  private static final Pattern BLOCK =
      Pattern.compile("^```(\\w+)\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern INSTALL =
      Pattern.compile("^`?([.]/mvnw -q install [^`\\n]+)`?", Pattern.MULTILINE);

  private final String text;

  Readme() throws IOException {
    this("README.md");
  }

  Readme(String page) throws IOException {
    text = Files.readString(PROJECT.resolve(page));
  }

  /** The block in a language that contains a text. */
  String block(String language, String containing) {
    List<String> found =
        BLOCK
            .matcher(text)
            .results()
            .filter(block -> block.group(1).equals(language))
            .map(block -> block.group(2))
            .filter(block -> block.contains(containing))
            .toList();
    assertThat(found).as(language + " with [" + containing + "]").hasSize(1);
    return found.get(0);
  }

  /** The commands that install, in their order. */
  List<String> installs() {
    return INSTALL.matcher(text).results().map(found -> found.group(1).trim()).toList();
  }

  /** The file that a row of the table of projects links to. */
  Path linked(String row) throws IOException {
    Pattern link = Pattern.compile("^\\| \\Q" + row + "\\E.*\\]\\(([^)]+)\\)", Pattern.MULTILINE);
    List<MatchResult> found = link.matcher(text).results().toList();
    assertThat(found).as(row).hasSize(1);
    return PROJECT.resolve(found.get(0).group(1)).toRealPath();
  }

  String text() {
    return text;
  }
}
