package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.record.RotationWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotationWatchTest {

  private static final int PREFILL = 1000;
  private static final long ARCHIVE_NANOS = 200_000_000;

  @TempDir Path directory;
  private final RotationWindow window = new RotationWindow();
  private Path active;
  private RotationWatch watch;

  @BeforeEach
  void setUp() throws IOException {
    active = Files.write(directory.resolve("app.log"), new byte[PREFILL]);
    watch = watch(directory + "/app.%i.log.gz", true);
  }

  private RotationWatch watch(String fileNamePattern, boolean named) {
    return watch(fileNamePattern, named, 1);
  }

  private RotationWatch watch(String fileNamePattern, boolean named, int rotations) {
    LoadSpec.Target target =
        new LoadSpec.Target(
            "any",
            false,
            0,
            active.toString(),
            named,
            PREFILL,
            directory.toString(),
            fileNamePattern,
            null);
    return new RotationWatch(target, window, rotations);
  }

  @Test
  void shouldFollowARotationIntoOtherDirectoriesAndOverlookWhatIsNotOfThisFile()
      throws IOException {
    watch = watch(directory + "/%d{yyyy/MM}/app.%i.log.gz", true);
    Path archives = Files.createDirectories(directory.resolve("2026/01"));
    Files.createFile(archives.resolve("other.1.log.gz"));
    Files.createFile(directory.resolve("app.1.log.gz"));
    look(false, false);
    Path rolled = archives.resolve("app.1.log");
    Files.move(active, rolled);
    Files.createFile(active);
    look(true, false);
    Files.move(rolled, directory.resolve("elsewhere"));
    Files.createFile(archives.resolve("app.1.log.gz"));
    look(true, true);
  }

  @Test
  void shouldEndARotationWithoutCompressionWithTheRename() throws IOException {
    watch = watch(directory + "/app.%i.log", true);
    Files.move(active, directory.resolve("app.1.log"));
    look(true, false);
    Files.createFile(active);
    look(true, true);
  }

  @Test
  void shouldEndWithTheLastOfSeveralRotationsWithoutCompression() throws IOException {
    watch = watch(directory + "/app.%i.log", true, 3);
    for (int i = 1; i <= 3; i++) {
      look(i > 1, false);
      Files.move(active, directory.resolve("app." + i + ".log"));
      Files.createFile(active);
    }
    look(true, true);
  }

  @Test
  void shouldEndWithTheLastOfSeveralRotationsWithoutARename() throws IOException {
    active = Files.move(active, directory.resolve("app.2026-01-01.0.log"));
    watch = watch(directory + "/app.%d.%i.log", false, 2);
    Files.createFile(directory.resolve("app.2026-01-01.1.log"));
    look(true, false);
    Files.createFile(directory.resolve("app.2026-01-01.2.log"));
    look(true, true);
  }

  /** Without a file property: the active file has the name of its archive. */
  @Test
  void shouldFollowARotationWithoutARename() throws IOException {
    active = Files.move(active, directory.resolve("app.2026-01-01.log"));
    watch = watch(directory + "/app.%d.log", false);
    look(false, false);
    Files.createFile(directory.resolve("app.2026-01-02.log"));
    look(true, true);
  }

  @Test
  void shouldFollowARotationThatPacksAFileWithoutARename() throws IOException {
    active = Files.move(active, directory.resolve("app.2026-01-01.log"));
    watch = watch(directory + "/app.%d.log.gz", false);
    look(false, false);
    Files.createFile(directory.resolve("app.2026-01-01.log.gz"));
    look(true, false);
    Files.createFile(directory.resolve("app.2026-01-02.log"));
    look(true, false);
    Files.delete(active);
    look(true, true);
  }

  @Test
  void shouldSeeNoRotationWhileTheFileGrows() throws IOException {
    Files.write(active, new byte[PREFILL * 2]);

    watch.look();

    assertThat(window.begun()).isFalse();
  }

  @Test
  void shouldFollowARotationThatPacksTheActiveFileInPlace() throws IOException {
    Files.createFile(directory.resolve("app.1.log.gz"));
    look(true, false);
    Files.delete(active);
    look(true, false);
    Files.createFile(active);
    look(true, true);
  }

  @Test
  void shouldFollowARotationThatRenamesFirstAndPacksLater() throws IOException {
    Path renamed = directory.resolve("app.1.log");
    Files.move(active, renamed);
    look(true, false);
    Files.createFile(active);
    Path part = Files.createFile(directory.resolve("app.1.log.gz.part"));
    look(true, false);
    Files.write(active, new byte[PREFILL]); // which makes it no prefilled one
    look(true, false);
    Files.move(part, directory.resolve("app.1.log.gz"));
    look(true, false);
    Files.delete(renamed);
    look(true, true);
  }

  /** The files change within a look's bounds, so that no busy machine makes it less exact. */
  @Test
  void shouldReportARotationAsLongAsItTook() throws IOException {
    Path rolled = directory.resolve("app.1.log");
    look(false, false);
    long beforeStart = System.nanoTime();
    Files.move(active, rolled);
    look(true, false);
    long afterStart = System.nanoTime();
    pass(ARCHIVE_NANOS);
    Files.createFile(active);
    look(true, false);
    long beforeEnd = System.nanoTime();
    Files.move(rolled, directory.resolve("app.1.log.gz"));
    look(true, true);
    long afterEnd = System.nanoTime();

    assertThat(window.endNanos() - window.startNanos())
        .isGreaterThanOrEqualTo(ARCHIVE_NANOS)
        .isBetween(beforeEnd - afterStart, afterEnd - beforeStart);
  }

  private static void pass(long nanos) {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private void look(boolean begun, boolean ended) throws IOException {
    watch.look();
    assertThat(window.begun()).isEqualTo(begun);
    assertThat(window.ended()).isEqualTo(ended);
  }
}
