package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file system that is too small. */
class SmallDiskTest {

  @TempDir Path disk;

  @BeforeEach
  void mount() throws Exception {
    assumeTrue(
        shell("mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", disk.toString()) == 0,
        "skipped, a tmpfs cannot be mounted here (be root, CAP_SYS_ADMIN)");
  }

  @AfterEach
  void unmount() throws Exception {
    shell("umount", "-l", disk.toString());
  }

  @Test
  void shouldRefuseARunThatWouldFillItAndLeaveNothingThere() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    String[] arguments = {
      "run", "--size=8MB,16MB", "--threads=10", "--rate=100", "--out=" + disk.resolve("results")
    };

    int code =
        CommandLineTool.execute(
            arguments,
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8));

    assertThat(code).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .containsPattern("the run needs up to 11\\d MB in " + disk)
        .contains("but only 101 MB are free there; choose another place with --out");
    assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(disk).isEmptyDirectory();
  }

  private static int shell(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
  }
}
