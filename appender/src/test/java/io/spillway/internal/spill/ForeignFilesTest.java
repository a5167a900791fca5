package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.config;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.text;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Files of a spill that this user may not use, as a service has them that ran as another user
 * before. Root may use all of them, so that the other side is a JVM without that privilege.
 */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class ForeignFilesTest {
  @TempDir Path temp;

  /** The child's side: spills and delivers two events, whatever else there is. */
  static final class Child {
    public static void main(String[] arguments) throws IOException {
      Path directory = Path.of(arguments[0]);
      RecordingListener listener = new RecordingListener();
      List<String> delivered = new ArrayList<>();
      long deadline = System.nanoTime() + 20_000_000_000L;
      try (Spill spill = SpillTesting.open(config(directory), listener)) {
        System.out.println("uses " + directory.relativize(spill.directory()));
        appendAll(spill, texts(10, 12));
        while (delivered.size() < 2 && deadline - System.nanoTime() > 0) {
          delivered.addAll(deliver(spill, 1));
          LockSupport.parkNanos(1_000_000);
        }
      }
      System.out.println("delivered " + delivered);
      System.out.println("lost " + listener.lost);
      listener.warnings.forEach(warning -> System.out.println("warning " + warning));
    }
  }

  private static String runWithoutPrivilege(Path directory) {
    List<Object> command = new ArrayList<>();
    if (Shell.run("id", "-u").equals("0")) {
      command.addAll(List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java"),
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            directory));
    return Shell.run(command.toArray());
  }

  private Path withLeftovers() throws IOException {
    Path directory = temp.toRealPath().resolve("spill");
    try (Spill spill = SpillTesting.open(directory, new RecordingListener())) {
      appendAll(spill, texts(0, 3));
    }
    return directory;
  }

  private static void allow(Path path, String mode) throws IOException {
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
  }

  @Test
  void shouldGoOnBehindASegmentThatItMayNotRead() throws Exception {
    Path directory = withLeftovers();
    allow(segments(directory).get(0), "---------");
    assertThat(runWithoutPrivilege(directory))
        .contains("delivered [event-10, event-11]", "lost 0", "make it readable for this user");
    try (Spill again = SpillTesting.open(directory, new RecordingListener())) {
      List<String> aside = new ArrayList<>();
      for (SpillRecord r = again.readSetAside(); r != null; r = again.readSetAside()) {
        aside.add(text(r));
        again.delivered(r);
      }
      assertThat(aside).isEqualTo(texts(0, 3));
    }
  }

  /** It takes another slot, and what waits here comes when it may be used. */
  @ParameterizedTest
  @CsvSource({
    "lock, ---------",
    "cursor, ---------",
    "cursor, r--r--r--",
    "owner, ---------",
  })
  void shouldTakeAnotherSlotThanOneThatItMayNotUse(String name, String mode) throws Exception {
    Path directory = withLeftovers();
    Path file = directory.resolve(name);
    if (!Files.exists(file)) {
      new Disk().create(file).close();
    }
    allow(file, mode);
    assertThat(runWithoutPrivilege(directory))
        .contains("uses 1", "delivered [event-10, event-11]", "lost 0")
        .contains("warning " + file + " may not be used by this user");
    allow(file, "rw-------");
    try (Spill again = SpillTesting.open(directory, new RecordingListener())) {
      assertThat(deliverAll(again)).isEqualTo(texts(0, 3));
    }
  }
}
