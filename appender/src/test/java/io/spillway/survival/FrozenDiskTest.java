package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Log and spill are on one disk, and that hangs: a stop, and so SIGTERM, must not. */
@Timeout(180)
@Tag("slow")
@Tag("gate")
class FrozenDiskTest {
  @TempDir Path directory;

  /** One appender, on a disk of its own. */
  private static final class Run implements AutoCloseable {
    private final String name;
    private final Kind kind;
    private final LoopDisk disk;
    private final Path go;
    private final Fork child;

    Run(Path parent, Kind kind, String sync) {
      name = kind + ", spillSync " + sync;
      this.kind = kind;
      Path own = parent.resolve(name);
      disk = new LoopDisk(own);
      go = own.resolve("go");
      child = Fork.start(FrozenDiskChild.class, List.of(), kind, disk.directory(), go, sync);
    }

    void freeze() throws IOException {
      child.awaitLine("ready");
      disk.freeze();
      Files.createFile(go);
    }

    void check() throws IOException {
      disk.thaw();
      child.awaitEnd(0);
      Subject next = new Subject(kind, disk.directory());
      next.start();
      next.awaitDelivered();
      next.context().stop();
      assertThat(Set.copyOf(Files.readAllLines(disk.directory().resolve("app.log"))).size())
          .as(name + ": written, or saved for the next start; or counted as lost, if not both")
          .isGreaterThanOrEqualTo(
              FrozenDiskChild.BEFORE + FrozenDiskChild.FROZEN - (int) child.number("lost"));
    }

    @Override
    public void close() {
      child.close();
      disk.close();
    }
  }

  /** All at once: each waits for what is frozen as long as it may. */
  @Test
  void shouldStopAllTheSame() throws Exception {
    List<Run> runs = new ArrayList<>();
    try {
      for (Kind kind : Kind.values()) {
        for (String sync : List.of("OS", "20 milliseconds")) {
          runs.add(new Run(directory, kind, sync));
        }
      }
      for (Run run : runs) {
        run.freeze();
      }
      for (Run run : runs) {
        run.child.awaitLine("stopped"); // or the child ends as stuck, at its deadline
      }
      for (Run run : runs) {
        run.check();
      }
    } finally {
      runs.forEach(Run::close);
    }
  }
}
