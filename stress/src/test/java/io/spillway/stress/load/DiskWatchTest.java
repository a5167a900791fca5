package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskWatchTest {

  private static final long SECOND = 1_000_000_000;

  @TempDir Path logs;
  @TempDir Path elsewhere;

  @Test
  void shouldKeepTheMostThatAllFilesTookAtOnce() throws IOException {
    write(logs.resolve("app.log"), 1000);
    DiskWatch watch = new DiskWatch(List.of(logs, elsewhere));

    Path spill = Files.createDirectories(elsewhere.resolve("spill/deep")).resolve("0.seg");
    write(spill, 500);
    write(logs.resolve("app.1.log.gz"), 70);
    watch.look(SECOND);
    Files.delete(spill);
    Files.delete(logs.resolve("app.log"));
    watch.look(2 * SECOND);

    assertThat(watch.figures()).isEqualTo(new LoadFigures.Disk(1000, 1570, 70, 70));
  }

  @Test
  void shouldLookNoOftenerThanTenTimesASecond() throws IOException {
    DiskWatch watch = new DiskWatch(List.of(logs));
    watch.look(SECOND);

    Path file = write(logs.resolve("app.log"), 1000);
    watch.look(SECOND + SECOND / 10 - 1);
    Files.delete(file);

    assertThat(watch.figures().peakBytes()).isZero();
  }

  @Test
  void shouldPassOverADirectoryThatIsNotThere() throws IOException {
    DiskWatch watch = new DiskWatch(List.of(logs.resolve("missing")));

    assertThat(watch.figures()).isEqualTo(new LoadFigures.Disk(0, 0, 0, 0));
  }

  private static Path write(Path file, int bytes) throws IOException {
    return Files.write(file, new byte[bytes]);
  }
}
