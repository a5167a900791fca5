package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.disk.Disk;
import io.spillway.metrics.Health;
import io.spillway.rolling.RollingRig.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a window makes of the files that it finds. */
@Timeout(60)
class WindowTest {
  @TempDir Path directory;
  private final OnDemand trigger = new OnDemand();
  private final FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
  private RollingRig rig;

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

  /** What is rolled over is numbered, but not compressed. */
  private FixedWindowRollingPolicy startPuttingOff(String max) {
    policy.setMaxRandomDelay("1000 days");
    GatedFormat.reset();
    start(max);
    rig.awaitArchived(); // or it takes what a test makes for what an earlier run left
    return policy;
  }

  private FixedWindowRollingPolicy start(String max) {
    start(Host.STOCK, max);
    return policy;
  }

  private RollingRig start(Host host, String max) {
    policy.setFileNamePattern(directory + "/app.%i.log" + GatedFormat.SUFFIX);
    policy.setMaxIndex(max);
    rig = new RollingRig(host, directory.resolve("app.log")).with(policy, trigger).start();
    return rig;
  }

  private void roll() {
    trigger.roll();
    rig.log("next");
  }

  private void awaitIndices(Map<Integer, String> expected) {
    rig.await(
        "indices " + expected,
        () -> {
          try {
            return Tree.names(directory).stream().noneMatch(n -> n.matches(".*(rolled|delete)"))
                && indices().equals(expected);
          } catch (IOException renamed) {
            return false;
          }
        });
  }

  private Map<Integer, String> indices() throws IOException {
    Map<Integer, String> found = new TreeMap<>();
    for (int index = 1; index < 10; index++) {
      for (String suffix : new String[] {"", GatedFormat.SUFFIX}) {
        Path file = directory.resolve("app." + index + ".log" + suffix);
        if (Files.exists(file)) {
          found.merge(index, Tree.content(file), (a, b) -> a + "|" + b);
        }
      }
    }
    return found;
  }

  /** It looks like what Logback's time-based policies leave; its windows leave none. */
  @Test
  void shouldLeaveATemporaryFileOfAnotherProgram() throws IOException {
    Path theirs = file("app.1.log1764291234567.tmp", "theirs");
    GatedFormat.reset();
    start("7");
    rig.awaitArchived();
    assertThat(theirs).hasContent("theirs");
  }

  /** The compressor is told of each move, and goes on with the file under its new name. */
  @Test
  void shouldNotDisturbACompressionUnderWay() {
    start("7");
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
  void shouldBeHealthyWhileFilesAreOnlyPutOff() {
    policy.setMaxRandomDelay("1000 days");
    SpillwayRollingFileAppender<?> appender =
        (SpillwayRollingFileAppender<?>) start(Host.SPILLWAY, "7").appender;
    rig.log("one");
    roll();
    roll();
    roll();
    rig.awaitArchived(); // they have their names
    assertThat(policy.getArchiveMetrics().backlogFiles()).isEqualTo(3);
    assertThat(appender.health()).isEqualTo(new Health(Health.Status.UP, ""));
  }

  @Test
  void shouldLeaveGapsAtStartAsTheyAre() throws IOException {
    GatedFormat.reset();
    file("app.2.log", "b");
    archive(4, "d");
    file("app.5.log", "e");
    start("7");
    rig.await("archived", () -> policy.getArchiveMetrics().archived() == 2);
    awaitIndices(Map.of(2, "b", 4, "d", 5, "e"));
  }

  @Test
  void shouldFillAGapInsteadOfDroppingTheOldest() throws IOException {
    startPuttingOff("3");
    rig.log("new");
    file("app.1.log", "a");
    archive(3, "c"); // since the start, an operator has taken 2 away
    roll();
    awaitIndices(Map.of(1, "new\n", 2, "a", 3, "c"));
    roll();
    awaitIndices(Map.of(1, "next\n", 2, "new\n", 3, "a"));
  }

  /** In the moment between the look at the window and the rename to that name. */
  @Test
  void shouldNotOverwriteWhatAStrangerPutThereDuringTheShift() throws IOException {
    Path stranger = directory.resolve("app.2.log");
    AtomicBoolean once = new AtomicBoolean();
    policy.files =
        new Disk() {
          @Override
          public void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (from.equals(stranger) && once.compareAndSet(false, true)) {
              file("app.2.log", "stranger");
            }
          }
        };
    startPuttingOff("7");
    rig.log("new");
    file("app.1.log", "a");
    file("app.2.log", "b");
    roll();
    awaitIndices(Map.of(1, "new\n", 2, "a", 3, "stranger", 4, "b"));
    assertThat(rig.warnings()).anyMatch(e -> e.contains("Cannot give") && e.contains("To do:"));
    assertThat(directory.resolve("app.log")).hasContent("next\n");
  }

  @Test
  void shouldMoveAndDropARolledFileTogetherWithItsArchive() throws IOException {
    startPuttingOff("3");
    rig.log("new");
    archive(1, "a");
    file("app.1.log", "a");
    archive(3, "c");
    file("app.3.log", "c");
    file("app.2.log", "b");
    roll();
    awaitIndices(Map.of(1, "new\n", 2, "a|a", 3, "b"));
  }

  @Test
  void shouldRejoinARolledFileAndItsArchiveThatACrashParted() throws IOException {
    GatedFormat.reset();
    Path raw = file("app.1.log", "same");
    Path archive = archive(2, "same");
    Files.setLastModifiedTime(archive, Files.getLastModifiedTime(raw));
    file("app.3.log", "older");
    start("7");
    awaitIndices(Map.of(2, "same", 3, "older"));
    rig.await("archived", () -> !Files.exists(directory.resolve("app.3.log")));
    awaitIndices(Map.of(2, "same", 3, "older"));
  }

  /** It would be kept beside the window for ever. */
  @Test
  void shouldDropARolledFileThatAPowerCutHasCutBesideItsArchive() throws IOException {
    GatedFormat.reset();
    Path raw = file("app.1.log", "begun");
    Files.setLastModifiedTime(archive(1, "begun and ended"), Files.getLastModifiedTime(raw));
    start("7");
    awaitIndices(Map.of(1, "begun and ended"));
    rig.awaitArchived();
    assertThat(Tree.names(directory)).filteredOn(name -> name.startsWith("app.1.")).hasSize(1);
  }

  @Test
  void shouldArchiveWhatALargerWindowLeftAndShiftWithoutIt() throws IOException {
    file("app.6.log", "left");
    archive(1, "a");
    archive(2, "b");
    startPuttingOff("2");
    rig.log("new");
    roll();
    awaitIndices(Map.of(1, "new\n", 2, "a", 6, "left"));
    rig.await("archived", () -> !Files.exists(directory.resolve("app.6.log")));
    assertThat(Tree.content(directory.resolve("app.6.log" + GatedFormat.SUFFIX))).isEqualTo("left");
  }

  /** Whatever is there, the thread that writes renames once, and looks for nothing. */
  @Test
  void shouldRollOverInAConstantNumberOfFileOperations() throws IOException {
    CountingFiles files = new CountingFiles();
    policy.files = files;
    startPuttingOff("21");
    rig.log("new");
    int before = files.operationsOfWriter.get();
    roll();
    int withNone = files.operationsOfWriter.get() - before;
    awaitIndices(Map.of(1, "new\n"));
    for (int index = 2; index <= 1_000; index++) {
      archive(index, "archive " + index);
    }
    before = files.operationsOfWriter.get();
    int renames = files.renamesOfWriter.get();
    roll();
    assertThat(files.operationsOfWriter.get() - before).isEqualTo(withNone).isLessThan(5);
    assertThat(files.renamesOfWriter.get() - renames).isOne();
    rig.await("shifted", () -> Files.exists(directory.resolve("app.2.log")));
    assertThat(directory.resolve("app.1000.log" + GatedFormat.SUFFIX)).exists();
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
    start("100");
    assertThat(rig.statuses()).anyMatch(s -> s.contains("[maxIndex]") && s.contains("[21]"));
    assertThat(policy.isStarted()).isTrue();
  }
}
