package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.Fork;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The spill's disk does what disks do, under both appenders. */
@Tag("slow")
@Timeout(120)
class SpillTroubleTest {
  private static final int EVENTS = 20_000;

  @TempDir Path directory;

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldCountDamageInALiveSegmentOnceAndAsLossOfThisRun(Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.gate.shut();
      subject.start();
      subject.log("0", 0, EVENTS);
      await().until(() -> subject.metrics().getSpilled() > EVENTS / 2);
      await().until(() -> subject.metrics().getPending() == EVENTS);
      Path segment =
          Rig.filesBelow(subject.spillDirectory()).stream()
              .filter(path -> path.toString().endsWith(".seg"))
              .findFirst()
              .orElseThrow();
      try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
        file.seek(file.length() / 2);
        file.write(new byte[100_000]);
      }
      subject.gate.open();
      subject.awaitDelivered();
      long lost = subject.metrics().getLossByCause().get(LossCause.SPILL_DAMAGED.name());
      assertThat(lost).isPositive();
      assertThat(subject.metrics().getLost()).isEqualTo(lost);
      assertThat(subject.metrics().getPending()).isZero();
      assertThat(subject.metrics().getDelivered() + lost).isEqualTo(EVENTS);
      assertThat(subject.lines()).hasSize((int) (EVENTS - lost));
      await().until(() -> statuses(subject).anyMatch(s -> s.contains("The sink has caught up")));
      assertThat(statuses(subject)).noneMatch(s -> s.contains("none of them lost"));
    }
  }

  private static Stream<String> statuses(Subject subject) {
    Reports.flush(subject.context());
    return subject.context().getStatusManager().getCopyOfStatusList().stream()
        .map(Status::getMessage);
  }

  /** What is newer waits in the ring then, for memory may not let it overtake. */
  @Test
  void shouldNameTheSpillWhenTheRingIsFullBecauseItCannotBeWritten() throws Exception {
    GatedAppender nested = new GatedAppender();
    Path spill = directory.resolve("spill");
    try (Rig rig = new Rig(spill, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.appender.setWhenFull("DROP");
      rig.appender.setMaxFlushTime("1");
      rig.start();
      nested.shut();
      while (rig.appender.getMetrics().getSpilled() == 0) {
        rig.logger.info("spilled");
      }
      rig.await("drained", () -> rig.appender.getMetrics().getRingUsed() == 0);
      Files.createDirectory(directory.resolve("another"));
      rig.await("replaced by a link", () -> isReplacedByALink(spill));
      rig.await("noticed", () -> rig.appender.health().reason().contains("spill files fail"));
      while (rig.appender.getMetrics().getDropped() == 0) {
        rig.logger.info("kept in the ring");
      }
      String why = "because the spill cannot be written";
      rig.await("told", () -> rig.statuses().toString().contains("(QUEUE_FULL). The ring is full"));
      assertThat(rig.statuses()).anyMatch(s -> s.contains("(QUEUE_FULL)") && s.contains(why));
      assertThat(rig.appender.health().reason()).contains(why);
      nested.open();
    }
  }

  /** Once more if it is made anew just in between. */
  private boolean isReplacedByALink(Path spill) {
    try {
      Files.move(spill, directory.resolve("elsewhere-" + System.nanoTime()));
      Files.createSymbolicLink(spill, directory.resolve("another"));
      return true;
    } catch (FileAlreadyExistsException madeAnew) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldKeepAnEventThatIsTooLargeForTheHeapForAStartWithMoreAndDeliverTheOthers() {
    int small = SmallHeapChild.SMALL;
    heap("-Xmx256m", "LEAVE", 0);
    Fork poor = heap("-Xmx32m", "DELIVER", 2L * small);
    assertThat(poor.number("recovered")).isEqualTo(2L * small);
    assertThat(poor.number("lost")).isZero();
    assertThat(Rig.filesBelow(directory.resolve("spill")))
        .anyMatch(path -> path.toString().endsWith(".aside"));
    assertThat(heap("-Xmx256m", "DELIVER", 1).number("recovered")).isOne();
    assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
  }

  private Fork heap(String heap, String what, long wanted) {
    List<String> options = List.of("-XX:-ExitOnOutOfMemoryError", heap);
    try (Fork child =
        Fork.start(SmallHeapChild.class, options, Kind.WRAPPED, directory, what, wanted)) {
      return child.awaitEnd(0);
    }
  }
}
