package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.DefaultTimeBasedFileNamingAndTriggeringPolicy;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.InMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a start makes of the files that it finds, and what a stop leaves. */
@Timeout(60)
class FoundFilesTest {
  private static final String CONTENT = "line of a log\n".repeat(50_000);

  @TempDir(factory = InMemory.class)
  Path directory;

  private OnDemand trigger;
  private RollingRig rig;

  @AfterEach
  void stop() {
    GatedFormat.reset();
    rig.close();
  }

  private FixedWindowRollingPolicy start(String suffix) {
    trigger = new OnDemand();
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(directory.resolve("app.%i.log" + suffix).toString());
    rig = new RollingRig(Host.STOCK, directory.resolve("app.log")).with(policy, trigger).start();
    return policy;
  }

  private static byte[] gzip(String content) throws IOException {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(archive)) {
      out.write(content.getBytes(StandardCharsets.ISO_8859_1));
    }
    return archive.toByteArray();
  }

  private Map<String, String> archives() {
    rig.awaitArchived();
    Map<String, String> tree = Tree.of(directory);
    tree.remove("app.log");
    return tree;
  }

  @Test
  void shouldDeleteARawFileWhoseArchiveHoldsIt() throws IOException {
    Files.writeString(directory.resolve("app.1.log"), CONTENT);
    Files.write(directory.resolve("app.1.log.gz"), gzip(CONTENT));
    Files.writeString(directory.resolve("app.2.log"), CONTENT.substring(0, 9_000)); // power cut
    Files.write(directory.resolve("app.2.log.gz"), gzip(CONTENT));
    ArchiveMetrics metrics = start(".gz").getArchiveMetrics();
    assertThat(archives()).isEqualTo(Map.of("app.1.log.gz", CONTENT, "app.2.log.gz", CONTENT));
    assertThat(metrics.failures()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 12, 100, -1})
  void shouldMakeAnArchiveAgainThatWasCut(int length) throws IOException {
    byte[] whole = gzip(CONTENT);
    Files.writeString(directory.resolve("app.1.log"), CONTENT);
    Files.write(
        directory.resolve("app.1.log.gz"),
        Arrays.copyOf(whole, length < 0 ? whole.length - 1 : length));
    start(".gz");
    assertThat(archives()).isEqualTo(Map.of("app.1.log.gz", CONTENT));
  }

  @Test
  void shouldKeepBothIfTheArchiveIsOfAnotherFile() throws IOException {
    Files.writeString(directory.resolve("app.1.log"), CONTENT);
    Files.write(directory.resolve("app.1.log.gz"), gzip("of another file\n"));
    Files.writeString(directory.resolve("app.1.log.gz.part"), "unfinished");
    start(".gz");
    assertThat(archives())
        .isEqualTo(Map.of("app.1.log.gz", "of another file\n", "app.1.log.1.gz", CONTENT));
  }

  @Test
  void shouldGiveAnArchiveTimeAndModeOfItsFile() throws IOException {
    Path raw = Files.writeString(directory.resolve("app.1.log"), CONTENT);
    Files.setPosixFilePermissions(raw, PosixFilePermissions.fromString("rw-r-----"));
    Object time = Files.getLastModifiedTime(raw);
    start(".gz");
    archives();
    Path archive = directory.resolve("app.1.log.gz");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(archive)))
        .isEqualTo("rw-r-----");
    assertThat(Files.getLastModifiedTime(archive)).isEqualTo(time);
  }

  @Test
  void shouldStopAtOnceOnADaemonThreadAndFinishLater() throws Exception {
    GatedFormat.GATE.shut();
    start(GatedFormat.SUFFIX);
    rig.log("one");
    trigger.roll();
    rig.log("two");
    rig.await("held", GatedFormat.GATE::isHolding);
    Thread daemon = new Thread(rig.appender::stop);
    daemon.setDaemon(true);
    daemon.start();
    daemon.join(10_000);
    assertThat(daemon.isAlive()).isFalse();
    GatedFormat.reset();
    assertThat(rig.statuses()).anyMatch(s -> s.contains("1 rolled files wait for the next start"));
    start(GatedFormat.SUFFIX);
    assertThat(archives()).isEqualTo(Map.of("app.1.log" + GatedFormat.SUFFIX, "one\n"));
  }

  @Test
  void shouldCompressOthersWhileOneFails() throws IOException {
    FixedWindowRollingPolicy policy = start(".gz");
    rig.log("one");
    rig.awaitArchived();
    Files.createDirectory(directory.resolve("app.1.log.gz.part"));
    Path inside = Files.createFile(directory.resolve("app.1.log.gz.part/x"));
    trigger.roll();
    rig.log("two");
    rig.await("failed twice", () -> policy.getArchiveMetrics().failures() > 1);
    assertThat(policy.getArchiveMetrics().failing()).isEqualTo(directory.toString());
    assertThat(rig.errors()).isEmpty();
    Files.delete(inside);
    rig.await("archived", () -> policy.getArchiveMetrics().backlogFiles() == 0);
    assertThat(policy.getArchiveMetrics().failing()).isEmpty();
    assertThat(archives()).isEqualTo(Map.of("app.1.log.gz", "one\n"));
  }

  /** Without an index: the archive of the period that has come again keeps its name. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNumberANameThatIsTaken(boolean withFile) {
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.setFileNamePattern(directory + "/app.%d{yyyy-MM-dd, UTC}.log.gz");
    var clock = new DefaultTimeBasedFileNamingAndTriggeringPolicy<ILoggingEvent>();
    policy.setTimeBasedFileNamingAndTriggeringPolicy(clock);
    long day = Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
    clock.setCurrentTime(day);
    rig = new RollingRig(Host.STOCK, withFile ? directory.resolve("app.log") : null);
    rig.with(policy, policy).start();
    rig.log("a");
    rig.appender.rollover(); // by hand, in the same period
    rig.log("b");
    rig.awaitArchived();
    clock.setCurrentTime(day + 86_400_000);
    rig.log("c");
    rig.awaitArchived();
    Map<String, String> tree = Tree.of(directory);
    assertThat(tree.values()).containsExactlyInAnyOrder("a\n", "b\n", "c\n");
    assertThat(tree).containsKeys("app.2026-05-10.log.gz", "app.2026-05-10.log.1.gz");
  }
}
