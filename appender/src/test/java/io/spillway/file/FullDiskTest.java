package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.LossCause;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A disk that is really full: nothing is lost, nothing is torn, and writing resumes by itself. */
@Timeout(180)
@Tag("slow")
@Tag("gate")
class FullDiskTest {
  private static final int CYCLES = Boolean.getBoolean("spillway.test.full") ? 20 : 3;
  private static final Duration PROMISED = Duration.ofSeconds(1);

  @TempDir Path directory;

  @Test
  void shouldLoseNothingAndResumeWithinASecondWhenTheLogDiskIsFull(TestReporter reporter)
      throws IOException {
    List<Path> archives = new ArrayList<>();
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      Path log = disk.directory().resolve("app.log");
      try (FileRig rig = new FileRig(log).spill(directory.resolve("spill"))) {
        rig.appender.setMemoryBuffer("64 KB");
        rig.start();
        for (int cycle = 0; cycle < CYCLES; cycle++) {
          disk.ballast("ballast", 400_000);
          fill(rig);
          Numbered.assertWhole(
              wholeLines(log), archived(archives), (int) rig.metrics().getDelivered());

          Duration resumed = rig.resumesAfter(() -> disk.drop("ballast"));

          rig.awaitDelivered();
          reporter.publishEntry("resumed after ms", String.valueOf(resumed.toMillis()));
          assertThat(resumed).as("cycle " + cycle).isLessThanOrEqualTo(PROMISED);
          archives.add(moveAway(log, cycle));
          rig.log(1); // an idle appender keeps the moved file open, and so its space
          rig.awaitDelivered();
        }
        rig.assertAllDelivered();
        assertThat(rig.metrics().getSinkFailures()).as("failures counted").isPositive();
        assertThat(rig.metrics().getSpilled()).as("the spill was used").isPositive();
        assertThat(rig.statuses("Cannot write to file")).as("rate-limited").isBetween(1L, 10L);
        assertThat(rig.statuses("free or raise the space")).as("remedy").isPositive();
        assertThat(rig.statuses("works again")).isPositive();
        archives.add(log);
        Numbered.assertWhole(Numbered.lines(archives.toArray(Path[]::new)), 0, rig.logged());
      }
    }
  }

  /** Logs until the disk is full, and 180 KB more. */
  private static void fill(FileRig rig) {
    long failures = rig.metrics().getSinkFailures();
    while (rig.metrics().getSinkFailures() == failures) {
      rig.log(200);
      rig.await(
          "delivered or failing",
          () -> rig.metrics().getPending() == 0 || rig.metrics().getSinkFailures() > failures);
    }
    rig.log(2_000);
    // The worst moment to be cured: the pauses between attempts have grown to their longest.
    rig.await("longest pause", () -> rig.metrics().getSinkFailures() >= failures + 7);
    rig.await("all spilled", () -> rig.metrics().getRingUsed() == 0);
  }

  /** While the disk is full the last chunk may be there in part, for the moment of an attempt. */
  private static List<String> wholeLines(Path log) throws IOException {
    while (true) {
      long size = Files.size(log);
      List<String> lines = Numbered.lines(log);
      if (Files.size(log) == size && lines.get(lines.size() - 1).endsWith(" end")) {
        return lines;
      }
    }
  }

  private static int archived(List<Path> archives) {
    return archives.isEmpty() ? 0 : Numbered.lines(archives.toArray(Path[]::new)).size();
  }

  private Path moveAway(Path log, int cycle) {
    Path archive = directory.resolve("app.log." + cycle);
    Shell.run("mv", log, archive);
    return archive;
  }

  @Test
  void shouldHoldEventsInMemoryAndLetWhenFullDecideWhenTheSpillIsOnTheFullDiskToo() {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      Path log = disk.directory().resolve("app.log");
      try (FileRig rig = new FileRig(log)) {
        rig.appender.setWhenFull("DROP");
        rig.appender.setMemoryBuffer("128 KB");
        rig.start();
        disk.ballast("ballast", 700_000);
        while (rig.metrics().getDropped() == 0) {
          rig.logger.info("short {}", rig.metrics().getAccepted());
        }
        assertThat(rig.metrics().lossOf(LossCause.QUEUE_FULL)).isPositive();
        assertThat(rig.metrics().getLost()).as("accepted and lost").isZero();

        Duration resumed = rig.resumesAfter(() -> disk.drop("ballast"));

        rig.awaitDelivered();
        assertThat(resumed).isLessThanOrEqualTo(PROMISED);
        assertThat(rig.metrics().getLost()).isZero();
        List<String> lines = Numbered.lines(log);
        assertThat(lines).hasSize((int) rig.metrics().getAccepted());
        for (int i = 0; i < lines.size(); i++) {
          assertThat(lines.get(i)).isEqualTo("short " + i);
        }
      }
    }
  }

  @Test
  void shouldLeaveReturningSpaceToTheLogWhenTheSpillCompetesForIt() {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=4m")) {
      Path log = disk.directory().resolve("app.log");
      try (FileRig rig = new FileRig(log)) {
        rig.appender.setMemoryBuffer("64 KB");
        rig.appender.setWhenFull("DROP");
        rig.start();
        disk.ballast("large", 2_800_000);
        disk.ballast("small", 700_000);
        while (rig.metrics().getDropped() == 0) {
          rig.log(1);
        }
        rig.await("longest pause between attempts", () -> rig.metrics().getSinkFailures() >= 8);

        long before = log.toFile().length();

        Duration resumed = rig.resumesAfter(() -> disk.drop("small"));

        assertThat(resumed).isLessThanOrEqualTo(PROMISED);
        rig.await("most of it in the log", () -> log.toFile().length() > before + 500_000);
        disk.drop("large");
        rig.awaitDelivered();
        Numbered.assertWhole(Numbered.lines(log), 0, (int) rig.metrics().getAccepted());
      }
    }
  }

  @Test
  void shouldSpillWhenALinkLeadsToTheDiskThatIsFull() throws IOException {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      Path target = disk.directory().resolve("app.log");
      Path link = Files.createSymbolicLink(directory.resolve("app.log"), target);
      try (FileRig rig = new FileRig(link)) {
        rig.appender.setMemoryBuffer("64 KB");
        rig.start();
        rig.log(1);
        rig.awaitDelivered();
        disk.ballast("ballast", disk.free());
        rig.log(200);
        rig.await("a failed write", () -> rig.metrics().getSinkFailures() > 0);
        rig.log(2_000);
        rig.await("all of it has a place", () -> rig.metrics().getRingUsed() == 0);
        assertThat(rig.metrics().getSpilled()).isPositive();
        disk.drop("ballast");
        rig.awaitDelivered();
        rig.assertAllDelivered();
        Numbered.assertWhole(Numbered.lines(target), 0, rig.logged());
      }
    }
  }

  @Test
  void shouldSpillDuringALongRolloverSoonAfterTheDiskWasFull() {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=32m")) {
      try (FileRig rig = new FileRig(disk.directory().resolve("app.log"))) {
        rig.appender.setMemoryBuffer("64 KB");
        rig.start();
        rig.log(1);
        rig.awaitDelivered();
        disk.ballast("ballast", disk.free());
        rig.log(200);
        rig.await("a failed write", () -> rig.metrics().getSinkFailures() > 0);
        disk.drop("ballast");
        rig.awaitDelivered();
        rig.policy.gate.shut();
        Thread logging = new Thread(() -> rig.log(60_000), "logging");
        logging.start();
        try {
          rig.await("log calls, while the deliverer stands still", () -> !logging.isAlive());
        } finally {
          rig.policy.gate.open();
        }
        rig.awaitDelivered();
        rig.assertAllDelivered();
      }
    }
  }
}
