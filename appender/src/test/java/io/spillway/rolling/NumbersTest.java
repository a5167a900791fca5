package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.util.FileSize;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Where a name is taken, another is found, and nothing is overwritten. */
@Timeout(60)
class NumbersTest {
  private static final long HOUR = 3_600_000;

  @TempDir Path directory;
  private Path logs;
  private long now = Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
  private RollingRig rig;

  @BeforeEach
  void prepare() throws IOException {
    logs = Files.createDirectory(directory.resolve("logs"));
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void start(TimeBasedRollingPolicy<ILoggingEvent> policy, String pattern, boolean file) {
    policy.clock = () -> now;
    policy.setFileNamePattern(logs.resolve(pattern).toString());
    policy.setCompressionCpuShare("100");
    rig = new RollingRig(Host.STOCK, file ? logs.resolve("app.log") : null);
    rig.with(policy, policy).start();
  }

  private void awaitTree(Map<String, String> expected) {
    rig.await("tree " + expected, () -> new TreeMap<>(expected).equals(Tree.of(logs)));
  }

  @Test
  void shouldNotReplaceAnArchiveThatIsThereAlready() throws IOException {
    Files.writeString(logs.resolve("app.2026-05-10_12.log.1.zip"), "somebody's");
    Files.createFile(logs.resolve("app.2026-05-10_12.log.zip"));
    start(new TimeBasedRollingPolicy<>(), "app.%d{yyyy-MM-dd_HH, UTC}.log.zip", true);
    rig.log("one");
    now += HOUR;
    rig.log("two");
    rig.await("archived", () -> Files.exists(logs.resolve("app.2026-05-10_12.log.2.zip")));
    assertThat(Tree.content(logs.resolve("app.2026-05-10_12.log.2.zip"))).isEqualTo("one\n");
    assertThat(Files.readString(logs.resolve("app.2026-05-10_12.log.1.zip")))
        .isEqualTo("somebody's");
    assertThat(Files.size(logs.resolve("app.2026-05-10_12.log.zip"))).isZero();
    assertThat(rig.statuses())
        .anyMatch(s -> s.contains("[" + logs + "/app.2026-05-10_12.log.zip] is taken"));
  }

  /** Lower indices may have been deleted, and a lower one would pass for older. */
  @Test
  void shouldGoOnBehindTheHighestIndexOfAPeriodThatAnEarlierRunLeft() throws IOException {
    Files.writeString(logs.resolve("app.2026-05-09.4.log"), "somebody's");
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.setMaxFileSize("1KB");
    start(policy, "app.%d{yyyy-MM-dd, UTC}.%i.log", true);
    rig.log("one");
    now -= 40 * HOUR;
    rig.log("two");
    now += 24 * HOUR;
    rig.log("three");
    awaitTree(
        Map.of(
            "app.2026-05-10.0.log", "one\n",
            "app.2026-05-08.0.log", "two\n",
            "app.2026-05-09.4.log", "somebody's",
            "app.log", "three\n"));
    now += 24 * HOUR;
    rig.log("four");
    rig.await("numbered", () -> Files.exists(logs.resolve("app.2026-05-09.5.log")));
    assertThat(logs.resolve("app.2026-05-09.5.log")).hasContent("three");
  }

  @Test
  void shouldListNothingWhenAPeriodIsRemembered() {
    CountingFiles moves = new CountingFiles();
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.files = moves;
    policy.setMaxFileSize("1KB");
    start(policy, "app.%d{yyyy-MM-dd, UTC}.%i.log", true);
    rig.log("one");
    now += 72 * HOUR;
    rig.log("ahead");
    moves.listingsOfWriter.set(0);
    for (int i = 0; i < 10; i++) {
      now -= 72 * HOUR;
      rig.log("back");
      now += 72 * HOUR;
      rig.log("ahead");
    }
    assertThat(moves.listingsOfWriter).hasValue(0);
  }

  @Test
  void shouldTakeTheNextIndexWhereOneIsTaken() throws IOException {
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.setMaxFileSize("1");
    start(policy, "app.%d{yyyy-MM-dd, UTC}.%i.log", true);
    rig.log("zero");
    Files.writeString(logs.resolve("app.2026-05-10.0.log"), "somebody's");
    Files.writeString(logs.resolve("app.2026-05-10.5.log"), "somebody's");
    rig.log("one");
    rig.log("two");
    awaitTree(
        Map.of(
            "app.2026-05-10.0.log", "somebody's",
            "app.2026-05-10.5.log", "somebody's",
            "app.2026-05-10.6.log", "zero\n",
            "app.2026-05-10.7.log", "one\n",
            "app.log", "two\n"));
  }

  /** It was begun without a look at the others, and has an index that is used. */
  @Test
  void shouldHandOverTheFileOfAStartThatCouldNotListTheArchives() throws IOException {
    for (int i = 0; i < 3; i++) {
      Path archive = logs.resolve("app.2026-05-10." + i + ".log.gz");
      try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(archive))) {
        out.write('0' + i);
      }
    }
    FaultyDisk files = new FaultyDisk();
    files.failing.add("list");
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.files = files;
    policy.setMaxFileSize("1");
    start(policy, "app.%d{yyyy-MM-dd, UTC}.%i.log.gz", false);
    rig.log("one");
    assertThat(logs.resolve("app.2026-05-10.0.log")).hasContent("one");
    files.heal();
    rig.awaitArchived();
    rig.log("two");
    rig.awaitArchived();
    assertThat(Tree.names(logs))
        .containsExactly(
            "app.2026-05-10.0.log.1.gz",
            "app.2026-05-10.0.log.gz",
            "app.2026-05-10.1.log.gz",
            "app.2026-05-10.2.log.gz",
            "app.2026-05-10.3.log");
    assertThat(Tree.content(logs.resolve("app.2026-05-10.0.log.1.gz"))).isEqualTo("one\n");
  }

  @Test
  void shouldArchiveUnderAFreeNameWhenTheClockReturnsToAnArchivedPeriod() {
    start(new TimeBasedRollingPolicy<>(), "app.%d{yyyy-MM-dd_HH, UTC}.log.gz", false);
    rig.log("one");
    now += 10 * HOUR;
    rig.log("two");
    rig.await("archived", () -> Files.exists(logs.resolve("app.2026-05-10_12.log.gz")));
    rig.await("renamed", () -> !Files.exists(logs.resolve("app.2026-05-10_12.log")));
    now -= 10 * HOUR;
    rig.log("three");
    now += HOUR;
    rig.log("four");
    awaitTree(
        Map.of(
            "app.2026-05-10_12.log.gz", "one\n",
            "app.2026-05-10_22.log.gz", "two\n",
            "app.2026-05-10_12.log.1.gz", "three\n",
            "app.2026-05-10_13.log", "four\n"));
  }

  @Test
  void shouldWriteOnAfterARolloverByHand() {
    start(new TimeBasedRollingPolicy<>(), "app.%d{yyyy-MM-dd_HH, UTC}.log", true);
    rig.log("one");
    rig.appender.rollover();
    rig.log("two");
    rig.appender.rollover();
    rig.log("three");
    awaitTree(
        Map.of(
            "app.2026-05-10_12.log", "one\n",
            "app.2026-05-10_12.log.1", "two\n",
            "app.log", "three\n"));
    rig.appender.rollover();
    rig.await("numbered", () -> Files.exists(logs.resolve("app.2026-05-10_12.log.2")));
  }

  @Test
  void shouldWriteOnToTheSameFileAfterARolloverByHandWithoutFile() {
    start(new TimeBasedRollingPolicy<>(), "app.%d{yyyy-MM-dd_HH, UTC}.log.gz", false);
    rig.log("one");
    rig.appender.rollover();
    rig.log("two");
    awaitTree(Map.of("app.2026-05-10_12.log", "one\ntwo\n"));
  }

  /** As that of an archive that is made after the rollover, and of Logback's. */
  @Test
  void shouldNameTheEntryOfAZipAsTheArchiveAlsoIfTheFileIsFollowed() throws Exception {
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.setFileNamePattern(logs + "/app.%d{yyyy-MM-dd, UTC}-%i.log.zip");
    policy.setMaxFileSize(new FileSize(1_000_000));
    policy.clock = () -> now;
    rig = new RollingRig(Host.SPILLWAY, logs.resolve("app.log"));
    ((SpillwayRollingFileAppender<?>) rig.appender).setCompression("CONTINUOUS");
    rig.with(policy, policy).start();
    String half = "x".repeat(600_000);
    for (int i = 1; i <= 3; i++) {
      rig.log(half);
      rig.await("followed", () -> named(".part") == 1);
      rig.log(half);
      rig.log("rolled over before");
      long archives = i;
      rig.await("archived", () -> named(".zip") == archives && named(".part") == 0);
    }
    for (String archive : Tree.names(logs)) {
      if (archive.endsWith(".zip")) {
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(logs.resolve(archive)))) {
          assertThat(zip.getNextEntry().getName() + ".zip").isEqualTo(archive);
        }
      }
    }
  }

  /** A window dates the entry, and following began long before the file was written last. */
  @Test
  void shouldDateTheEntryOfAZipByTheLastWriteAlsoIfTheFileIsFollowed() throws Exception {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(logs + "/app.%i.log.zip");
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setMaxFileSize("100MB");
    Path log = logs.resolve("app.log");
    rig = new RollingRig(Host.SPILLWAY, log);
    ((SpillwayRollingFileAppender<?>) rig.appender).setCompression("CONTINUOUS");
    rig.with(policy, trigger).start();
    rig.log("x".repeat(600_000));
    rig.await("followed", () -> named(".part") == 1);
    Instant later = Files.getLastModifiedTime(log).toInstant().plusSeconds(3_600);
    Files.setLastModifiedTime(log, FileTime.from(later));
    rig.appender.rollover();
    rig.log("next");
    rig.await("archived", () -> named(".zip") == 1 && named(".part") == 0);
    String date =
        DateTimeFormatter.ofPattern("yyyy-MM-dd_HHmm")
            .withZone(ZoneId.systemDefault())
            .format(later);
    Path archive = logs.resolve("app.1.log.zip");
    try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(archive))) {
      assertThat(zip.getNextEntry().getName()).isEqualTo("app." + date + ".log");
    }
  }

  private long named(String suffix) {
    return Tree.names(logs).stream().filter(name -> name.endsWith(suffix)).count();
  }
}
