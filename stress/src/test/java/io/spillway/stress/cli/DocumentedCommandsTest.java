package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.io.FileUtils;
import org.apache.commons.io.filefilter.FileFilterUtils;
import org.apache.commons.io.filefilter.NameFileFilter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Every command and option of the tester that the pages name is one that it takes. */
class DocumentedCommandsTest {
  private static final Path PROJECT = Path.of("..");

  /** In code, perhaps over a line's end; or a line of a block, up to its comment. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "`[.]/spillway-stress ([^`]+)`|^[.]/spillway-stress ([^#\\n]+)", Pattern.MULTILINE);

  private static final Pattern OPTION = Pattern.compile("`(--[a-z0-9-]+)");
  private static final Set<String> PROGRAMS_OF_THEIR_OWN = Set.of("jmh", "races");

  @TempDir Path directory;

  static List<String> commands() {
    return FileUtils.listFiles(
            PROJECT.toFile(),
            FileFilterUtils.suffixFileFilter(".md"),
            FileFilterUtils.notFileFilter(new NameFileFilter("target", ".git", "spillway-results")))
        .stream()
        .flatMap(file -> COMMAND.matcher(read(file.toPath())).results())
        .map(match -> (match.group(1) == null ? match.group(2) : match.group(1)).trim())
        .filter(command -> !PROGRAMS_OF_THEIR_OWN.contains(command.split(" ")[0]))
        .distinct()
        .toList();
  }

  /** Exit code 1 would say that a subject breaks a limit. */
  @Test
  void shouldTellAFailureOfItsLauncherFromABrokenLimit() throws Exception {
    Path checkout = Files.createDirectories(directory.resolve("checkout/stress")).getParent();
    Path launcher = checkout.resolve("spillway-stress");
    Files.copy(PROJECT.resolve("spillway-stress"), launcher, StandardCopyOption.COPY_ATTRIBUTES);
    Files.writeString(checkout.resolve("stress/target"), "no directory can be made here");
    Path link = Files.createDirectory(directory.resolve("bin")).resolve("spillway-stress");
    Files.createSymbolicLink(link, launcher);
    for (Path started : List.of(launcher, link)) {
      Process process = new ProcessBuilder("bash", started.toString(), "run").start();
      assertThat(process.errorReader().lines()).anyMatch(line -> line.contains("checkout/stress"));
      assertThat(process.waitFor()).isEqualTo(4);
    }
    assertThat(link.getParent().toFile().list()).containsExactly("spillway-stress");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** One without arguments is a mention of it. */
  @ParameterizedTest
  @MethodSource("commands")
  void shouldTake(String command) {
    String[] arguments = command.replace("<pid>", "1").replace("'", "").split("\\s+");
    CommandLine tool = CommandLineTool.commandLine();
    assertThat(tool.getSubcommands()).containsKey(arguments[0]);
    if (arguments.length > 1) {
      assertThatCode(() -> tool.parseArgs(arguments)).as(command).doesNotThrowAnyException();
    }
  }

  @Test
  void shouldHaveEveryOptionOfItsPage() {
    Set<String> options =
        CommandLineTool.commandLine().getSubcommands().values().stream()
            .map(CommandLine::getCommandSpec)
            .flatMap(spec -> spec.optionsMap().keySet().stream())
            .collect(Collectors.toSet());
    List<String> named =
        OPTION
            .matcher(read(PROJECT.resolve("stress/README.md")))
            .results()
            .map(MatchResult::group)
            .map(text -> text.substring(1))
            .toList();
    assertThat(named).isNotEmpty().isSubsetOf(options);
  }
}
