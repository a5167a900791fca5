package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.archive.ArchiveListener;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Compressor;
import io.spillway.testkit.Gate;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole archives are given to a listener, which may do anything. */
@Timeout(120)
class ArchiveListenerTest {
  private static final long DAY = Duration.ofDays(1).toMillis();

  @TempDir Path directory;
  private long now = Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
  private final List<String> given = new CopyOnWriteArrayList<>();
  private final Gate gate = new Gate();
  private RollingRig rig;

  @AfterEach
  void stop() {
    gate.open();
    if (rig != null) {
      rig.close();
    }
    Compressor.awaitEnd();
  }

  private void start(ArchiveListener listener) {
    start(listener, "0");
  }

  private void start(ArchiveListener listener, String maxHistory) {
    if (rig != null) {
      rig.close();
    }
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.clock = () -> now;
    policy.setFileNamePattern(directory.resolve("app.%d{yyyy-MM-dd, UTC}.log.gz").toString());
    policy.setMaxHistory(maxHistory);
    policy.setArchiveListener(listener);
    rig = new RollingRig(Host.STOCK, directory.resolve("app.log")).with(policy, policy).start();
  }

  /** Ends a day with this in its file. */
  private void day(String message) {
    rig.log(message);
    now += DAY;
    rig.log("first of the next day");
    rig.awaitArchived();
  }

  private void record(Path archive) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(archive))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      given.add(archive.getFileName() + " " + text.strip().replaceAll("\\s+", " "));
    }
  }

  private static String archive(int day) {
    return "app.2026-05-" + day + ".log.gz";
  }

  private void awaitGiven(String... beginnings) {
    rig.await("given " + List.of(beginnings), () -> given.size() >= beginnings.length);
    assertThat(given).hasSameSizeAs(beginnings);
    for (int i = 0; i < beginnings.length; i++) {
      assertThat(given.get(i)).startsWith(beginnings[i]);
    }
  }

  /** A moment after it was given: a stop in between has the next start give it again. */
  private void awaitListed(int day) {
    rig.await("listed " + archive(day), () -> isListed(archive(day)));
  }

  private boolean isListed(String archive) {
    try {
      return Files.isRegularFile(list()) && Files.readAllLines(list()).contains(archive);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path list() {
    return directory.resolve("app.dyyyy-MM-ddUTC.log.gz.taken");
  }

  @Test
  void shouldGiveEachWholeArchiveOnceAlsoAcrossRestarts() {
    start(this::record);
    day("a");
    awaitGiven(archive(10) + " a");
    day("b");
    awaitGiven(archive(10), archive(11) + " first of the next day b");
    awaitListed(11);

    start(this::record);
    day("c");
    awaitGiven(archive(10), archive(11), archive(12));
  }

  @Test
  void shouldGiveWhatAnEarlierRunHasLeft() {
    start(null);
    day("a");
    day("b");
    start(this::record);
    awaitGiven(archive(10), archive(11));
  }

  @Test
  void shouldGiveAgainWhatWasNotTakenWhileOthersAreTaken() {
    start(
        archive -> {
          record(archive);
          if (given.size() < 4 && archive.endsWith(archive(10))) {
            throw new AssertionError("an Error, too");
          }
        });
    day("a");
    awaitGiven(archive(10));
    rig.await(
        "told",
        () ->
            rig.statuses().stream()
                .anyMatch(
                    status -> status.contains("did not take") && status.contains(archive(10))));
    day("b"); // both at the next turn, of which the first is refused again
    awaitGiven(archive(10), archive(10), archive(11), archive(10));
    awaitListed(10);
    rig.close();
    start(this::record);
    day("c");
    awaitGiven(archive(10), archive(10), archive(11), archive(10), archive(12));
  }

  @Test
  void shouldArchiveAndStopWhileTheListenerHangs() {
    gate.shut();
    start(
        archive -> {
          gate.pass();
          record(archive);
        });
    day("a");
    rig.await("hangs", gate::isHolding);
    day("b");
    day("c");
    assertThat(directory.resolve(archive(12))).exists();
    long start = System.nanoTime();
    rig.appender.stop();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    gate.open(); // it comes back, and finds that the list is not its own any more
    rig.await("come back", () -> given.size() == 1);
    given.clear();
    start(this::record);
    awaitGiven(archive(10), archive(11), archive(12));
  }

  @Test
  void shouldTellWhatRetentionDeletedBeforeItWasTaken() {
    start(
        archive -> {
          throw new IOException("away");
        },
        "1");
    for (String message : List.of("a", "b", "c", "d")) {
      day(message);
    }
    assertThat(directory.resolve(archive(10))).doesNotExist();
    rig.await(
        "told",
        () ->
            rig.statuses().stream()
                .anyMatch(s -> s.contains("deleted before the archive listener")));
  }

  @Test
  void shouldListWhatIsThereAlone() throws IOException {
    start(this::record, "2");
    for (String message : List.of("a", "b", "c", "d", "e")) {
      int before = given.size();
      day(message);
      rig.await("given", () -> given.size() > before); // else retention may be quicker
    }
    awaitListed(14);
    rig.close();
    assertThat(Files.readAllLines(list())).hasSizeLessThanOrEqualTo(4);
  }

  @Test
  void shouldNameAListThatCannotBeReadAndGoOnOnceItCan() throws IOException {
    Path list = list();
    Files.createDirectory(list);
    start(this::record);
    day("a");
    rig.await("told", () -> rig.statuses().toString().contains("are listed in [" + list + "]"));
    assertThat(given).isEmpty();
    Files.delete(list);
    rig.await("given", () -> given.size() == 1);
    rig.await("listed", () -> Files.isRegularFile(list));
  }
}
