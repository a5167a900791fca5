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

    /** Hangs, or throws far below, after saying a lot. */
    public static void main(String[] arguments) {
      if (arguments[0].equals("hang")) {
        hang();
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
  void shouldTellInWhatItsMainThreadHangs() throws Exception {
    ChildProcess.Outcome outcome = outcome("hang", Duration.ofSeconds(2));

    assertThat(outcome.failure())
        .isEqualTo("the forked JVM was still running after 2 s and was killed");
    assertThat(outcome.dump()).endsWith(directory.resolve("thread-dump.txt").toString());
    assertThat(ChildProcess.ThreadDump.ofMain(directory))
        .anyMatch(frame -> frame.startsWith(Misbehaving.class.getName() + ".hang("));
  }

  private ChildProcess.Outcome outcome(String what, Duration deadline) throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            Path.of("target/test-classes").toAbsolutePath().toString(),
            Misbehaving.class.getName(),
            what);
    ChildProcess child = ChildProcess.start(command, directory);
    try {
      return child.await(deadline, Progress.NONE, directory.resolve("report.json"));
    } finally {
      child.kill();
      assertThat(Files.exists(directory.resolve("stderr.txt"))).isTrue();
    }
  }
}
