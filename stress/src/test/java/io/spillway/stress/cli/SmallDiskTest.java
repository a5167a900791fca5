package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real file system that is too small. */
class SmallDiskTest {

  @TempDir Path disk;
  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

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
    int code =
        execute(
            "run",
            "--size=8MB,32MB",
            "--threads=10",
            "--rate=100",
            "--out=" + disk.resolve("results"));

    assertThat(code).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .containsPattern("the run needs up to 1\\d\\d[.]\\d MB in " + disk)
        .contains("but only 96.0 MB are free there; choose another place with --out");
    assertThat(said()).isEmpty();
    assertThat(disk).isEmptyDirectory();
  }

  @Test
  @Tag("slow")
  void shouldSayThatItWasFull() throws Exception {
    assertThat(filled()).isEqualTo(3);
    // Which of them finds no room first, the child or the tester, depends on the machine.
    assertThat(said())
        .containsPattern(
            "(ended the JVM \\(exit code 1\\)|it cannot be tried).*; the disk of "
                + disk
                + ".* is full");
  }

  private int filled() throws IOException {
    Path configuration = directory.resolve("hostile.xml");
    Files.writeString(
        configuration,
        """
        <configuration>
          <appender name="FILE" class="org.example.HostileAppender">
            <way>FILL_DISK_LATER</way>
            <file>app.log</file>
            <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
              <fileNamePattern>app.%d.log.gz</fileNamePattern>
            </rollingPolicy>
            <encoder><pattern>%d %m%n</pattern></encoder>
          </appender>
          <root level="INFO"><appender-ref ref="FILE"/></root>
        </configuration>
        """);
    return execute(
        "run",
        "--config=" + configuration,
        "--size=4MB",
        "--threads=10",
        "--rate=1000",
        "--duration=1",
        "--heap=64m",
        "--out=" + disk.resolve("results"));
  }

  private int execute(String... arguments) {
    return CommandLineTool.execute(
        arguments,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private String said() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private static int shell(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
  }
}
