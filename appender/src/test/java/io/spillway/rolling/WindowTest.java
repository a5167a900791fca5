package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.rolling.RollingRig.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a window makes of the files that it finds. */
@Timeout(60)
@Tag("shared")
class WindowTest {
  @TempDir Path directory;
  private final OnDemand trigger = new OnDemand();
  private RollingRig rig;
  private RollingRig other;

  @BeforeEach
  void holdTheCompressor() {
    GatedFormat.GATE.shut();
  }

  @AfterEach
  void stop() {
    GatedFormat.reset();
    if (rig != null) {
      rig.close();
    }
    if (other != null) {
      other.close();
    }
  }

  /**
   * One worker sweeps and compresses for all: while it is held elsewhere, it touches nothing here.
   */
  private void keepTheWorkerBusy() {
    Path elsewhere = directory.resolve("elsewhere");
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(elsewhere + "/app.%i.log" + GatedFormat.SUFFIX);
    OnDemand once = new OnDemand();
    other = new RollingRig(Host.STOCK, elsewhere.resolve("app.log")).with(policy, once).start();
    other.log("one");
    once.roll();
    other.log("two");
    other.await("held", GatedFormat.GATE::isHolding);
  }

  private Path file(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content);
  }

  private Path archive(int index, String content) throws IOException {
    Path archive = directory.resolve("app." + index + ".log" + GatedFormat.SUFFIX);
    try (var out = new java.util.zip.GZIPOutputStream(Files.newOutputStream(archive))) {
      out.write(content.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return archive;
  }

  private FixedWindowRollingPolicy start(String max) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(directory + "/app.%i.log" + GatedFormat.SUFFIX);
    policy.setMaxIndex(max);
    rig = new RollingRig(Host.STOCK, directory.resolve("app.log")).with(policy, trigger).start();
    return policy;
  }

  private void roll() {
    trigger.roll();
    rig.log("next");
  }

  private void assertIndices(Map<Integer, String> expected) throws IOException {
    Map<Integer, String> found = new TreeMap<>();
    for (int index = 1; index < 10; index++) {
      for (String suffix : new String[] {"", GatedFormat.SUFFIX}) {
        Path file = directory.resolve("app." + index + ".log" + suffix);
        if (Files.exists(file)) {
          found.merge(index, Tree.content(file), (a, b) -> a + "|" + b);
        }
      }
    }
    assertThat(found).isEqualTo(expected);
  }

  /** The compressor is told of each move, and goes on with the file under its new name. */
  @Test
  void shouldNotDisturbACompressionUnderWay() {
    ArchivingPolicy policy = start("7");
    rig.log("one");
    roll();
    rig.await("under way", GatedFormat.GATE::isHolding);
    long begun = GatedFormat.BEGUN.get();
    roll();
    roll();
    roll();
    GatedFormat.reset();
    rig.await("archived", () -> policy.getArchiveMetrics().archived() == 4);
    assertThat(GatedFormat.BEGUN.get() - begun).isEqualTo(3);
  }

  @Test
  void shouldLeaveGapsAtStartAsTheyAre() throws IOException {
    keepTheWorkerBusy();
    file("app.2.log", "b");
    archive(4, "d");
    file("app.5.log", "e");
    start("7");
    assertIndices(Map.of(2, "b", 4, "d", 5, "e"));
  }

  @Test
  void shouldFillAGapInsteadOfDroppingTheOldest() throws IOException {
    keepTheWorkerBusy();
    FixedWindowRollingPolicy policy = start("3");
    rig.log("new");
    file("app.1.log", "a");
    archive(3, "c"); // since the start, an operator has taken 2 away
    roll();
    assertIndices(Map.of(1, "new\n", 2, "a", 3, "c"));
    roll();
    assertIndices(Map.of(1, "next\n", 2, "new\n", 3, "a"));
    assertThat(policy.isStarted()).isTrue();
  }

  /** In the moment between the look at the window and the rename to that name. */
  @Test
  void shouldNotOverwriteWhatAStrangerPutThereDuringTheShift() throws IOException {
    keepTheWorkerBusy();
    FixedWindowRollingPolicy policy = start("7");
    Path stranger = directory.resolve("app.2.log");
    policy.moves =
        new Moves() {
          @Override
          void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (from.equals(stranger)) {
              file("app.2.log", "stranger");
            }
          }
        };
    policy.stop();
    policy.start();
    rig.log("new");
    file("app.1.log", "a");
    file("app.2.log", "b");
    roll();
    assertIndices(Map.of(1, "a", 2, "stranger", 3, "b"));
    assertThat(Files.readString(directory.resolve("app.log"))).isEqualTo("new\nnext\n");
  }

  @Test
  void shouldMoveAndDropARolledFileTogetherWithItsArchive() throws IOException {
    keepTheWorkerBusy();
    start("3");
    rig.log("new");
    archive(1, "a");
    file("app.1.log", "a");
    archive(3, "c");
    file("app.3.log", "c");
    file("app.2.log", "b");
    roll();
    assertIndices(Map.of(1, "new\n", 2, "a|a", 3, "b"));
  }

  @Test
  void shouldRejoinARolledFileAndItsArchiveThatACrashParted() throws IOException {
    keepTheWorkerBusy();
    Path raw = file("app.1.log", "same");
    Path archive = archive(2, "same");
    Files.setLastModifiedTime(archive, Files.getLastModifiedTime(raw));
    file("app.3.log", "older");
    start("7");
    assertIndices(Map.of(2, "same|same", 3, "older"));
    GatedFormat.reset();
    rig.await("reconciled", () -> !Files.exists(directory.resolve("app.2.log")));
    rig.await("archived", () -> !Files.exists(directory.resolve("app.3.log")));
    assertIndices(Map.of(2, "same", 3, "older"));
  }

  @Test
  void shouldArchiveWhatALargerWindowLeftAndShiftWithoutIt() throws IOException {
    keepTheWorkerBusy();
    file("app.6.log", "left");
    archive(1, "a");
    archive(2, "b");
    start("2");
    rig.log("new");
    roll();
    assertIndices(Map.of(1, "new\n", 2, "a", 6, "left"));
    GatedFormat.reset();
    rig.await("archived", () -> !Files.exists(directory.resolve("app.6.log")));
    assertThat(Tree.content(directory.resolve("app.6.log" + GatedFormat.SUFFIX))).isEqualTo("left");
  }

  @Test
  void shouldLeaveFilesBeyondAnyWindowAlone() throws IOException {
    file("app.22.log", "foreign");
    file("app.2026.log", "foreign");
    GatedFormat.reset();
    start("20");
    rig.log("new");
    roll();
    rig.await("archived", () -> !Files.exists(directory.resolve("app.1.log")));
    assertThat(Files.readString(directory.resolve("app.22.log"))).isEqualTo("foreign");
    assertThat(Files.readString(directory.resolve("app.2026.log"))).isEqualTo("foreign");
  }

  @Test
  void shouldReduceALargeWindowAsLogbackDoes() {
    FixedWindowRollingPolicy policy = start("100");
    assertThat(rig.statuses()).anyMatch(s -> s.contains("[maxIndex]") && s.contains("[21]"));
    assertThat(policy.isStarted()).isTrue();
  }
}
