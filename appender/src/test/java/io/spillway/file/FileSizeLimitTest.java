package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** RLIMIT_FSIZE, as {@code ulimit -f} sets it: a write fails with EFBIG in the middle of a line. */
@Timeout(120)
class FileSizeLimitTest {
  private static final int EVENTS = 8_000; // about 740 KB

  @TempDir Path directory;

  @Test
  void shouldHoldEventsUntilTheLimitIsRaisedFromOutside() throws IOException {
    try (Fork writer = start("1 MB", 300_000)) {
      int written = assertHeldUp(writer, 300_000);

      raiseLimit(writer);

      assertFinished(writer);
      assertThat(written).isLessThan(EVENTS);
      Numbered.assertWhole(Numbered.lines(log()), 0, EVENTS);
    }
  }

  @Test
  void shouldGoOnInTheNextFileWhenARolloverComesWhileTheOldOneIsAtItsLimit() throws IOException {
    try (Fork writer = start("1 MB", 400_000)) {
      assertHeldUp(writer, 400_000);

      Files.createFile(directory.resolve("roll"));

      assertFinished(writer);
      Numbered.assertWhole(Numbered.lines(directory.resolve("app.log.1"), log()), 0, EVENTS);
    }
  }

  @Test
  void shouldBeginNewSpillSegmentsWhenTheSpillMeetsTheLimitToo() throws IOException {
    try (Fork writer = start("64 MB", 100_000)) {
      assertHeldUp(writer, 100_000);
      List<Path> spilled = Rig.filesBelow(directory.resolve("spill"));
      assertThat(spilled).filteredOn(f -> f.toString().endsWith(".seg")).hasSizeGreaterThan(4);

      raiseLimit(writer);

      assertFinished(writer);
      assertThat(writer.number("blocked")).as("log calls that had to wait").isZero();
      Numbered.assertWhole(Numbered.lines(log()), 0, EVENTS);
    }
  }

  private Path log() {
    return directory.resolve("app.log");
  }

  private Fork start(String maxSpillSize, int limit) {
    return Fork.start(
        LimitedWriter.class,
        List.of(),
        log(),
        directory.resolve("spill"),
        maxSpillSize,
        limit,
        EVENTS);
  }

  private int assertHeldUp(Fork writer, int limit) throws IOException {
    writer.awaitLine("stuck ");
    int delivered = (int) writer.number("stuck");
    assertThat(Files.size(log())).isLessThanOrEqualTo(limit);
    assertThat(delivered).isPositive();
    return delivered;
  }

  private void raiseLimit(Fork writer) throws IOException {
    Shell.run("prlimit", "--pid", writer.number("pid"), "--fsize=unlimited");
    Files.createFile(directory.resolve("cure"));
  }

  private static void assertFinished(Fork writer) {
    writer.awaitEnd(0);
    assertThat(writer.number("accepted")).isEqualTo(EVENTS);
    assertThat(writer.number("delivered")).isEqualTo(EVENTS);
    assertThat(writer.number("lost")).isZero();
    assertThat(writer.number("spilled")).isPositive();
    assertThat(writer.number("reported")).as("status messages with the remedy").isPositive();
  }
}
