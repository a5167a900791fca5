package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Gate;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files move, vanish and archivers stop while a compression stands still at some operation. */
@Timeout(120)
class InFlightTest {
  private static final int CHUNK = CompressionWorker.CHUNK_BYTES;

  @TempDir Path directory;

  private final Gate gate = new Gate();
  private final Map<String, Integer> done = new ConcurrentHashMap<>(); // operations by name

  @AfterEach
  void openGate() {
    gate.open();
  }

  /** Holds the worker before each of these operations while the gate is shut. */
  private ArchiverRig holdingAt(String held) {
    ArchiverRig rig = new ArchiverRig(directory);
    gate.shut();
    done.clear();
    rig.files.hook(
        (number, operation, file) -> {
          done.merge(operation, 1, Integer::sum);
          if (operation.equals(held)) {
            gate.pass();
          }
        });
    return rig.start();
  }

  private void awaitHeld(ArchiverRig rig) {
    rig.await("held", gate::isHolding);
  }

  @Test
  void shouldPublishToTheNameThatTheFileHasNow() {
    for (String step : new String[] {"create", "write", "sync", "copyAttributes"}) {
      try (ArchiverRig rig = holdingAt(step)) {
        byte[] content = rig.roll(1, 2 * CHUNK);
        awaitHeld(rig);
        rig.shift(1, 2);
        rig.shift(2, 3);
        byte[] next = rig.roll(2, 1_000);
        gate.open();
        rig.awaitArchived(2);
        Samples.assertHolds(rig.archive(3), content);
        Samples.assertHolds(rig.archive(2), next);
        assertThat(Samples.names(directory))
            .as("held at " + step)
            .containsExactly("app.2.log.gz", "app.3.log.gz");
        assertThat(rig.metrics().failures()).isZero();
        assertThat(done.get("create")).as("nothing was begun again").isEqualTo(2);
      }
      Samples.below(directory).forEach(file -> assertThat(file.toFile().delete()).isTrue());
    }
  }

  @Test
  void shouldGiveUpAFileThatIsDropped() throws IOException {
    for (String step : new String[] {"create", "write", "sync"}) {
      try (ArchiverRig rig = holdingAt(step)) {
        rig.roll(1, 8 * CHUNK);
        awaitHeld(rig);
        Path away = rig.archiver.discard(rig.raw(1));
        assertThat(away.getFileName().toString()).matches("app\\.1\\.log\\.\\d+\\.delete");
        gate.open();
        rig.awaitIdle();
        assertThat(Samples.names(directory)).as("held at " + step).isEmpty();
        assertThat(rig.metrics().archived()).isZero();
        assertThat(rig.metrics().failures()).isZero();
        if (!step.equals("sync")) {
          assertThat(done.getOrDefault("read", 0)).as("given up at once").isLessThan(4);
        }
      }
    }
  }

  @Test
  void shouldNotPublishAFileThatChangedMeanwhile() throws IOException {
    try (ArchiverRig rig = holdingAt("sync")) {
      byte[] content = rig.roll(1, 1_000);
      awaitHeld(rig);
      Files.write(rig.raw(1), new byte[] {'x'}, StandardOpenOption.APPEND);
      gate.open();
      rig.awaitArchived(1);
      byte[] longer = Arrays.copyOf(content, content.length + 1);
      longer[content.length] = 'x';
      Samples.assertHolds(rig.archive(1), longer);
      assertThat(rig.statuses()).as("a short one shown").noneMatch(t -> t.contains("cut short"));
    }
  }

  @Test
  void shouldTellOfAnotherProgramThatKeepsWritingToARolledFile() {
    AtomicInteger appended = new AtomicInteger();
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      Path raw = rig.raw(1);
      rig.files.hook(
          (number, operation, file) -> {
            done.merge(operation, 1, Integer::sum);
            if (operation.equals("state") && file.equals(raw) && Files.exists(raw)) {
              Files.write(raw, new byte[] {'x'}, StandardOpenOption.APPEND);
              appended.incrementAndGet();
            }
          });
      rig.start();
      byte[] content = rig.roll(1, 1_000);
      rig.await("failing", () -> rig.metrics().failing().equals(directory.toString()));
      assertThat(rig.statuses())
          .anyMatch(
              text ->
                  text.startsWith("Cannot archive [" + raw)
                      && text.contains("another program writes to [" + raw)
                      && text.contains("let no other program write to"));
      assertThat(done.get("create")).as("compressed in vain").isEqualTo(1);
      rig.files.hook((number, operation, file) -> {});
      rig.awaitArchived(1);
      byte[] longer = Arrays.copyOf(content, content.length + appended.get());
      Arrays.fill(longer, content.length, longer.length, (byte) 'x');
      Samples.assertHolds(rig.archive(1), longer);
    }
  }

  /** As gzip does, which deletes the rolled file by its name once its archive is whole. */
  @Test
  void shouldKeepAnArchiveThatAnotherProgramIsWriting() throws IOException {
    byte[] content = Samples.log(1, 30_000);
    byte[] whole = Samples.gzip(content);
    int half = whole.length / 2;
    Path raw = Files.write(directory.resolve("app.1.log"), content);
    try (OutputStream theirs = Files.newOutputStream(directory.resolve("app.1.log.gz"))) {
      theirs.write(whole, 0, half);
      try (ArchiverRig rig = holdingAt("create")) {
        awaitHeld(rig); // and has found it cut short
        theirs.write(whole, half, whole.length - half);
        Files.delete(raw);
        gate.open();
        rig.awaitIdle();
        assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
        assertThat(rig.archive(1)).hasBinaryContent(whole);
      }
    }
  }

  /** By retention, while the two that a crash has left are compared. */
  @Test
  void shouldMakeAnArchiveAgainThatIsDeletedWhileItIsCompared() throws IOException {
    byte[] content = Samples.log(1, 30_000);
    Files.write(directory.resolve("app.1.log"), content);
    Files.write(directory.resolve("app.1.log.gz"), Samples.gzip(content));
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicInteger discarded = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read") && discarded.getAndIncrement() == 0) {
              assertThat(rig.archiver.discard(rig.archive(1))).isNotNull();
            }
          });
      rig.start();
      rig.awaitArchived(1);
      assertThat(discarded.get()).isPositive();
      Samples.assertHolds(rig.archive(1), content);
      assertThat(rig.statuses()).noneMatch(status -> status.contains("Cannot archive"));
    }
  }

  /** It writes on while the archive is made again, and ends well, or is killed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotReplaceAnArchiveWhileAnotherProgramWritesIt(boolean well) throws IOException {
    byte[] content = Samples.log(1, 30_000);
    byte[] whole = Samples.gzip(content);
    int third = whole.length / 3;
    Path raw = Files.write(directory.resolve("app.1.log"), content);
    AtomicInteger made = new AtomicInteger();
    try (OutputStream theirs = Files.newOutputStream(directory.resolve("app.1.log.gz"));
        ArchiverRig rig = new ArchiverRig(directory)) {
      theirs.write(whole, 0, third);
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("sync") && made.incrementAndGet() == 1) {
              theirs.write(whole, third, third);
            } else if (operation.equals("sync") && well) {
              theirs.write(whole, 2 * third, whole.length - 2 * third);
              Files.delete(raw);
            }
          });
      rig.start();
      rig.awaitIdle();
      assertThat(made).hasValue(2);
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
      Samples.assertHolds(rig.archive(1), content);
      assertThat(rig.statuses())
          .anyMatch(text -> text.contains("another program writes to [" + rig.archive(1)));
      assertThat(rig.statuses().stream().anyMatch(text -> text.contains("was cut short")))
          .isEqualTo(!well);
    }
  }

  @Test
  void shouldNotPublishAFileThatIsWrittenAgain() {
    try (ArchiverRig rig = holdingAt("sync")) {
      byte[] content = rig.roll(1, 1_000);
      awaitHeld(rig);
      rig.policy.beingWritten = rig.raw(1); // the clock went back into its period
      gate.open();
      rig.await("part gone", () -> Samples.names(directory).size() == 1);
      assertThat(rig.raw(1)).hasBinaryContent(content);
      rig.policy.beingWritten = null;
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
    }
  }

  @Test
  void shouldNotPublishAnotherFileUnderTheSameName() throws IOException {
    try (ArchiverRig rig = holdingAt("sync")) {
      rig.roll(1, 1_000);
      awaitHeld(rig);
      byte[] other = Samples.log(55, 1_000);
      Files.delete(rig.raw(1));
      Files.write(directory.resolve("other"), other);
      Files.move(directory.resolve("other"), rig.raw(1));
      gate.open();
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), other);
    }
  }

  /** As an attacker would who may rename there: attributes are given by name. */
  @ParameterizedTest
  @ValueSource(strings = {"write", "copyAttributes", "sync"})
  void shouldLeaveAloneWhatALinkInPlaceOfThePartLeadsTo(String step) throws IOException {
    Path victim = Files.writeString(directory.resolve("victim"), "secret");
    Files.setPosixFilePermissions(victim, PosixFilePermissions.fromString("rw-------"));
    Files.setLastModifiedTime(victim, FileTime.fromMillis(1_000));
    try (ArchiverRig rig = holdingAt(step)) {
      byte[] content = rig.roll(1, 2 * CHUNK);
      awaitHeld(rig);
      Path part = part();
      Files.move(part, directory.resolve("moved"));
      Files.createSymbolicLink(part, victim);
      gate.open();
      rig.awaitArchived(1);
      assertThat(Files.getPosixFilePermissions(victim))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThat(Files.getLastModifiedTime(victim)).isEqualTo(FileTime.fromMillis(1_000));
      assertThat(victim).hasContent("secret");
      Samples.assertHolds(rig.archive(1), content);
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz", "moved", "victim");
    }
  }

  /** As a quarantine that leaves a placeholder, or a copy that is synchronized. */
  @ParameterizedTest
  @ValueSource(strings = {"write", "copyAttributes", "sync"})
  void shouldKeepTheRolledFileIfItsPartIsReplaced(String step) throws IOException {
    try (ArchiverRig rig = holdingAt(step)) {
      byte[] content = rig.roll(1, 2 * CHUNK);
      awaitHeld(rig);
      Path foreign = Files.writeString(directory.resolve("foreign"), "foreign");
      Files.move(foreign, part(), StandardCopyOption.REPLACE_EXISTING);
      gate.open();
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
      assertThat(rig.statuses()).anyMatch(t -> t.contains("was replaced, cut or removed"));
    }
  }

  /** As logrotate would with copytruncate. */
  @Test
  void shouldKeepTheRolledFileIfItsPartIsCut() throws IOException {
    try (ArchiverRig rig = holdingAt("copyAttributes")) {
      byte[] content = rig.roll(1, 2 * CHUNK);
      awaitHeld(rig);
      Files.write(part(), new byte[0], StandardOpenOption.TRUNCATE_EXISTING);
      gate.open();
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
    }
  }

  /** By a program that has opened the part, or that looks for its name and is late. */
  @Test
  void shouldKeepTheRolledFileIfItsArchiveIsCutAtOnce() throws IOException {
    try (ArchiverRig rig = holdingAt("syncDirectory")) {
      byte[] content = rig.roll(1, 2 * CHUNK);
      awaitHeld(rig);
      Files.write(rig.archive(1), new byte[10], StandardOpenOption.TRUNCATE_EXISTING);
      gate.open();
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(rig.statuses()).anyMatch(t -> t.contains("was cut short"));
    }
  }

  private Path part() {
    return Samples.below(directory).stream()
        .filter(file -> file.toString().endsWith(".part"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldKeepTheRolledFileIfItsArchiveIsTakenAwayAtOnce() throws IOException {
    try (ArchiverRig rig = holdingAt("syncDirectory")) {
      byte[] content = rig.roll(1, 1_000);
      awaitHeld(rig);
      Files.delete(rig.archive(1));
      gate.open();
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
    }
  }

  @Test
  void shouldKeepTheRolledFileIfItGrowsOnceItsArchiveHasItsName() throws IOException {
    try (ArchiverRig rig = holdingAt("syncDirectory")) {
      byte[] content = rig.roll(1, 1_000);
      awaitHeld(rig);
      Files.write(rig.raw(1), new byte[] {'x'}, StandardOpenOption.APPEND);
      gate.open();
      rig.awaitIdle();
      byte[] longer = Arrays.copyOf(content, content.length + 1);
      longer[content.length] = 'x';
      Samples.assertHolds(rig.archive(1), longer);
    }
  }

  @Test
  void shouldStopAtOnceAndArchiveAtTheNextStart() {
    byte[] content;
    try (ArchiverRig rig = holdingAt("write")) {
      content = rig.roll(1, 8 * CHUNK);
      awaitHeld(rig);
      Instant before = Instant.now();
      rig.archiver.stop();
      assertThat(Duration.between(before, Instant.now())).isLessThan(Duration.ofSeconds(5));
      assertThat(rig.hasWorkerThread()).isTrue();
      gate.open();
      rig.await("worker gone", () -> !rig.hasWorkerThread());
      assertThat(Samples.names(directory)).containsExactly("app.1.log");
      assertThat(rig.metrics().archived()).isZero();
      rig.archiver.stop(); // once more does no harm
    }
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
    }
  }

  @Test
  void shouldChangeNoNameAfterTheStop() {
    for (String step : new String[] {"sync", "syncDirectory", "list"}) {
      byte[] content;
      try (ArchiverRig rig = holdingAt(step)) {
        if (step.equals("list")) {
          awaitHeld(rig);
        }
        content = rig.roll(1, 1_000);
        awaitHeld(rig);
        rig.archiver.stop();
        List<String> rolled = new ArrayList<>(Samples.names(directory));
        gate.open();
        rig.await("worker gone", () -> !rig.hasWorkerThread());
        rolled.removeIf(name -> name.endsWith(".part"));
        assertThat(Samples.names(directory)).as("held at " + step).isEqualTo(rolled);
        assertThat(directory.resolve(rolled.get(0))).hasBinaryContent(content);
      }
      Samples.below(directory).forEach(file -> assertThat(file.toFile().delete()).isTrue());
    }
  }

  @Test
  void shouldIgnoreHintsBeforeTheStartAndAfterTheStop() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      rig.archiver.stop();
      rig.await("worker gone", () -> !rig.hasWorkerThread());
      rig.roll(1, 1_000);
      rig.archiver.follow(rig.policy.log());
      rig.archiver.grown(0, 5);
      assertThat(rig.hasWorkerThread()).isFalse();
      assertThat(rig.metrics().backlogFiles()).isZero();
    }
  }
}
