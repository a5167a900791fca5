package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.internal.disk.Disk;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Gate;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is too old or too much goes, everything else stays. */
@Timeout(60)
class RetentionTest {
  @TempDir Path directory;
  private Path logs;
  private long now = Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
  private final SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy =
      new SizeAndTimeBasedRollingPolicy<>();
  private RollingRig rig;

  @BeforeEach
  void prepare() throws IOException {
    logs = Files.createDirectories(directory.resolve("logs"));
    policy.clock = () -> now;
    policy.setMaxFileSize("1MB");
    policy.setMaxHistory("3");
    policy.setCompressionCpuShare("100");
  }

  @AfterEach
  void letGo() {
    GatedFormat.reset();
    if (rig != null) {
      rig.close();
    }
  }

  private void start(String pattern) {
    policy.setFileNamePattern(logs.resolve(pattern).toString());
    rig = new RollingRig(Host.STOCK, logs.resolve("app.log")).with(policy, policy).start();
  }

  private Path file(String name, int bytes) throws IOException {
    Path file = logs.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, new byte[bytes]);
  }

  private void awaitNames(String... names) {
    Set<String> expected = Set.of(names);
    RollingRig.await(
        "only " + expected + " left",
        () -> {
          Set<String> found = new TreeSet<>(Tree.names(logs));
          found.removeIf(name -> name.endsWith(".part")); // what the compressor works at
          return found.equals(expected);
        },
        () -> Tree.names(logs) + ", " + rig.statuses());
  }

  @Test
  void shouldDeleteExpiredFilesWhetherArchivedOrNotAndNothingForeign() throws IOException {
    policy.setCleanHistoryOnStart("true");
    file("app.2026-05-06.0.log", 10);
    file("app.2026-05-06.1.log.2.gz", 10);
    file("app.2026-05-06.1.log.gz", 10);
    file("app.2026-04-10.7.log.gz", 10);
    file("app.2024-02-29.7.log.gz", 10); // older than Logback looks for
    file("app.2026-05-07.0.log.gz", 10);
    file("app.2027-01-01.0.log.gz", 10);
    String[] foreign = {
      "app.2026-05-06.0.log.bak",
      "app.2026-05-06.x.log.gz",
      "app.2026-5-6.0.log.gz",
      "appX2026-05-06.0.log.gz",
      "app.2026-13-06.0.log.gz",
      "app.2026-05-06.log.gz",
    };
    for (String name : foreign) {
      file(name, 10);
    }
    Files.createSymbolicLink(logs.resolve("app.2026-05-06.9.log.gz"), logs.resolve("app.log"));
    Files.createDirectory(logs.resolve("app.2026-05-06.8.log.gz"));

    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gz");

    rig.await(
        "cleaned",
        () ->
            Tree.names(logs).contains("app.log")
                && Tree.names(logs).stream()
                    .noneMatch(
                        n ->
                            n.matches(
                                "app\\.2026-05-06\\.[01]\\.log(\\.2)?(\\.gz)?|app\\.2026-04.*")));
    assertThat(Tree.names(logs))
        .contains(foreign)
        .contains("app.2026-05-06.9.log.gz", "app.2026-05-06.8.log.gz")
        .contains("app.2024-02-29.7.log.gz", "app.2026-05-07.0.log.gz", "app.2027-01-01.0.log.gz");
  }

  @Test
  void shouldDeleteNothingBeforeTheFirstRolloverUnlessTold() throws IOException {
    file("app.2026-05-01.0.log.gz", 10);
    file("app.2026-05-09.0.log", 10);
    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gz");
    rig.await("archived", () -> policy.getArchiveMetrics().archived() == 1);
    rig.log("one");
    assertThat(logs.resolve("app.2026-05-01.0.log.gz")).exists();

    now += 86_400_000;
    rig.log("two");

    awaitNames("app.log", "app.2026-05-09.0.log.gz", "app.2026-05-10.0.log.gz");
  }

  @Test
  void shouldCountArchivesTowardsTheTotalAndKeepWhatWaitsUnlessNewerArchivesFillIt()
      throws IOException {
    policy.setCleanHistoryOnStart("true");
    policy.setTotalSizeCap("1000");
    GatedFormat.GATE.shut();
    file("app.2026-05-10.10.log", 3_000);
    file("app.2026-05-10.9.log", 3_000);
    file("app.2026-05-09.2.log.gated", 700);
    file("app.2026-05-09.1.log.gated", 700);
    file("app.2026-05-08.0.log.gated", 50);
    file("app.2026-05-07.0.log", 50); // whatever its archive took, it would be too much

    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gated");

    awaitNames(
        "app.log", "app.2026-05-10.10.log", "app.2026-05-10.9.log", "app.2026-05-09.2.log.gated");
  }

  /** Their archives take a fraction of the total, so that a burst costs nothing. */
  @Test
  void shouldLoseNothingOfABurstWhoseArchivesTheTotalHolds() throws IOException {
    policy.setCleanHistoryOnStart("true");
    policy.setTotalSizeCap("50KB");
    Set<String> logged = new TreeSet<>();
    for (int i = 0; i < 100; i++) {
      String line = i + "-" + "x".repeat(10_000);
      logged.add(line);
      Files.writeString(logs.resolve("app.2026-05-10." + i + ".log"), line + "\n");
    }
    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gz");
    rig.awaitArchived();

    Set<String> kept = new TreeSet<>();
    for (String name : Tree.names(logs)) {
      try (InputStream in = Files.newInputStream(logs.resolve(name));
          InputStream text = name.endsWith(".gz") ? new GZIPInputStream(in) : in) {
        new String(text.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(kept::add);
      }
    }
    assertThat(kept.size()).isEqualTo(logged.size());
    assertThat(kept).isEqualTo(logged);
  }

  @ParameterizedTest
  @CsvSource({"3, 10MB, true", "3, 0, false", "0, 10MB, false"})
  void shouldNameTheCapWhereThereIsOne(String history, String cap, boolean capped) {
    policy.setMaxHistory(history);
    policy.setTotalSizeCap(cap);
    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gated");
    GatedFormat.GATE.shut();
    for (int i = 0; i < 5; i++) {
      rig.log("event " + i);
      rig.appender.rollover();
      if (i == 0) {
        rig.await("begun", GatedFormat.GATE::isHolding);
      }
    }
    GatedFormat.reset();
    rig.awaitArchived();
    assertThat(rig.statuses())
        .filteredOn(status -> status.contains("faster than they are archived"))
        .singleElement()
        .asString()
        .matches(status -> status.contains("[totalSizeCap]") == capped)
        .contains(" If this goes on: log less.");
  }

  @Test
  void shouldNotLetTheFileUnderCompressionDriveOutArchives() throws IOException {
    policy.setCleanHistoryOnStart("true");
    policy.setTotalSizeCap("1000");
    GatedFormat.GATE.shut();
    file("app.2026-05-10.1.log", 5_000);
    file("app.2026-05-10.0.log.gated", 400);
    file("app.2026-05-09.0.log.gated", 400);
    file("app.2026-05-08.0.log.gated", 400);
    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gated");
    rig.await("too much deleted", () -> !Files.exists(logs.resolve("app.2026-05-08.0.log.gated")));
    GatedFormat.reset();
    awaitNames(
        "app.log",
        "app.2026-05-10.1.log.gated",
        "app.2026-05-10.0.log.gated",
        "app.2026-05-09.0.log.gated");
  }

  /** None of these is what the pattern prints for the beginning of a day, so none has an age. */
  @Test
  void shouldTakeTheWorkOfItsFilesHoweverManyPeriodsAreKept() throws IOException {
    ArchivePattern pattern =
        new ArchivePattern(
            logs + "/app.%d{yyyy-MM-dd, UTC}.%d{HH-mm-ss, UTC, aux}.%i.log", "", null, null);
    Retention.Ages ages = new Retention.Ages(pattern, Integer.MAX_VALUE);
    Instant today = Instant.ofEpochMilli(now);
    List<String> names = new ArrayList<>(List.of("app.2026-05-08.00-00-00.%i.log"));
    for (int i = 10; i < 60; i++) {
      names.add("app.2026-05-09.12-30-" + i + ".%i.log");
    }
    ThreadMXBean cpu = ManagementFactory.getThreadMXBean();
    long start = cpu.getCurrentThreadCpuTime();

    assertThat(ages.of(names, today, today)).isEqualTo(Map.of(names.get(0), 2));

    Duration took = Duration.ofNanos(cpu.getCurrentThreadCpuTime() - start);
    assertThat(took).isLessThan(Duration.ofMillis(150)); // a million periods take ten times that
  }

  /** The clocks of Berlin are set at 01:00 UTC, in autumn back to 02:00, in spring on to 03:00. */
  @ParameterizedTest
  @CsvSource({
    "yyyy-MM-dd_HH-mm, Europe/Berlin, 2026-10-25_01-59, 2026-10-25T03:00:00Z, 181",
    "yyyy-MM-dd_HH-mm, Europe/Berlin, 2026-10-25_02-30, 2026-10-25T02:30:00Z, 60",
    "yyyy-MM-dd_HH-mm, Europe/Berlin, 2026-03-29_01-59, 2026-03-29T03:00:00Z, 121",
    "yyyy-MM-dd_HH-mm-ss, Europe/Berlin, 2026-10-25_01-59-59, 2026-10-25T03:00:00Z, 10801",
    "yyyy-MM-dd_HH, Europe/Berlin, 2026-10-24_23, 2026-10-25T03:00:00Z, 6",
    "yyyy-MM-dd, Europe/Berlin, 2026-10-24, 2026-10-25T23:00:00Z, 2",
  })
  void shouldKnowHowOldAFileIsWhoseClockHasBeenSetSince(
      String dates, String zone, String date, Instant at, int age) {
    assertThat(ageOf(date, dates + ", " + zone, at, at)).isEqualTo(age);
  }

  @ParameterizedTest
  @CsvSource({
    "MM-dd_HH-mm, Europe/Berlin, 10-25_01-59, 2026-10-25T00:00:00Z, 1",
    "yyyy-MM-dd_HH-mm, Europe/Berlin, 2026-10-25_01-59, 2026-10-25T00:00:00Z, 1",
    "yyyy-MM-dd_HH-mm, Europe/Berlin, 2026-10-25_02-10, 2026-10-25T00:30:15Z, 20",
    "yyyy-MM-dd_HH, Europe/Berlin, 2026-10-25_01, 2026-10-25T00:00:00Z, 1",
    "yyyy-MM-dd_HH, Europe/Berlin, 2026-10-25_01, 2026-10-25T00:59:59Z, 1",
    "yyyy-MM-dd_HH-mm, Australia/Lord_Howe, 2026-04-05_01-29, 2026-04-04T14:40:00Z, 11",
    "yyyy-MM-dd, America/Havana, 2026-10-31, 2026-11-01T04:30:00Z, 1",
  })
  void shouldTakeNothingForOlderThanItIsInTheFirstOfTwoEqualHours(
      String dates, String zone, String date, Instant at, int age) {
    assertThat(ageOf(date, dates + ", " + zone, at, at)).isEqualTo(age);
  }

  @Test
  void shouldKnowHowOldAFileIsThatHasGrownTooOldInALongSilence() {
    Instant at = Instant.ofEpochMilli(now);
    Instant since = at.minus(Duration.ofDays(21));
    assertThat(ageOf("2026-04-20_12-00", "yyyy-MM-dd_HH-mm, UTC", at, since)).isEqualTo(28_800);
  }

  @Test
  void shouldKnowHowOldAFileIsThatIsOlderThanAMillionPeriodsKept() {
    ArchivePattern pattern =
        new ArchivePattern(logs + "/app.%d{yyyy-MM-dd_HH-mm-ss, UTC}.log", "", null, null);
    Instant at = Instant.ofEpochMilli(now);
    String monthOld = "app.2026-04-10_11-59-59.log";
    assertThat(new Retention.Ages(pattern, 30 * 86_400).of(List.of(monthOld), at, at))
        .isEqualTo(Map.of(monthOld, 30 * 86_400 + 1));
  }

  private Integer ageOf(String date, String token, Instant at, Instant since) {
    ArchivePattern pattern =
        new ArchivePattern(logs + "/app.%d{" + token + "}.log", "", null, null);
    String name = "app." + date + ".log";
    return new Retention.Ages(pattern, 11_000).of(List.of(name), at, since).get(name);
  }

  @Test
  void shouldRemoveEmptiedDateDirectoriesAndNoOthers() throws IOException {
    policy.setCleanHistoryOnStart("true");
    file("2026/04/28/app.0.log.gz", 10);
    file("2026/05/01/app.0.log.gz", 10);
    file("2026/05/02/app.0.log.gz", 10);
    file("2026/05/02/foreign", 10);
    file("2026/05/09/app.0.log.gz", 10);
    Files.createDirectories(logs.resolve("2024/empty"));

    start("%d{yyyy/MM/dd, UTC}/app.%i.log.gz");

    awaitNames(
        "app.log",
        "2024",
        "2024/empty",
        "2026",
        "2026/05",
        "2026/05/02",
        "2026/05/02/foreign",
        "2026/05/09",
        "2026/05/09/app.0.log.gz");
  }

  /** As a listener that has taken an archive, or a cron job. */
  @Test
  void shouldTellNoFailureOfAFileThatSomebodyElseDeletesWithItsDirectory() throws IOException {
    policy.setCleanHistoryOnStart("true");
    Path expired = file("2026/05/01/app.0.log.gz", 10);
    file("2026/05/09/app.0.log.gz", 10);
    policy.files =
        new Disk() {
          @Override
          public void rename(Path from, Path to) throws IOException {
            if (from.equals(expired)) {
              Files.delete(expired);
              Files.delete(expired.getParent());
            }
            super.rename(from, to);
          }
        };

    start("%d{yyyy/MM/dd, UTC}/app.%i.log.gz");
    rig.awaitArchived();

    assertThat(expired.getParent()).doesNotExist();
    assertThat(rig.statuses()).noneMatch(status -> status.contains("Cannot delete"));
    awaitNames("app.log", "2026", "2026/05", "2026/05/09", "2026/05/09/app.0.log.gz");
  }

  @Test
  void shouldCleanTheOtherDirectoriesIfOneCannotBeListed() throws IOException {
    policy.setCleanHistoryOnStart("true");
    file("2026/03/28/app.0.log.gz", 10);
    file("2026/04/28/app.0.log.gz", 10);
    policy.files =
        new Disk() {
          @Override
          public DirectoryStream<Path> list(Path directory) throws IOException {
            if (directory.endsWith("2026/03")) {
              throw new AccessDeniedException(directory.toString());
            }
            return super.list(directory);
          }
        };

    start("%d{yyyy/MM/dd, UTC}/app.%i.log.gz");

    String[] kept = {"app.log", "2026", "2026/03", "2026/03/28", "2026/03/28/app.0.log.gz"};
    awaitNames(kept);
    rig.await("told", () -> rig.statuses().stream().anyMatch(text -> text.contains("2026/03")));
  }

  /** Made by another user, say: the file is gone all the same. */
  @Test
  void shouldTellWhatIsDeletedThoughItsDirectoryStays() throws IOException {
    policy.setCleanHistoryOnStart("true");
    file("2026/04/28/app.0.log.gz", 10);
    policy.files =
        new Disk() {
          @Override
          public boolean removeIfEmpty(Path directory) throws IOException {
            throw new AccessDeniedException(directory.toString());
          }
        };

    start("%d{yyyy/MM/dd, UTC}/app.%i.log.gz");

    rig.await(
        "told", () -> rig.statuses().stream().anyMatch(text -> text.contains("Deleted 1 files")));
    assertThat(rig.errors()).isEmpty();
  }

  @Test
  void shouldLeaveAFileUnderCompressionUntilItsDirectoryCanGoWithIt() throws IOException {
    policy.setCompressionCpuShare("1");
    byte[] content = new byte[2_000_000];
    new Random(1).nextBytes(content);
    Files.write(file("2026/05/09/app.0.log", 0), content);
    start("%d{yyyy/MM/dd, UTC}/app.%i.log.gz");
    rig.await("begun", () -> Tree.names(logs).stream().anyMatch(name -> name.endsWith(".part")));
    rig.log("one");

    now += 3 * 86_400_000L;
    rig.log("two");

    awaitNames("app.log", "2026", "2026/05", "2026/05/10", "2026/05/10/app.0.log.gz");
  }

  @Test
  void shouldWarnOfATotalWithoutHistoryAndKeepAll() throws IOException {
    policy.setMaxHistory("0");
    policy.setTotalSizeCap("1");
    policy.setCleanHistoryOnStart("true");
    file("app.2020-05-01.0.log", 10);
    start("app.%d{yyyy-MM-dd, UTC}.%i.log.gz");
    rig.await("archived", () -> Files.exists(logs.resolve("app.2020-05-01.0.log.gz")));
    assertThat(rig.statuses()).anyMatch(s -> s.contains("[totalSizeCap]") && s.contains("ignored"));
  }

  @Test
  void shouldKeepAllOfTheWindowWhenTheActiveFileHasANameOfThePattern() throws IOException {
    policy.setMaxHistory("1");
    policy.setTotalSizeCap("1");
    policy.setFileNamePattern(logs.resolve("app.%d{yyyy-MM-dd, UTC}.%i.log").toString());
    rig = new RollingRig(Host.STOCK, null).with(policy, policy).start();
    rig.log("one");
    now += 86_400_000;
    rig.log("two");
    awaitNames("app.2026-05-11.0.log");
    rig.log("three");
    assertThat(Files.readString(logs.resolve("app.2026-05-11.0.log"))).isEqualTo("two\nthree\n");
  }

  /** What is being deleted is not entered, and what has been entered is not deleted. */
  @Test
  void shouldNotDeleteAFileThatAClockStepHasJustMadeTheActiveOne() throws IOException {
    Files.writeString(logs.resolve("app.2026-04-20.log"), "old\n");
    Files.writeString(logs.resolve("app.2026-04-21.log"), "old\n");
    TimeBasedRollingPolicy<ILoggingEvent> bare = new TimeBasedRollingPolicy<>();
    Gate gate = new Gate();
    gate.shut();
    AtomicReference<Path> held = new AtomicReference<>();
    bare.files =
        new Disk() {
          @Override
          public void rename(Path from, Path to) throws IOException {
            if (held.compareAndSet(null, from)) {
              gate.pass();
            }
            super.rename(from, to);
          }
        };
    bare.clock = () -> now;
    bare.setFileNamePattern(logs.resolve("app.%d{yyyy-MM-dd, UTC}.log").toString());
    bare.setMaxHistory("3");
    bare.setCleanHistoryOnStart("true");
    rig = new RollingRig(Host.STOCK, null);
    try {
      rig.with(bare, bare).start();
      rig.log("later");
      rig.await("about to delete", gate::isHolding);
      boolean first = held.get().toString().contains("04-20");
      now = Instant.parse("2026-04-" + (first ? 20 : 21) + "T12:00:00Z").toEpochMilli();
      rig.log("into the one that is being deleted");
      assertThat(logs.resolve("app.2026-05-10.log"))
          .hasContent("later\ninto the one that is being deleted");
      now = Instant.parse("2026-04-" + (first ? 21 : 20) + "T12:00:00Z").toEpochMilli();
      Path other = logs.resolve("app.2026-04-" + (first ? 21 : 20) + ".log");
      rig.await(
          "entered the other",
          () -> {
            rig.log("new");
            return Path.of(rig.appender.getFile()).equals(other);
          });
      gate.open();
      rig.await("deleted", () -> !Files.exists(held.get()));
      RollingRig.await("done", () -> !gate.isHolding(), rig::statuses);
      rig.log("newer");
      rig.await(
          "nothing left to delete",
          () -> Tree.names(logs).stream().noneMatch(name -> name.endsWith(".delete")));
      assertThat(Files.readString(other)).startsWith("old\nnew\n").endsWith("newer\n");
    } finally {
      gate.open();
    }
  }
}
