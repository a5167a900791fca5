package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A full disk delays archives, and that is all. */
@Timeout(300)
class FullDiskArchiveTest {
  private static final int CYCLES = Boolean.getBoolean("spillway.test.full") ? 10 : 1;

  @TempDir Path directory;

  @Test
  void shouldResumeWhenThereIsRoomAgain() {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=16m");
        ArchiverRig rig = new ArchiverRig(disk.directory()).start()) {
      for (int cycle = 1; cycle <= CYCLES; cycle++) {
        long failed = rig.metrics().failures();
        disk.ballast("ballast", disk.free() - 4_150_000);
        byte[] content = rig.roll(cycle, 4_000_000);
        rig.await("failed", () -> rig.metrics().failures() > failed);
        rig.await(
            "no part left",
            () -> Samples.names(disk.directory()).stream().noneMatch(n -> n.endsWith(".part")));
        assertThat(rig.raw(cycle)).hasBinaryContent(content);
        assertThat(rig.archive(cycle)).doesNotExist();
        disk.drop("ballast");
        rig.awaitArchived(cycle);
        Samples.assertHolds(rig.archive(cycle), content);
        assertThat(rig.archive(cycle).toFile().delete()).isTrue();
      }
      List<String> told = rig.statuses();
      assertThat(told)
          .anyMatch(
              text ->
                  text.contains("No space left")
                      && text.contains("To do: free or raise the space"));
      assertThat(told).hasSizeLessThan(10 + 2 * CYCLES);
    }
  }

  /** It is worth nothing, as the rolled file is whole. */
  @Test
  void shouldMakeRoomOfAnArchiveThatWasCutShort() throws IOException {
    byte[] content = Samples.log(1, 4_000_000);
    byte[] whole = Samples.gzip(content);
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=16m")) {
      Files.write(disk.directory().resolve("app.1.log"), content);
      byte[] cut = Arrays.copyOf(whole, whole.length - 1);
      Files.write(disk.directory().resolve("app.1.log.gz"), cut);
      disk.ballast("ballast", disk.free() - whole.length / 2);
      try (ArchiverRig rig = new ArchiverRig(disk.directory()).start()) {
        rig.await("archived", () -> !Files.exists(rig.raw(1)));
        Samples.assertHolds(rig.archive(1), content);
        assertThat(rig.statuses())
            .anyMatch(
                text ->
                    text.contains(rig.archive(1) + "] was cut short") && text.contains("no room"));
      }
    }
  }
}
