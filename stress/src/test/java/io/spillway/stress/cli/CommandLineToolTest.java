package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.stress.Main;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.report.Judge;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class CommandLineToolTest {

  @TempDir Path directory;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--threads|0|a number from 1 to 10000",
        "--threads|many|a whole number",
        "--duration|1e9|a whole number",
        "--rate|fast|1 to 1000000 events a second",
        "--rate|0|1 to 1000000 events a second",
        "--size|big|a number with KB, MB or GB",
        "--size|10KB|at least 1MB",
        "--appender|asinc|async, async-never-block, spillway, spillway-file, async-defaults",
        "--message-size|-1|0 to 1000000 bytes",
        "--duration|0|1 to 600 seconds",
        "--heap|lots|a size such as 512MB, 512m or 2g",
        "--heap|1k|from 16MB",
        "--heap|900000000g|from 16MB",
        "--max-held|5|a time with us, ms or s",
        "--max-loss|-1|0 or more events",
        "--max-p999|fast|a time with us, ms or s",
        "--repeat|0|a number from 1 to 100",
        "--rotations|21|a number from 1 to 20",
        "--with|stack|",
        "--rate|max|such as 5000/s",
        "--config|missing.xml|a readable file",
        "--config|src|a readable file",
      })
  void shouldNameOptionValueAndWhatIsAllowed(String option, String value, String allowed) {
    int code = execute("run", option, value, "--out", directory.toString());

    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains(option).contains("'" + value + "'");
    assertThat(text(err)).contains(allowed == null ? "" : allowed);
    assertThat(directory).isEmptyDirectory();
  }

  /** The usage over it would push it off the screen. */
  @ParameterizedTest
  @CsvSource({"run,--heap,lots", "run,--thread,3", "calibrate,--rate,fast"})
  void shouldSayWhatIsWrongInAFewLines(String command, String option, String value) {
    assertThat(execute(command, option, value)).isEqualTo(2);
    assertThat(text(err).lines().toList())
        .hasSizeBetween(2, 4)
        .last()
        .isEqualTo("spillway-stress " + command + " --help shows all options");
    assertThat(text(err)).startsWith("spillway-stress: ").contains(option);
  }

  /** What a user would want of any appender; not zero, which no lock keeps. */
  @Test
  void shouldHoldAnAppenderToTheseLimitsUnlessAsked() {
    CalibrateCommand any = new CalibrateCommand();
    new CommandLine(any).parseArgs();
    assertThat(any.checked().limits()).isEqualTo(new Judge.Limits(1, 50, 0));
  }

  @ParameterizedTest
  @CsvSource({"5GB, 5g", "5 gb, 5g", "512MB, 512m", "512m, 512m", "2G, 2g", "900000k, 900000k"})
  void shouldTakeAHeapAsItTakesASize(String value, String heap) {
    assertThat(new Units.Heap().convert(value)).isEqualTo(heap);
  }

  @ParameterizedTest
  @ValueSource(strings = {"run", "list", "calibrate", "watch"})
  void shouldHelpWithEachCommand(String command) {
    assertThat(execute(command, "--help")).isZero();
    assertThat(text(out)).startsWith("Usage: spillway-stress " + command);
    assertThat(text(err)).isEmpty();
  }

  /** The list of commands has the first part of each description alone. */
  @Test
  void shouldListEachCommandWithWholeSentences() {
    assertThat(CommandLineTool.commandLine().getSubcommands().values())
        .extracting(command -> command.getCommandSpec().usageMessage().description()[0])
        .allMatch(sentences -> sentences.endsWith("."));
  }

  @Test
  void shouldRefuseToCalibrateWithoutARotation() {
    assertThat(execute("calibrate", "--no-rotation", "--out", directory.toString())).isEqualTo(2);
    assertThat(text(err)).contains("'--no-rotation' is not for calibrate");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRefuseADirectoryThatCannotBeMade() {
    int code = execute("run", "--out", "/proc/here", "--appender", "spillway");
    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains("'--out'", "'/proc/here'", "allowed: a directory");
  }

  @Test
  void shouldNeedAJdkThatHasVirtualThreads() {
    assumeThat(Runtime.version().feature()).isLessThan(21);
    int code = execute("run", "--virtual-threads", "--out", directory.toString());
    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains("--virtual-threads", "'Java 17'", "Java 21 or newer");
  }

  @Test
  void shouldRefuseAClassPathForNobody() {
    int code = execute("run", "--classpath", "src", "--out", directory.toString());
    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains("'--classpath' is for a --config");
  }

  /** A service has its own threads, lines and rotation. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--config=pom.xml",
        "--rotations=2",
        "--with=mdc",
        "--virtual-threads",
        "--message-size=9",
        "--logger=any"
      })
  void shouldRefuseWhatAServiceWouldIgnore(String option) {
    int code = execute("run", "--scenario", "price-api", option, "--size", "1MB");
    assertThat(code).isEqualTo(2);
    assertThat(text(err))
        .contains("'" + option.split("=")[0] + "' is not for a service", "leave it out");
  }

  @Test
  void shouldRefuseAClassPathThatIsNotThere() {
    int code = execute("run", "--config", "pom.xml", "--classpath", "gone.jar");
    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains("'--classpath'", "'gone.jar'", "that exist");
  }

  @Test
  void shouldListEveryConfigurationAndMarkTheDefaults() {
    int code = execute("list");

    assertThat(code).isZero();
    assertThat(text(out).lines().filter(line -> !line.isBlank()).map(line -> line.split(" +")[1]))
        .contains("async", "async-never-block", "spillway", "spillway-file", "async-defaults")
        .contains("async-512", "async-size-and-time", "sync", "sync-size-and-time", "logstash-drop")
        .contains("logstash-block", "log4j2-async", "async-fixed-window", "spillway-fixed-window")
        .contains("spillway-size-and-time")
        .contains("push-marketing:");
    assertThat(text(out).lines().filter(line -> line.startsWith("* ")))
        .hasSize(Trials.DEFAULT.size() + 1);
  }

  @Test
  void shouldRefuseASizeThatTheLoadWouldPassBeforeItsTime() {
    int code = execute("run", "--size", "2MB", "--out", directory.toString());

    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains("--size").contains("too small");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRefuseToFillTheDisk() {
    int code = execute("run", "--size", "900000GB", "--out", directory.toString());

    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains("free");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldShowHelpIfNothingIsAsked() {
    assertThat(execute()).isEqualTo(2);
    assertThat(text(out)).contains("run", "calibrate", "spillway-stress jmh", "Exit codes");
    assertThat(text(out).replaceAll("\\s+", " ")).contains("130 after Ctrl-C", "143 after SIGTERM");
  }

  /** Whose disk or directories are not as they should be has no use for a stack trace. */
  @Test
  void shouldSayInOneLineWhatFileFailed() throws Exception {
    Path missing = directory.resolve("missing");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + missing,
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--config=pom.xml",
                "--out=" + directory.resolve("out"))
            .start();
    assertThat(process.inputReader().lines()).isEmpty();
    assertThat(process.errorReader().lines().filter(line -> !line.contains("JDK_JAVA_OPTIONS")))
        .singleElement()
        .asString()
        .startsWith("spillway-stress: it failed: java.nio.file.NoSuchFileException: " + missing);
    assertThat(process.waitFor()).isEqualTo(4);
  }

  /** Exit code 1 would say that a subject breaks a limit. */
  @Test
  void shouldTellAnErrorOfItsOwnFromABrokenLimit() {
    PrintStream full =
        new PrintStream(out) {
          @Override
          public void write(byte[] bytes, int from, int length) {
            throw new OutOfMemoryError("of the tester");
          }
        };
    int code =
        CommandLineTool.execute(
            new String[] {"list"}, full, new PrintStream(err, true, StandardCharsets.UTF_8));
    assertThat(code).isEqualTo(4);
    assertThat(text(err)).contains("java.lang.OutOfMemoryError: of the tester");
  }

  private int execute(String... arguments) {
    return CommandLineTool.execute(
        arguments,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
