package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.record.RotationWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RotationWatchTest {

  private static final int PREFILL = 1000;

  @TempDir Path directory;
  private final RotationWindow window = new RotationWindow();
  private Path active;
  private RotationWatch watch;

  @BeforeEach
  void setUp() throws IOException {
    active = Files.write(directory.resolve("app.log"), new byte[PREFILL]);
    watch = new RotationWatch(active, PREFILL, window);
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
    Files.move(part, directory.resolve("app.1.log.gz"));
    look(true, false);
    Files.delete(renamed);
    look(true, true);
  }

  /** CONTINUOUS: there is always half an archive of the active file. */
  @Test
  void shouldFollowARotationOfAFileThatIsPackedWhileItIsWritten() throws IOException {
    Path part = Files.createFile(directory.resolve("app.0.log.gz.1.part"));
    look(false, false);
    Path renamed = directory.resolve("app.0.log");
    Files.move(active, renamed);
    look(true, false);
    Files.createFile(active);
    Files.move(part, directory.resolve("app.0.log.gz"));
    Files.createFile(directory.resolve("app.1.log.gz.2.part"));
    look(true, false);
    Files.delete(renamed);
    look(true, true);
  }

  private void look(boolean begun, boolean ended) throws IOException {
    watch.look();
    assertThat(window.begun()).isEqualTo(begun);
    assertThat(window.ended()).isEqualTo(ended);
  }
}
