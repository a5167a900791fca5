package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.Health;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The spill's disk is in trouble when the appender starts, and well again later. */
@Timeout(120)
@Tag("slow")
class LateSpillTest {
  private static final int EVENTS = 10_000;
  private static final int REMOVED = 20_000;

  @TempDir Path directory;

  /** What is wrong with the disk. */
  enum Trouble {
    NO_INODES("nr_inodes=1", "nr_inodes=1000"),
    READ_ONLY("ro", "rw"),
    FULL("size=4k", "size=64m");

    private final String bad;
    private final String good;

    Trouble(String bad, String good) {
      this.bad = bad;
      this.good = good;
    }
  }

  record Case(Kind kind, boolean asked, Trouble trouble) {}

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (boolean asked : new boolean[] {true, false}) {
        for (Trouble trouble : Trouble.values()) {
          cases.add(new Case(kind, asked, trouble));
        }
      }
    }
    return cases;
  }

  @ParameterizedTest
  @Tag("gate")
  @MethodSource("cases")
  void shouldStartWithAWarningAndSpillOnceTheTroubleHasPassed(Case one) throws IOException {
    Path disk = directory.resolve(one.asked ? "disk" : "app.log.spill");
    try (Tmpfs spill = new Tmpfs(disk, one.trouble.bad + ",mode=0700");
        Subject subject = new Subject(one.kind, directory)) {
      if (one.trouble == Trouble.FULL) {
        fill(disk);
      }
      subject.settings().setSpillDirectory(one.asked ? disk.toString() : "");
      subject.start();
      subject.log("0", 0, 10);
      subject.awaitDelivered();
      assertThat(statuses(subject, Status.ERROR)).isEmpty();
      assertThat(statuses(subject, Status.WARN)).anyMatch(m -> m.contains("To do: "));
      if (one.trouble != Trouble.FULL) { // empty files need no room
        assertThat(statuses(subject, Status.WARN))
            .anyMatch(m -> m.contains("The spill directory [" + disk + "] cannot be used now"))
            .allMatch(m -> m.indexOf(disk.toString()) == m.lastIndexOf(disk.toString() + "]"));
        assertThat(health(subject).reason()).contains("There is no spill");
        assertThat(health(subject).status()).isEqualTo(Health.Status.DEGRADED);
      }
      subject.gate.shut();
      Shell.run("mount", "-o", "remount," + one.trouble.good, spill.directory());
      subject.log("0", 10, EVENTS);
      await().until(() -> subject.metrics().getSpilled() > EVENTS / 10);
      assertThat(health(subject).reason()).doesNotContain("There is no spill");
      subject.gate.open();
      subject.awaitDelivered();
      assertThat(subject.lines()).isEqualTo(numbered(EVENTS));
      assertThat(statuses(subject, Status.ERROR)).isEmpty();
      assertThat(statuses(subject, Status.INFO)).anyMatch(m -> m.contains("spill works again"));
    }
  }

  private static void fill(Path disk) {
    try {
      Files.write(disk.resolve("ballast"), new byte[1 << 16]);
    } catch (IOException full) {
      assertThat(disk.toFile().getUsableSpace()).isZero();
    }
  }

  /**
   * As long as nothing is logged the drainer opens it all the same, for what an earlier run left.
   */
  @ParameterizedTest
  @EnumSource
  void shouldDeliverWhatAnEarlierRunLeftOnceTheDiskCanBeWritten(Kind kind) {
    try (Tmpfs spill = new Tmpfs(directory.resolve("disk"), "size=64m,mode=0700")) {
      Subject first = new Subject(kind, directory);
      first.settings().setSpillDirectory(spill.directory().toString());
      first.settings().setMaxFlushTime("50");
      first.gate.shut();
      first.start();
      first.log("0", 0, EVENTS);
      first.appender().stop();
      first.close();
      int before = first.lines().size();
      assertThat(before).isLessThan(EVENTS);

      Shell.run("mount", "-o", "remount,ro", spill.directory());
      try (Subject next = new Subject(kind, directory)) {
        next.settings().setSpillDirectory(spill.directory().toString());
        next.start();
        next.log("1", 0, 1);
        next.awaitDelivered();
        Shell.run("mount", "-o", "remount,rw", spill.directory());
        await().until(() -> next.metrics().getRecovered() > 0);
        next.awaitDelivered();
        assertThat(next.lines()).contains("#1:0.");
        assertThat(missing(next, numbered(EVENTS))).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldSaveWhatIsInMemoryToASpillThatOpensOnlyAtTheStop(Kind kind) {
    try (Tmpfs spill = new Tmpfs(directory.resolve("disk"), "ro,mode=0700")) {
      Subject stuck = new Subject(kind, directory);
      stuck.settings().setSpillDirectory(spill.directory().toString());
      stuck.settings().setMaxFlushTime("50");
      stuck.gate.shut();
      stuck.start();
      stuck.log("0", 0, 100);
      Shell.run("mount", "-o", "remount,rw", spill.directory());
      stuck.appender().stop();
      stuck.close();
      try (Subject next = new Subject(kind, directory)) {
        next.settings().setSpillDirectory(spill.directory().toString());
        next.start();
        next.awaitDelivered();
        assertThat(missing(next, numbered(100))).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseWhatIsNoDirectory(Kind kind) throws IOException {
    Path plain = Files.createFile(directory.resolve("plain"));
    for (String wrong : List.of(plain.toString(), plain.resolve("below").toString(), "no\0path")) {
      try (Subject subject = new Subject(kind, directory)) {
        subject.settings().setSpillDirectory(wrong);
        subject.appender().start();
        assertThat(subject.appender().isStarted()).isFalse();
        assertThat(statuses(subject, Status.ERROR))
            .singleElement()
            .asString()
            .contains("Setting [spillDirectory] has the value [" + wrong + "]", "allowed: ");
      }
    }
  }

  /** Nothing more is logged after the removal, so that nothing but a look now and then tells. */
  @Test
  void shouldKeepWhatWasSpilledIntoARemovedDirectoryAlsoWhenTheTrafficEnds() {
    for (Kind kind : Kind.values()) {
      Path here = directory.resolve(kind.name());
      Shell.run("mkdir", here);
      int spilled;
      try (Fork child = Fork.start(RemovedSpillChild.class, List.of(), kind, here, REMOVED)) {
        child.awaitLine("again");
        spilled = (int) child.number("spilled");
        child.kill();
      }
      try (Subject next = new Subject(kind, here)) {
        next.start();
        next.awaitDelivered();
        assertThat(missing(next, numbered(REMOVED).subList(REMOVED - spilled, REMOVED)))
            .as(kind + ": what the spill had")
            .isEmpty();
      }
    }
  }

  private static Health health(Subject subject) {
    return ((MonitoredAppender) subject.appender()).health();
  }

  private static List<String> numbered(int events) {
    return IntStream.range(0, events).mapToObj(i -> "#0:" + i + ".").toList();
  }

  /** An assertion on the lists themselves would compare each line with each. */
  private static Set<String> missing(Subject subject, List<String> expected) {
    Set<String> missing = new LinkedHashSet<>(expected);
    subject.lines().forEach(missing::remove);
    return missing;
  }

  private static List<String> statuses(Subject subject, int level) {
    Reports.flush(subject.context());
    return subject.context().getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getLevel() == level)
        .map(Status::getMessage)
        .toList();
  }
}
