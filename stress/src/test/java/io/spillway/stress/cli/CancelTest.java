package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.Main;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Ctrl-C in the middle of a run, of the real program in its own JVM. */
@Tag("slow")
@Timeout(120)
class CancelTest {

  private static final int INTERRUPTED = 130;

  /** Whoever started the tests may have had this signal ignored, which children inherit. */
  private static final List<String> INTERRUPTIBLE = List.of("env", "--default-signal=INT");

  @TempDir Path directory;
  private final StringBuilder said = new StringBuilder();

  @Test
  @Tag("gate")
  void shouldLeaveNothingBehind() throws Exception {
    List<String> command = new ArrayList<>(INTERRUPTIBLE);
    command.addAll(run());
    Process process = start(command);
    awaitSaid(process, "load began");
    ProcessHandle child = child(process);
    assertThat(directory.resolve("out")).isDirectoryRecursivelyContaining("glob:**/app.log");

    signal(process);

    assertThat(process.waitFor()).isEqualTo(INTERRUPTED);
    assertNothingIsLeftOf(child);
    assertThat(said.toString())
        .containsPattern("^2 trials, about \\d+ s in all, up to [0-9.]+ MB on disk, in /")
        .contains("sync-4MB: prefill (about", "sync-4MB: load (about");
  }

  @Test
  void shouldLeaveNothingOfALookAtAConfigurationBehind() throws Exception {
    Path temporary = Files.createDirectory(directory.resolve("tmp"));
    Path configuration = directory.resolve("hanging.xml");
    Files.writeString(
        configuration,
        "<configuration><appender name='H' class='"
            + HangingAppender.class.getName()
            + "'><file>hanging.log</file><encoder><pattern>%m%n</pattern></encoder></appender>"
            + "<root level='INFO'><appender-ref ref='H'/></root></configuration>");
    List<String> command = new ArrayList<>(INTERRUPTIBLE);
    command.addAll(run());
    command.replaceAll(part -> part.equals("--appender=sync") ? "--config=" + configuration : part);
    command.add(command.indexOf("-Xmx128m"), "-Djava.io.tmpdir=" + temporary);
    Process process = start(command);
    while (!isHanging(temporary)) {
      assertThat(process.isAlive()).as("it ended too early").isTrue();
      Thread.onSpinWait();
    }
    ProcessHandle child = child(process);

    signal(process);

    assertThat(process.waitFor()).isEqualTo(INTERRUPTED);
    child.onExit().get(10, TimeUnit.SECONDS);
    assertThat(temporary).isEmptyDirectory();
    assertThat(directory.resolve("out")).doesNotExist();
  }

  private static boolean isHanging(Path temporary) throws IOException {
    try (Stream<Path> files = Files.walk(temporary)) {
      return files.anyMatch(file -> file.endsWith("hanging.log"));
    }
  }

  /** Nor of its flight recorder, whose own files end in its process id. */
  private void assertNothingIsLeftOf(ProcessHandle child) throws Exception {
    child.onExit().get(10, TimeUnit.SECONDS);
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    try (Stream<Path> out = Files.walk(directory);
        Stream<Path> others = Files.list(temporary)) {
      assertThat(out).containsExactly(directory);
      assertThat(others).noneMatch(file -> file.toString().endsWith("_" + child.pid()));
    }
  }

  private List<String> run() {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-Xmx128m",
        Main.class.getName(),
        "run",
        "--appender=sync",
        "--size=4MB,8MB,4096KB",
        "--threads=10",
        "--rate=500",
        "--duration=10",
        "--heap=64m",
        "--out=" + directory.resolve("out"));
  }

  private Process start(List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
    builder.environment().put("COLUMNS", "200");
    builder.environment().remove("JDK_JAVA_OPTIONS"); // the launcher would print a line about it
    return builder.start();
  }

  private void awaitSaid(Process process, String what) throws IOException {
    Reader reader = process.inputReader();
    while (said.indexOf(what) < 0) {
      int next = reader.read();
      assertThat(next).as("it ended too early: " + said).isNotNegative();
      said.append((char) next);
    }
  }

  /** The forked JVM: whatever started it waits for it, and it starts nothing. */
  private static ProcessHandle child(Process process) {
    List<ProcessHandle> last =
        process.descendants().filter(one -> one.children().findAny().isEmpty()).toList();
    assertThat(last).hasSize(1);
    return last.get(0);
  }

  private static void signal(Process process) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }
}
