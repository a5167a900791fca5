package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Log and spill are on one disk, and that hangs: a stop, and so SIGTERM, must not. */
@Timeout(180)
@Tag("slow")
@Tag("gate")
@Execution(ExecutionMode.CONCURRENT) // each stop waits for what is frozen as long as it may
class FrozenDiskTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "WRAPPED, OS",
    "OWN_FILE, OS",
    "WRAPPED, 20 milliseconds",
    "OWN_FILE, 20 milliseconds"
  })
  void shouldStopAllTheSame(Kind kind, String sync) throws Exception {
    Path go = directory.resolve("go");
    try (LoopDisk disk = new LoopDisk(directory);
        Fork child =
            Fork.start(FrozenDiskChild.class, List.of(), kind, disk.directory(), go, sync)) {
      child.awaitLine("ready");
      disk.freeze();
      Files.createFile(go);

      child.awaitLine("stopped"); // or the child ends as stuck, at its deadline

      disk.thaw();
      child.awaitEnd(0);
      Subject next = new Subject(kind, disk.directory());
      next.start();
      next.awaitDelivered();
      next.context().stop();
      assertThat(Set.copyOf(Files.readAllLines(disk.directory().resolve("app.log"))).size())
          .as("written, or saved for the next start; or counted as lost, if not both")
          .isGreaterThanOrEqualTo(
              FrozenDiskChild.BEFORE + FrozenDiskChild.FROZEN - (int) child.number("lost"));
    }
  }
}
