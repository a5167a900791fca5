package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.compress.RolledName;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Compressor;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Other file systems, directories that vanish or are crowded, and what Logback left. */
@Timeout(120)
class SurroundingsTest {
  private static final int CROWD = Boolean.getBoolean("spillway.test.full") ? 100_000 : 2_000;

  @TempDir(factory = InMemory.class)
  Path directory;

  private final OnDemand trigger = new OnDemand();
  private RollingRig rig;

  @AfterEach
  void stop() {
    GatedFormat.reset();
    rig.close();
    Compressor.awaitEnd();
  }

  private Path logs() {
    return directory.resolve("logs");
  }

  private Path file() {
    return logs().resolve("app.log");
  }

  private FixedWindowRollingPolicy window(Path pattern) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(pattern.toString());
    policy.setMaxIndex("3");
    return policy;
  }

  private void start(Host host, ArchivingPolicy policy) {
    rig = new RollingRig(host, file()).with(policy, trigger).start();
  }

  private void logAndRoll(String... messages) {
    for (String message : messages) {
      rig.log(message);
      trigger.roll();
    }
  }

  private void awaitTree(Path root, Map<String, String> expected) {
    RollingRig.await(
        "tree " + expected.keySet(),
        () -> expected.keySet().equals(Tree.names(root)) && expected.equals(Tree.of(root)),
        () -> Tree.names(root) + ", " + rig.statuses());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".gz"})
  void shouldRenameHereAndArchiveOnTheOtherFileSystem(String suffix) throws IOException {
    try (Tmpfs other = new Tmpfs(directory.resolve("other"), "size=10m")) {
      FixedWindowRollingPolicy policy =
          window(other.directory().resolve("old/%i/app.log" + suffix));
      CountingFiles moves = new CountingFiles();
      policy.files = moves;
      start(Host.STOCK, policy);
      logAndRoll("one", "two", "three", "four", "five");
      rig.log("six");
      awaitTree(
          other.directory().resolve("old"),
          new TreeMap<>(
              Map.of(
                  "1",
                  Tree.DIRECTORY,
                  "2",
                  Tree.DIRECTORY,
                  "3",
                  Tree.DIRECTORY,
                  "1/app.log" + suffix,
                  "five\n",
                  "2/app.log" + suffix,
                  "four\n",
                  "3/app.log" + suffix,
                  "three\n")));
      awaitTree(logs(), Map.of("app.log", "six\n")); // staging is gone, too
      rig.close();
    }
  }

  @Test
  void shouldStageWhenADirectoryOfTheArchivesTurnsOutToBeElsewhere() throws IOException {
    try (Tmpfs other = new Tmpfs(directory.resolve("other"), "size=10m")) {
      Files.createDirectories(logs().resolve("old"));
      Files.createSymbolicLink(logs().resolve("old/2026"), other.directory());
      long now = Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
      long[] clock = {now};
      TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
      policy.clock = () -> clock[0];
      policy.setFileNamePattern(logs().resolve("old/%d{yyyy/MM, UTC}.log.gz").toString());
      rig = new RollingRig(Host.STOCK, file()).with(policy, policy).start();
      rig.log("one");
      clock[0] += 30 * 86_400_000L;
      rig.log("two");
      awaitTree(other.directory(), Map.of("05.log.gz", "one\n"));
      rig.close();
    }
  }

  @Test
  void shouldFindWhatWaitsInStagingAfterTheFileSystemsBecameOne() throws IOException {
    Path waiting = Files.createDirectories(Path.of(file() + ".rolled"));
    Files.writeString(waiting.resolve("app.1.log"), "staged\n");
    start(Host.STOCK, window(logs().resolve("app.%i.log.gz")));
    logAndRoll("one");
    rig.log("two");
    awaitTree(
        logs(),
        new TreeMap<>(
            Map.of("app.log", "two\n", "app.1.log.gz", "one\n", "app.2.log.gz", "staged\n")));
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldRollOverAFileWhoseNameIsAsLongAsMayBe(Host host) throws IOException {
    Path longest = logs().resolve("a".repeat(240));
    rig =
        new RollingRig(host, longest)
            .with(window(logs().resolve("old.%i.log.gz")), trigger)
            .start();
    logAndRoll("one", "two");
    rig.log("three");
    rig.awaitArchived();
    awaitTree(
        logs(),
        new TreeMap<>(
            Map.of(
                longest.getFileName().toString(),
                "three\n",
                "old.1.log.gz",
                "two\n",
                "old.2.log.gz",
                "one\n")));
  }

  /** It passes, and an ERROR status ends the start of a Spring Boot application. */
  @ParameterizedTest
  @CsvSource({
    "app.log.2026-05-09T00-00-00.000Z.000001.rolled, rename, Cannot give [",
    "app.2026-05-09.log, create, Cannot archive [",
    "app.2026-05-01.log.gz, rename, Cannot delete [",
  })
  void shouldOnlyWarnOfWhatPassesAtAStart(String left, String operation, String told)
      throws IOException {
    Files.createDirectories(logs());
    Files.writeString(logs().resolve(left), "left\n");
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.clock = () -> Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
    policy.setFileNamePattern(logs().resolve("app.%d{yyyy-MM-dd, UTC}.log.gz").toString());
    policy.setMaxHistory("5");
    policy.setCleanHistoryOnStart("true");
    policy.files =
        new FaultyDisk()
            .hook(
                (number, name, path) -> {
                  if (name.equals(operation)) {
                    throw new IOException("No space left on device (injected)");
                  }
                });
    rig = new RollingRig(Host.STOCK, file()).with(policy, policy).start();
    rig.await("told", () -> rig.statuses().stream().anyMatch(s -> s.contains(told)));
    assertThat(rig.errors()).isEmpty();
    assertThat(rig.statuses())
        .anyMatch(s -> s.startsWith("WARN in ") && s.contains(told) && s.contains("To do: "))
        .anyMatch(s -> s.contains("No space left on device"));
  }

  /** It has no next one; Logback's next number is negative. */
  @Test
  void shouldNotCountOnFromTheHighestOfAllNumbers() throws IOException {
    Files.createDirectories(logs());
    Files.writeString(logs().resolve("app.2026-05.2147483647.log"), "foreign");
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.clock = () -> Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
    policy.setFileNamePattern(logs().resolve("app.%d{yyyy-MM, UTC}.%i.log").toString());
    policy.setMaxFileSize("1");
    rig = new RollingRig(Host.STOCK, file()).with(policy, policy).start();
    rig.log("one");
    rig.log("two");
    rig.awaitArchived();
    awaitTree(
        logs(),
        new TreeMap<>(
            Map.of(
                "app.log",
                "two\n",
                "app.2026-05.0.log",
                "one\n",
                "app.2026-05.2147483647.log",
                "foreign")));
  }

  /** What comes after it has more digits than a rolled file's name: nobody would find it. */
  @ParameterizedTest
  @ValueSource(
      longs = {999_999_999_999_999_999L, 500_000_000_000_000_000L, 499_999_999_999_999_999L})
  void shouldArchiveWhatIsRolledOverBesideAFileWithTheHighestOfAllSequences(long highest)
      throws IOException {
    Files.createDirectories(logs());
    Files.createFile(RolledName.of(file(), Instant.EPOCH, highest).path());
    start(Host.STOCK, window(logs().resolve("app.%i.log.gz")));
    rig.awaitArchived();
    logAndRoll("one", "two");
    rig.log("three");
    awaitTree(
        logs(),
        new TreeMap<>(
            Map.of(
                "app.log",
                "three\n",
                "app.1.log.gz",
                "two\n",
                "app.2.log.gz",
                "one\n",
                "app.3.log.gz",
                "")));
  }

  @ParameterizedTest
  @EnumSource(Host.class)
  void shouldGoOnWhenTheLogDirectoryVanishes(Host host) throws IOException {
    start(host, window(logs().resolve("old/deep/app.%i.log.gz")));
    logAndRoll("one", "two");
    rig.log("three");
    for (int i = 0; i < 3; i++) {
      Shell.run("mv", logs(), directory.resolve("gone" + i)); // all at once, unlike rm
      trigger.roll();
      rig.log("lost, as Logback writes to the file that has gone");
      trigger.roll();
      rig.log("kept " + i);
      assertThat(Files.readString(file())).isEqualTo("kept " + i + "\n");
    }
    logAndRoll("a", "b");
    rig.log("c");
    rig.await("archived", () -> Files.exists(logs().resolve("old/deep/app.1.log.gz")));
    assertThat(rig.errors()).noneMatch(e -> e.contains("Cannot roll over"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldListNothingInARolloverHoweverCrowdedTheDirectoryIs(boolean window) throws IOException {
    Files.createDirectories(logs());
    for (int i = 0; i < CROWD; i++) {
      Files.createFile(logs().resolve("app.2020-01-01." + i + ".log.gz"));
    }
    CountingFiles moves = new CountingFiles();
    if (window) {
      FixedWindowRollingPolicy policy = window(logs().resolve("app.%i.log.gz"));
      policy.files = moves;
      start(Host.STOCK, policy);
    } else {
      SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
      policy.files = moves;
      long[] clock = {Instant.parse("2026-05-10T12:00:00Z").toEpochMilli()};
      policy.clock = () -> clock[0] += 1_200_000;
      policy.setMaxFileSize("10");
      policy.setMaxHistory("5");
      policy.setFileNamePattern(logs().resolve("app.%d{yyyy-MM-dd, UTC}.%i.log.gz").toString());
      rig = new RollingRig(Host.STOCK, file()).with(policy, policy).start();
    }
    int atStart = moves.listingsOfWriter.getAndSet(0);
    assertThat(atStart).isLessThanOrEqualTo(1);
    for (int i = 0; i < 100; i++) {
      logAndRoll("message " + i);
    }
    assertThat(moves.listingsOfWriter).hasValue(0);
    assertThat(moves.renamesOfWriter.get()).isGreaterThanOrEqualTo(window ? 99 : 50);
  }

  /** Killed while it compressed the active file, which was full and is rolled over at once. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRemoveWhatLogbackWasCompressing(boolean rolledBeforeTheSweep) throws IOException {
    Files.createDirectories(logs());
    String content = "line\n".repeat(200_000);
    Files.writeString(file(), content);
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(archive)) {
      gzip.write(content.getBytes(StandardCharsets.ISO_8859_1));
    }
    byte[] half = Arrays.copyOf(archive.toByteArray(), archive.size() / 2);
    Path cut = Files.write(logs().resolve("app.1.log" + GatedFormat.SUFFIX), half);
    FileTime written = Files.getLastModifiedTime(file());
    Files.setLastModifiedTime(cut, FileTime.fromMillis(written.toMillis() + 5_000));
    if (rolledBeforeTheSweep) {
      holdTheWorker();
    }

    start(Host.STOCK, window(logs().resolve("app.%i.log" + GatedFormat.SUFFIX)));
    if (rolledBeforeTheSweep) {
      trigger.roll();
      rig.log("next");
      GatedFormat.reset();
      holder.close();
      awaitTree(
          logs(),
          new TreeMap<>(Map.of("app.log", "next\n", "app.1.log" + GatedFormat.SUFFIX, content)));
    } else {
      awaitTree(logs(), Map.of("app.log", content));
    }
  }

  private RollingRig holder;

  /** Another policy's compression keeps the worker busy. */
  private void holdTheWorker() {
    GatedFormat.GATE.shut();
    Path other = directory.resolve("busy");
    OnDemand now = new OnDemand();
    holder =
        new RollingRig(Host.STOCK, other.resolve("app.log"))
            .with(window(other.resolve("app.%i.log" + GatedFormat.SUFFIX)), now)
            .start();
    holder.log("busy");
    now.roll();
    holder.log("busy");
    holder.await("busy", GatedFormat.GATE::isHolding);
  }
}
