package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.util.FileSize;
import io.spillway.rolling.FixedWindowRollingPolicy;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Numbered;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever follows the log file, by name and inode, gets every line once across rotations. */
class TailTest {
  private static final int ROTATIONS = 20;
  private static final int LINES = 300;

  @TempDir Path directory;

  private FileRig rig() {
    FileRig rig = new FileRig(directory.resolve("app.log"));
    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(rig.context);
    rolling.setParent(rig.appender);
    rolling.setFileNamePattern(directory.resolve("app.%i.log.gz").toString());
    rolling.setMaxIndex(5);
    rolling.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> triggering = new SizeBasedTriggeringPolicy<>();
    triggering.setContext(rig.context);
    triggering.setMaxFileSize(FileSize.valueOf("1GB"));
    triggering.start();
    rig.appender.setRollingPolicy(rolling);
    rig.appender.setTriggeringPolicy(triggering);
    return rig.spill(directory.resolve("spill")).start();
  }

  @Test
  void shouldShowEveryLineOnceToAFollowerByNameAndInode() throws IOException {
    try (FileRig rig = rig();
        Follower follower = new Follower(rig.file)) {
      for (int rotation = 0; rotation < ROTATIONS; rotation++) {
        rig.log(LINES);
        rig.await("followed", () -> follower.lines().size() >= rig.logged());
        rig.appender.rollover(); // before the next write
      }
      rig.log(LINES);
      rig.await("followed", () -> follower.lines().size() >= rig.logged());
      assertThat(follower.lines()).isEqualTo(expected(rig.logged()));
      assertThat(follower.reopened()).isEqualTo(ROTATIONS);
      assertThat(rig.metrics().getRollovers()).isEqualTo(ROTATIONS);
    }
  }

  @Test
  void shouldShowEveryLineOnceToTail() throws IOException {
    assumeThat(Files.isExecutable(Path.of("/usr/bin/tail"))).as("tail is installed").isTrue();
    Path shown = directory.resolve("shown.txt");
    try (FileRig rig = rig()) {
      rig.log(1);
      rig.awaitDelivered();
      Process tail =
          new ProcessBuilder("tail", "-n", "+1", "-s", "0.01", "-F", rig.file.toString())
              .redirectOutput(shown.toFile())
              .redirectError(directory.resolve("tail.err").toFile())
              .start();
      try {
        for (int rotation = 0; rotation < ROTATIONS; rotation++) {
          rig.log(LINES);
          rig.await("shown", () -> linesOf(shown).size() >= rig.logged());
          rig.appender.rollover();
        }
        rig.log(LINES);
        rig.await("shown", () -> linesOf(shown).size() >= rig.logged());
        assertThat(linesOf(shown)).isEqualTo(expected(rig.logged()));
        assertThat(rig.metrics().getRollovers()).isEqualTo(ROTATIONS);
      } finally {
        tail.destroyForcibly();
      }
    }
  }

  private static List<String> expected(int count) {
    return IntStream.range(0, count).mapToObj(Numbered::message).toList();
  }

  private static List<String> linesOf(Path file) {
    try {
      return whole(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Without a line that is still being written. */
  private static List<String> whole(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }

  /**
   * Reads on at the end of the open file; at its end, changes over if the name stands for another.
   */
  private static final class Follower implements AutoCloseable {
    private final Path file;
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private InputStream in;
    private Object key;
    private int reopened;

    Follower(Path file) throws IOException {
      this.file = file;
      open();
    }

    private void open() throws IOException {
      in = Files.newInputStream(file);
      key = keyOf(file);
    }

    private static Object keyOf(Path file) throws IOException {
      return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    List<String> lines() {
      try {
        in.transferTo(read);
        if (isReplaced()) {
          in.transferTo(read); // the writer has closed it
          in.close();
          open();
          reopened++;
          in.transferTo(read);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return whole(read.toByteArray());
    }

    private boolean isReplaced() throws IOException {
      try {
        return !keyOf(file).equals(key);
      } catch (NoSuchFileException betweenRenameAndOpen) {
        return false;
      }
    }

    int reopened() {
      return reopened;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
