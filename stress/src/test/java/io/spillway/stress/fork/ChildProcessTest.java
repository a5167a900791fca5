package io.spillway.stress.fork;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.Progress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Forked JVMs that do not do what they are to do. */
class ChildProcessTest {

  @TempDir Path directory;

  /** What a child does. */
  static final class Misbehaving {
    private Misbehaving() {}

    /** Hangs, ends as if it had no memory, or throws far below, after saying a lot. */
    public static void main(String[] arguments) {
      switch (arguments[0]) {
        case "hang" -> hang();
        case "three" -> System.exit(3);
        case "talk" -> {
          System.err.println("much to say");
          System.exit(0);
        }
        default -> {}
      }
      System.err.print(("much to say".repeat(1_000) + "\n").repeat(20));
      fall(30);
    }

    private static void hang() {
      while (true) {
        LockSupport.park();
      }
    }

    private static void fall(int deep) {
      if (deep == 0) {
        throw new IllegalStateException("what was thrown");
      }
      fall(deep - 1);
    }
  }

  @Test
  void shouldTellWhatWasThrownAndWhereWithoutTheRestOfItsTrace() throws Exception {
    ChildProcess.Outcome outcome = outcome("throw", Duration.ofMinutes(1));

    assertThat(outcome.failure().lines().toList())
        .hasSizeLessThan(10)
        .anyMatch(line -> line.endsWith("IllegalStateException: what was thrown"))
        .last()
        .asString()
        .startsWith("\tat " + Misbehaving.class.getName() + ".fall");
    assertThat(outcome.failure()).hasSizeLessThan(100_000);
  }

  @Test
  void shouldDumpTheThreadsOfAJvmThatHangs() throws Exception {
    ChildProcess.Outcome outcome = outcome("hang", Duration.ofSeconds(2));

    assertThat(outcome.failure())
        .isEqualTo("the forked JVM showed no progress for 2 s and was killed");
    assertThat(outcome.dump()).endsWith(directory.resolve("thread-dump.txt").toString());
    assertThat(directory.resolve("thread-dump.txt")).content().contains("Misbehaving.hang(");
  }

  /** Which is the code that a JVM without memory ends with. */
  @Test
  void shouldNotTakeEveryExitCodeThreeForALackOfMemory() throws Exception {
    assertThat(outcome("three", Duration.ofMinutes(1)).failure())
        .startsWith("the forked JVM ended with exit code 3");
  }

  /** What every event prints there may be gigabytes. */
  @Test
  void shouldKeepTheEndOfItsStandardErrorOnlyIfItFails() throws Exception {
    Path work = Files.createDirectory(directory.resolve("work"));
    Path report = Files.createFile(directory.resolve("report.json"));
    for (String what : List.of("talk", "fall")) {
      ChildProcess child =
          new ChildProcess(command(what), directory, directory, work, ChildProcess.Driver.NONE);
      child.await(Duration.ofMinutes(1), Progress.NONE, report);
      assertThat(work.resolve("stderr.txt")).isNotEmptyFile();
      assertThat(directory.resolve("stderr.txt").toFile())
          .matches(file -> file.exists() == what.equals("fall"));
    }
    assertThat(directory.resolve("stderr.txt")).content().contains(".fall(");
    assertThat(Files.size(directory.resolve("stderr.txt"))).isLessThanOrEqualTo(1 << 16);
  }

  private ChildProcess.Outcome outcome(String what, Duration deadline) throws Exception {
    ChildProcess child =
        new ChildProcess(command(what), directory, directory, directory, ChildProcess.Driver.NONE);
    try {
      return child.await(deadline, Progress.NONE, directory.resolve("report.json"));
    } finally {
      child.kill();
      assertThat(Files.exists(directory.resolve("stderr.txt"))).isTrue();
    }
  }

  private List<String> command(String what) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-cp",
        Path.of("target/test-classes").toAbsolutePath().toString(),
        Misbehaving.class.getName(),
        what);
  }
}
