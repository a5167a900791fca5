package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.spi.LifeCycle;
import io.spillway.archive.ArchiveListener;
import io.spillway.internal.compress.RolledName;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.metrics.ArchiveMetrics.Handed;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Compressor;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.Gate;
import io.spillway.testkit.Hostile;
import io.spillway.testkit.Shell;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole archives are given to a listener, which may do anything. */
@Timeout(120)
class ArchiveListenerTest {
  private static final long DAY = Duration.ofDays(1).toMillis();
  private static final String DATE = "%d{yyyy-MM-dd, UTC}";
  private static final String LIST = "app.log.taken";

  @TempDir Path directory;
  private long now = Instant.parse("2026-05-10T12:00:00Z").toEpochMilli();
  private final List<String> given = new CopyOnWriteArrayList<>();
  private final Gate gate = new Gate();
  private Disk disks = new Disk();
  private LongSupplier nanoClock = System::nanoTime;
  private boolean cleanAtStart;
  private RollingRig rig;
  private TimeBasedRollingPolicy<ILoggingEvent> policy;

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
    start(listener, maxHistory, "app." + DATE + ".log.gz", "app.log");
  }

  private void start(ArchiveListener listener, String maxHistory, String pattern, String file) {
    if (rig != null) {
      rig.close();
    }
    rig = rig(listener, maxHistory, pattern, file);
  }

  private RollingRig rig(ArchiveListener listener, String maxHistory, String pattern, String file) {
    policy = new TimeBasedRollingPolicy<>();
    policy.clock = () -> now;
    policy.nanoClock = nanoClock;
    policy.files = disks;
    policy.setFileNamePattern(directory.resolve(pattern).toString());
    policy.setMaxHistory(maxHistory);
    policy.setCleanHistoryOnStart(cleanAtStart);
    policy.setArchiveListener(listener);
    Path log = file == null ? null : directory.resolve(file);
    return new RollingRig(Host.STOCK, log).with(policy, policy).start();
  }

  private Handed handed() {
    return policy.getArchiveMetrics().handed();
  }

  /** Each archive is taken, owed or deleted. */
  private void assertFigures(long taken, long owed, long deleted) {
    rig.await("taken", () -> isTaken(taken));
    Handed handed = handed();
    assertThat(handed)
        .isEqualTo(new Handed(taken, owed, handed.refusals(), deleted, handed.failing()));
  }

  /** Before a stop: what the listener has just returned from may be given again after it. */
  private void awaitListed(String... entries) {
    List<String> lines = new ArrayList<>(List.of("spillway archives 1"));
    lines.addAll(List.of(entries));
    rig.await("listed " + lines, () -> lines(LIST).equals(lines));
  }

  private void awaitTold(String... parts) {
    rig.await(
        "told " + List.of(parts),
        () ->
            rig.statuses().stream()
                .anyMatch(status -> List.of(parts).stream().allMatch(status::contains)));
  }

  /** A power cut would leave no list, or an empty one; only the list has what is owed. */
  @Test
  void shouldForceTheListAndItsName() throws Exception {
    FaultyDisk files = new FaultyDisk();
    disks = files;
    start(this::record);
    day("taken");
    rig.await("taken", () -> isTaken(1));
    rig.close();
    rig = null;
    assertThat(lines(LIST)).hasSizeGreaterThan(1);
    assertThat(files.unforced()).noneMatch(path -> path.getFileName().toString().startsWith(LIST));
  }

  /** Ends a day with this in its file. */
  private void day(String message) {
    rig.log(message);
    now += DAY;
    rig.log("first of the next day");
    rig.awaitArchived();
  }

  private void days(String... messages) {
    for (String message : messages) {
      day(message);
    }
  }

  private void record(Path archive) throws IOException {
    try (InputStream in = new GZIPInputStream(Files.newInputStream(archive))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      given.add(archive.getFileName() + " " + text.strip().replaceAll("\\s+", " "));
    }
  }

  private void name(Path archive) {
    given.add(archive.getFileName().toString());
  }

  private void refuse(Path archive) throws IOException {
    throw new IOException("away");
  }

  private static String archive(int day) {
    return "app.2026-05-" + day + ".log.gz";
  }

  private void awaitHanging() {
    rig.await("hangs", gate::isHolding);
  }

  private void awaitGiven(String... beginnings) {
    rig.await("given " + List.of(beginnings), () -> given.size() >= beginnings.length);
    assertThat(given).hasSameSizeAs(beginnings);
    for (int i = 0; i < beginnings.length; i++) {
      assertThat(given.get(i)).startsWith(beginnings[i]);
    }
  }

  @Test
  void shouldGiveEachWholeArchiveOnceAlsoAcrossRestarts() {
    start(this::record);
    day("a");
    awaitGiven(archive(10) + " a");
    day("b");
    awaitGiven(archive(10), archive(11) + " first of the next day b");
    awaitListed("taken " + archive(10), "taken " + archive(11));

    start(this::record);
    day("c");
    awaitGiven(archive(10), archive(11), archive(12));
  }

  /** As after a kill between the renames of the active file, and an archive that was uploaded. */
  @Test
  void shouldGiveAnArchiveThatGetsTheNameOfOneThatWasTakenAndIsGone() throws IOException {
    String pattern = "app." + DATE + ".log";
    String name = "app.2026-05-10.log";
    start(this::name, "0", pattern, "app.log");
    Instant day = Instant.ofEpochMilli(now);
    day("a");
    awaitGiven(name);
    awaitListed("taken " + name);
    rig.close();
    rig = null;
    Files.delete(directory.resolve(name));
    Path log = directory.resolve("app.log");
    Files.writeString(RolledName.of(log, day, 1).path(), "again\n");

    start(this::name, "0", pattern, "app.log");
    rig.awaitArchived();
    assertThat(directory.resolve(name)).hasContent("again");
    awaitGiven(name, name);
  }

  @Test
  void shouldGiveWhatAnEarlierRunHasLeft() {
    start(null);
    days("a", "b");
    start(this::record);
    awaitGiven(archive(10), archive(11));
  }

  /** Each time the list is written, it is forced to the disk twice, and names them all. */
  @Test
  void shouldNotWriteTheListForEachOfManyArchives() throws IOException {
    int many = 500;
    LocalDate first = LocalDate.parse("2024-01-01");
    for (int i = 0; i < many; i++) {
      Files.writeString(directory.resolve("app." + first.plusDays(i) + ".log.gz"), "x");
    }
    AtomicInteger lists = new AtomicInteger();
    disks =
        new Disk() {
          @Override
          public void replace(Path from, Path to) throws IOException {
            lists.addAndGet(to.endsWith(LIST) ? 1 : 0);
            super.replace(from, to);
          }
        };
    start(archive -> {});
    assertFigures(many, 0, 0);
    rig.await("listed", () -> lines(LIST).size() == many + 1);
    assertThat(lists).hasValueLessThan(many / 2);
  }

  /** The list is behind then: see above. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldListAtAStopWhatWasTakenOfMany(boolean hanging) throws IOException {
    int many = 200;
    LocalDate first = LocalDate.parse("2024-01-01");
    for (int i = 0; i < many; i++) {
      Files.writeString(directory.resolve("app." + first.plusDays(i) + ".log.gz"), "x");
    }
    gate.shut();
    gate.letThrough(50);
    start(
        archive -> {
          gate.pass();
          name(archive);
        });
    awaitHanging();
    assertThat(given).hasSize(50);
    TimeBasedRollingPolicy<ILoggingEvent> stopping = policy;
    if (!hanging) {
      Thread opener =
          new Thread(
              () -> {
                while (stopping.isStarted()) {
                  Thread.onSpinWait();
                }
                gate.open();
              });
      opener.start();
    }
    rig.close();
    rig = null;
    gate.open();
    await().until(() -> feeding() == 0);
    start(this::name);
    rig.await("all", () -> new HashSet<>(given).size() == many && handed().owed() == 0);
    assertThat(given).hasSizeLessThanOrEqualTo(many + 1);
  }

  @Test
  void shouldStopThoughTheListCannotBeWrittenForever() {
    gate.shut();
    FaultyDisk disk = new FaultyDisk();
    disks = disk;
    start(this::name);
    day("a");
    awaitListed("taken " + archive(10));
    disk.hook(
        (number, operation, path) -> {
          if (path.endsWith(LIST + ".new")) {
            gate.pass();
          }
        });
    rig.log("b");
    now += DAY;
    rig.log("first of the next day");
    awaitHanging();
    rig.appender.stop();
    assertThat(policy.isStarted()).isFalse();
    gate.open();
  }

  @Test
  void shouldGiveAgainWhatWasNotTakenWhileOthersAreTaken() {
    start(
        archive -> {
          record(archive);
          if (given.size() < 3 && archive.endsWith(archive(10))) {
            throw new AssertionError("an Error, too");
          }
        });
    day("a");
    rig.await("tried", () -> !given.isEmpty());
    awaitTold("did not take", archive(10));
    day("b");
    rig.await("both", () -> isTaken(2));
    assertThat(given).anyMatch(each -> each.startsWith(archive(11)));
    assertThat(handed().refusals()).isPositive();
    assertFigures(2, 0, 0);
    awaitListed("taken " + archive(10), "taken " + archive(11));
    given.clear();
    start(this::record);
    day("c");
    awaitGiven(archive(12));
  }

  @Test
  void shouldGiveNewOnesWhileOldOnesAreRefused() {
    start(
        archive -> {
          if (!archive.endsWith(archive(14))) {
            throw new IOException("damaged");
          }
          record(archive);
        });
    days("a", "b", "c", "d", "e");
    awaitGiven(archive(14));
    assertFigures(1, 4, 0);
  }

  /** Else many that are refused, each after a while, would always come before a new one. */
  @Test
  void shouldGiveNewOnesBeforeThoseThatWereRefused() {
    AtomicLong nanos = new AtomicLong();
    nanoClock = nanos::get;
    start(
        archive -> {
          name(archive);
          if (given.size() == 1) {
            throw new IOException("away");
          }
          gate.pass();
        });
    day("a");
    awaitTold("did not take", archive(10));
    gate.shut();
    day("b");
    awaitHanging();
    day("c");
    rig.await("all owed", () -> handed().owed() == 3);
    nanos.set(Duration.ofSeconds(2).toNanos()); // 10 is due again
    gate.open();
    awaitGiven(archive(10), archive(11), archive(12), archive(10));
  }

  @Test
  void shouldLookAgainIfItCouldNot() {
    start(null);
    day("a");
    FaultyDisk disk = new FaultyDisk();
    disks =
        disk.hook(
            (number, operation, path) -> {
              if (path.endsWith(LIST)) {
                throw new IOException("away");
              }
            });
    start(this::record);
    awaitTold("cannot be looked for", "away");
    disk.hook((number, operation, path) -> {});
    awaitGiven(archive(10));
  }

  @Test
  void shouldGiveWhatIsSeenThoughOneDirectoryCannotBeListed() throws IOException {
    Files.createDirectory(directory.resolve("2026-04"));
    disks =
        new FaultyDisk()
            .hook(
                (number, operation, path) -> {
                  if (operation.equals("list") && path.endsWith("2026-04")) {
                    throw new IOException("away");
                  }
                });
    start(this::record, "0", "%d{yyyy-MM, aux, UTC}/app." + DATE + ".log.gz", "app.log");
    day("a");
    awaitGiven(archive(10));
    awaitTold("cannot be looked for", "away");
  }

  @Test
  void shouldNotTakeADiskThatDoesNotAnswerForARefusal() {
    FaultyDisk disk = new FaultyDisk();
    disks = disk;
    gate.shut();
    start(
        archive -> {
          gate.pass();
          record(archive);
        });
    days("a", "b");
    awaitHanging();
    disk.hook(
        (number, operation, path) -> {
          if (path.endsWith(archive(11))) {
            throw new IOException("away");
          }
        });
    gate.open();
    awaitTold("Cannot look at", archive(11));
    disk.hook((number, operation, path) -> {});
    rig.await("both", () -> isTaken(2));
    assertThat(handed().refusals()).isZero();
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
    awaitHanging();
    days("b", "c");
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
  void shouldArchiveWhileWhatTheListenerThrowsHangs() {
    gate.shut();
    start(
        archive -> {
          throw new Hostile(gate);
        });
    day("a");
    awaitHanging();
    day("b");
    assertThat(directory.resolve(archive(11))).exists();
    gate.open();
    awaitTold("did not take", archive(10), Hostile.class.getName());
    rig.await("both", () -> handed().refusals() >= 2);
    assertFigures(0, 2, 0);
  }

  @Test
  void shouldTellWhatRetentionDeletesUntaken() {
    start(this::refuse, "1");
    days("a", "b", "c", "d");
    assertThat(directory.resolve(archive(10))).doesNotExist();
    awaitTold("deleted before the archive listener");
    assertFigures(0, 1, 3);
  }

  /** One that is deleted in the listener's hands counts as deleted, whatever it makes of it. */
  @Test
  void shouldTellWhatRetentionDeletesWhileTheListenerHangs() {
    gate.shut();
    start(
        archive -> {
          gate.pass();
          name(archive);
        },
        "1");
    day("a");
    awaitHanging();
    days("b", "c", "d");
    awaitTold("deleted before the archive listener");
    assertFigures(0, 1, 3);
    gate.open();
    awaitGiven(archive(10), archive(13));
    assertFigures(1, 0, 3);
  }

  /** The listener's thread sees that it is gone before retention has told so. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldCountOnceWhatRetentionDeletesInTheListenersHands(boolean takes) {
    AtomicBoolean left = new AtomicBoolean();
    gate.shut();
    disks =
        new Disk() {
          @Override
          public void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (from.endsWith(archive(10)) && to.toString().endsWith(".delete")) {
              gate.open();
              rig.await(
                  "counted, or waits",
                  () -> left.get() && (handed().taken() + handed().deleted() > 0 || isFeedHeld()));
            }
          }
        };
    start(
        archive -> {
          gate.pass();
          left.set(true);
          if (!takes) {
            throw new IOException("away");
          }
        },
        "1");
    day("a");
    awaitHanging();
    day("b");
    awaitTold("deleted before the archive listener");
    assertFigures(takes ? 1 : 0, takes ? 0 : 1, 1);
  }

  /** At the lock; else it waits for a limited time. */
  private static boolean isFeedHeld() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> isFeeding(thread) && thread.getState() == Thread.State.WAITING);
  }

  @Test
  void shouldNotGiveAnArchiveWhoseRolledFileIsStillThere() throws IOException {
    byte[] whole = gzip("a".repeat(1000));
    Files.write(directory.resolve(archive(10)), Arrays.copyOf(whole, whole.length / 2));
    Files.writeString(directory.resolve("app.2026-05-10.log"), "a".repeat(1000));
    gate.shut();
    FaultyDisk disk = new FaultyDisk();
    disks =
        disk.hook(
            (number, operation, path) -> {
              if (path.toString().endsWith(".part")) {
                gate.pass();
              }
            });
    start(this::record);
    rig.await("compresses", gate::isHolding); // which it does after a look
    assertThat(handed()).isEqualTo(Handed.NOTHING);
    gate.open();
    awaitGiven(archive(10) + " aaa");
    assertFigures(1, 0, 0);
  }

  /** Where the rolled file cannot get its name back yet. */
  @Test
  void shouldNotGiveAnArchiveThatLogbackWasMaking() throws IOException {
    byte[] whole = gzip("a".repeat(1000));
    Files.writeString(directory.resolve("app.2026-05-10.log1234567890.tmp"), "a".repeat(1000));
    Files.write(directory.resolve(archive(10)), Arrays.copyOf(whole, whole.length / 2));
    disks =
        new FaultyDisk()
            .hook(
                (number, operation, path) -> {
                  if (operation.equals("rename") && path.toString().endsWith(".tmp")) {
                    throw new IOException("away");
                  }
                });
    start(this::record);
    awaitTold("Cannot look through the directory of archives", "away"); // which is after a look
    assertThat(handed()).isEqualTo(Handed.NOTHING);
    disks = new Disk();
    start(this::record);
    awaitGiven(archive(10) + " " + "a".repeat(1000));
    assertFigures(1, 0, 0);
  }

  /** As one that is brought back, by a program that writes it under its name. */
  @Test
  void shouldNotGiveAnArchiveThatIsBeingCopied() throws IOException {
    nanoClock = () -> Duration.ofMillis(now).toNanos();
    start(this::record);
    rig.awaitArchived(); // and has looked
    byte[] whole = gzip("copied");
    Path copy = directory.resolve(archive(20));
    try (OutputStream out = Files.newOutputStream(copy)) {
      out.write(whole, 0, whole.length / 2);
      Files.setLastModifiedTime(copy, FileTime.fromMillis(now + DAY));
      day("a");
      awaitGiven(archive(10));
      awaitListed("taken " + archive(10), "owed " + archive(20));
      out.write(whole, whole.length / 2, whole.length - whole.length / 2);
    }
    Files.setLastModifiedTime(copy, FileTime.fromMillis(now));
    now += Duration.ofSeconds(10).toMillis();
    awaitGiven(archive(10), archive(20) + " copied");
    assertThat(handed().refusals()).isZero();
  }

  /** The listener has had that one, and freed its name. */
  @Test
  void shouldNotGiveACopyThatIsBeingMadeWhereAnArchiveMadeHereWas() throws IOException {
    nanoClock = () -> Duration.ofMillis(now).toNanos();
    start(
        archive -> {
          record(archive);
          Files.delete(archive);
        });
    day("a");
    awaitGiven(archive(10));
    awaitListed();
    byte[] whole = gzip("copied");
    Path copy = directory.resolve(archive(10));
    Files.write(copy, Arrays.copyOf(whole, whole.length / 2));
    Files.setLastModifiedTime(copy, FileTime.fromMillis(now + DAY));
    day("b");
    awaitGiven(archive(10), archive(11));
    awaitListed("owed " + archive(10));
    Files.write(copy, whole);
    Files.setLastModifiedTime(copy, FileTime.fromMillis(now));
    now += Duration.ofSeconds(10).toMillis();
    awaitGiven(archive(10), archive(11), archive(10) + " copied");
    assertThat(handed().refusals()).isZero();
  }

  /** It is as young as one that is being copied; without compression it is the rolled file. */
  @ParameterizedTest
  @CsvSource({".log.gz, app.log", ".log.gz,", ".log, app.log", ".log,"})
  void shouldGiveAtOnceWhatIsMadeHere(String suffix, String file) {
    now = System.currentTimeMillis() - DAY;
    start(this::name, "0", "app." + DATE + suffix, file);
    day("a"); // from now on the clock stands still
    rig.await("taken", () -> isTaken(1));
  }

  /** That it was not given yet is no failure of the listener. */
  @Test
  void shouldPauseForASecondAfterTheFirstRefusalOfWhatWasBeingCopied() throws IOException {
    AtomicLong nanos = new AtomicLong();
    AtomicInteger looks = new AtomicInteger(); // of the listener's thread, at the copy
    nanoClock = nanos::get;
    Path copy = directory.resolve(archive(20));
    disks =
        new Disk() {
          @Override
          public State state(Path path) throws IOException {
            if (path.equals(copy) && isFeeding(Thread.currentThread())) {
              looks.incrementAndGet();
            }
            return super.state(path);
          }
        };
    Files.write(copy, gzip("copied"));
    Files.setLastModifiedTime(copy, FileTime.fromMillis(now));
    start(this::refuse);
    long little = Duration.ofMillis(10).toNanos(); // too little for the test to miss a pause
    rig.await("looked at", () -> nanos.addAndGet(little) > 0 && looks.get() > 3);
    now += Duration.ofSeconds(10).toMillis();
    rig.await("refused", () -> nanos.addAndGet(little) > 0 && handed().refusals() > 0);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    rig.await("refused again", () -> handed().refusals() > 1);
  }

  /** The listener's thread looks, too, after a look that failed: perhaps just after the rename. */
  @Test
  void shouldGiveAtOnceWhatIsSeenBeforeItIsPublished() {
    AtomicLong nanos = new AtomicLong();
    AtomicBoolean away = new AtomicBoolean(true);
    AtomicInteger looks = new AtomicInteger(); // of the listener's thread, at the archive
    nanoClock = nanos::get;
    now = System.currentTimeMillis() - DAY;
    String day = Instant.ofEpochMilli(now).toString().substring(0, "2026-05-10".length());
    Path archive = directory.resolve("app." + day + ".log");
    disks =
        new Disk() {
          @Override
          public State state(Path path) throws IOException {
            if (away.get() && path.endsWith(LIST)) {
              throw new IOException("away");
            }
            if (path.equals(archive) && isFeeding(Thread.currentThread())) {
              looks.incrementAndGet();
            }
            return super.state(path);
          }

          @Override
          public void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (to.equals(archive)) {
              away.set(false);
              nanos.addAndGet(Duration.ofSeconds(10).toNanos()); // stands still from now on
              rig.await("seen, and tried", () -> looks.get() > 1);
            }
          }
        };
    start(this::name, "0", "app." + DATE + ".log", "app.log");
    awaitTold("cannot be looked for", "away");
    day("a");
    rig.await("taken", () -> isTaken(1));
  }

  @Test
  void shouldNotGiveWhatIsWritten() {
    String pattern = "app." + DATE + ".log"; // what is written has an archive's name
    start(this::name, "0", pattern, null);
    day("a");
    assertFigures(1, 0, 0);
    day("b");
    assertFigures(2, 0, 0);
    awaitGiven("app.2026-05-10.log", "app.2026-05-11.log");
  }

  /** Or what is written to it from then on would never be given. */
  @Test
  void shouldNotGiveAnOwedArchiveThatAClockStepHasMadeTheActiveFile() {
    AtomicLong nanos = new AtomicLong();
    AtomicBoolean away = new AtomicBoolean(true);
    nanoClock = nanos::get; // no refusal is tried again
    start(archive -> whole(archive, away), "0", "app." + DATE + ".log", null);
    days("a", "b");
    rig.await("both refused", () -> handed().refusals() == 2);
    now -= 2 * DAY;
    rig.log("again");
    rig.awaitArchived();
    rig.await("the third refused", () -> handed().refusals() == 3);
    away.set(false);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    awaitTheActiveFileGivenLast();
  }

  /** It is not deleted, though the list says that it is owed. */
  @Test
  void shouldNotCountAsDeletedWhatIsTheActiveFileAgainAfterARestart() throws IOException {
    String pattern = "app." + DATE + ".log";
    start(this::refuse, "0", pattern, null);
    day("a");
    rig.await("refused", () -> handed().refusals() > 0);
    now -= DAY;
    start(this::name, "0", pattern, null);
    rig.log("again");
    rig.awaitArchived();
    now += 2 * DAY;
    rig.log("next");
    awaitGiven("app.2026-05-11.log", "app.2026-05-10.log");
    assertFigures(2, 0, 0);
  }

  /** The listener's thread is about to give it. */
  @Test
  void shouldNotGiveAnOwedArchiveThatAClockStepHasJustMadeTheActiveFile() {
    AtomicLong nanos = new AtomicLong();
    AtomicBoolean away = new AtomicBoolean(true);
    AtomicBoolean stepped = new AtomicBoolean();
    nanoClock = nanos::get;
    disks =
        new Disk() {
          @Override
          public State state(Path path) throws IOException {
            State state = super.state(path);
            if (!away.get()
                && path.endsWith("app.2026-05-10.log")
                && isFeeding(Thread.currentThread())
                && stepped.compareAndSet(false, true)) {
              now -= 2 * DAY;
              rig.log("again");
            }
            return state;
          }
        };
    start(archive -> whole(archive, away), "0", "app." + DATE + ".log", null);
    days("a", "b");
    rig.await("both refused", () -> handed().refusals() == 2);
    away.set(false);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    awaitTheActiveFileGivenLast();
  }

  /** The compressor looks when the next file is written already. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldGiveAgainWhatIsWrittenOnBetweenTwoLooks(boolean inHand) {
    AtomicBoolean held = new AtomicBoolean();
    Gate hand = new Gate();
    disks =
        new Disk() {
          @Override
          public DirectoryStream<Path> list(Path listed) throws IOException {
            if (held.get() && Compressor.isCurrent()) {
              gate.pass();
            }
            return super.list(listed);
          }
        };
    if (inHand) {
      hand.shut();
    }
    start(
        archive -> {
          whole(archive, new AtomicBoolean());
          hand.pass();
        },
        "0",
        "app." + DATE + ".log",
        null);
    day("a");
    rig.await("in hand, or taken", () -> inHand ? hand.isHolding() : isTaken(1));
    gate.shut();
    held.set(true);
    rig.log("b");
    now += DAY;
    rig.log("holds the compressor");
    rig.await("held", gate::isHolding);
    now -= 2 * DAY;
    rig.log("again");
    now += 3 * DAY;
    rig.log("next");
    gate.open();
    rig.awaitArchived();
    hand.open();
    rig.await("given", () -> given.contains("app.2026-05-10.log a again "));
    assertFigures(4, 0, 0);
  }

  /** The other two at once, and that one whole, once it is rolled over. */
  private void awaitTheActiveFileGivenLast() {
    rig.await("all that are whole", () -> isTaken(2));
    assertThat(given).noneMatch(archive -> archive.startsWith("app.2026-05-10.log"));
    now += 3 * DAY;
    rig.log("next");
    rig.await("given", () -> given.contains("app.2026-05-10.log a again "));
    assertFigures(3, 0, 0);
  }

  private void whole(Path archive, AtomicBoolean away) throws IOException {
    if (away.get()) {
      throw new IOException("away");
    }
    given.add(archive.getFileName() + " " + Files.readString(archive).replaceAll("\\s+", " "));
  }

  /** An earlier version has it under that name. */
  @Test
  void shouldFindTheListOfAPatternWithoutFile() {
    String pattern = "application-with-a-long-name." + DATE + ".log.gz";
    start(this::name, "0", pattern, null);
    day("a");
    String path = directory.resolve(pattern).toString();
    byte[] stem =
        path.substring(0, path.length() - ".gz".length()).getBytes(StandardCharsets.UTF_8);
    CRC32 crc = new CRC32();
    CRC32C crc32c = new CRC32C();
    crc.update(stem, 0, stem.length);
    crc32c.update(stem, 0, stem.length);
    String digest = String.format("%08x%08x", crc.getValue(), crc32c.getValue());
    Path list = directory.resolve("application-with-a-long-name.dyyyy-MM-dd-" + digest + ".taken");
    rig.await("list " + list, () -> Files.exists(list));
  }

  @Test
  void shouldNotCountWhatWasTakenAndIsCleanedAtTheStart() {
    start(this::record);
    day("a");
    awaitListed("taken " + archive(10));
    now += 10 * DAY;
    cleanAtStart = true;
    start(this::record, "1");
    rig.await("cleaned", () -> !Files.exists(directory.resolve(archive(10))));
    rig.awaitArchived();
    assertThat(handed().deleted()).isZero();
  }

  @Test
  void shouldGiveNothingAnyMoreOnceTheSamePolicyHasBegunAnew() {
    gate.shut();
    start(
        archive -> {
          name(archive);
          if (given.size() == 1) {
            gate.pass();
          }
        });
    day("a");
    awaitHanging();
    day("b");
    policy.stop();
    policy.start();
    rig.await("both", () -> isTaken(2));
    gate.open();
    rig.await("ended", () -> feeding() == 0);
    assertThat(given).containsExactly(archive(10), archive(10), archive(11));
  }

  private static long feeding() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(ArchiveListenerTest::isFeeding)
        .count();
  }

  private static boolean isFeeding(Thread thread) {
    return thread.getName().equals("spillway-archive-listener");
  }

  @Test
  void shouldNotGiveWhatIsGone() throws IOException {
    start(null);
    days("a", "b", "c");
    gate.shut();
    start(
        archive -> {
          gate.pass();
          name(archive);
        });
    awaitHanging();
    Files.delete(directory.resolve(archive(11)));
    gate.open();
    awaitGiven(archive(10), archive(12));
    assertFigures(2, 0, 1);
  }

  @Test
  void shouldGiveAnotherArchiveOfANameThatTheListenerHasDeleted() throws IOException {
    start(
        archive -> {
          record(archive);
          Files.delete(archive);
        });
    day("a");
    awaitGiven(archive(10));
    awaitListed();
    Path moved = directory.resolve("moved");
    Files.write(moved, gzip("again"));
    Files.move(moved, directory.resolve(archive(10)));
    day("b");
    rig.await("again", () -> isTaken(3));
    assertThat(given).contains(archive(10) + " again");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotGiveAgainWhatTheListenerHasChanged(boolean replaced) {
    start(
        archive -> {
          record(archive);
          if (replaced) {
            Path other = Files.write(directory.resolve("other"), gzip("encrypted"));
            Files.move(other, archive, StandardCopyOption.REPLACE_EXISTING);
          } else {
            Files.setLastModifiedTime(archive, FileTime.fromMillis(0));
          }
        });
    day("a");
    awaitListed("taken " + archive(10));
    day("b");
    awaitListed("taken " + archive(10), "taken " + archive(11));
    awaitGiven(archive(10), archive(11));
  }

  @Test
  void shouldGiveWhatGetsANameThatTheListenerHasFreedAndNotReturnedFrom() {
    gate.shut();
    start(
        archive -> {
          record(archive);
          if (given.size() == 1) {
            Files.delete(archive);
            gate.pass();
          }
        });
    rig.log("a");
    rig.appender.rollover();
    awaitHanging();
    rig.log("b");
    rig.appender.rollover();
    rig.awaitArchived();
    gate.open();
    rig.await("both", () -> isTaken(2));
    assertThat(given).hasSize(2).element(1).asString().endsWith(" b");
    assertFigures(2, 0, 0);
  }

  @Test
  void shouldCountWhatSomebodyDeletesUntaken() throws IOException {
    start(this::refuse);
    day("a");
    awaitTold("did not take", archive(10));
    Files.delete(directory.resolve(archive(10)));
    day("b");
    rig.await("counted", () -> handed().deleted() == 1);
    awaitListed("owed " + archive(11));
    assertFigures(0, 1, 1);
  }

  /** What is of an earlier pattern is in no listing, and a disk may be away for a while. */
  @Test
  void shouldForgetNothingThatCannotBeLookedAt() {
    gate.shut();
    start(
        archive -> {
          if (archive.endsWith(archive(11))) {
            throw new IOException("away");
          }
        });
    days("a", "b");
    awaitListed("taken " + archive(10), "owed " + archive(11));
    FaultyDisk disk = new FaultyDisk();
    disks = disk;
    start(
        archive -> {
          gate.pass();
          record(archive);
        },
        "0",
        "next." + DATE + ".log.gz",
        "app.log");
    awaitHanging();
    disk.hook(
        (number, operation, path) -> {
          if (path.toString().contains("app.2026")) {
            throw new IOException("away");
          }
        });
    day("c");
    awaitTold("cannot be looked for", "away");
    disk.hook((number, operation, path) -> {});
    gate.open();
    rig.await("both", () -> isTaken(2));
    awaitListed("taken " + archive(10), "taken " + archive(11), "taken next.2026-05-12.log.gz");
    assertFigures(2, 0, 0);
  }

  /** As of the directory of an earlier pattern. */
  @Test
  void shouldGiveOthersThoughOneThatIsOwedCannotBeLookedAt() {
    start(
        archive -> {
          if (archive.endsWith(archive(11))) {
            throw new IOException("away");
          }
        });
    days("a", "b");
    awaitListed("taken " + archive(10), "owed " + archive(11));
    FaultyDisk disk = new FaultyDisk();
    Set<String> away = ConcurrentHashMap.newKeySet();
    away.addAll(Set.of(archive(10), archive(11)));
    disks =
        disk.hook(
            (number, operation, path) -> {
              if (away.contains(path.getFileName().toString())) {
                throw new IOException("away");
              }
            });
    start(this::record, "0", "next." + DATE + ".log.gz", "app.log");
    day("c");
    awaitGiven("next.2026-05-12.log.gz");
    awaitTold("cannot be looked for", "away");
    assertFigures(1, 1, 0);
    awaitListed("taken " + archive(10), "taken next.2026-05-12.log.gz", "owed " + archive(11));
    away.remove(archive(11));
    awaitGiven("next.2026-05-12.log.gz", archive(11));
    awaitListed("taken " + archive(10), "taken " + archive(11), "taken next.2026-05-12.log.gz");
    assertFigures(2, 0, 0);
    away.clear();
    rig.await("well again", () -> !handed().failing());
    assertFigures(2, 0, 0);
  }

  /** Its list could not be read yet when retention deleted them. */
  @Test
  void shouldCountOnceWhatIsDeletedBeforeTheListIsRead() {
    start(
        archive -> {
          if (archive.endsWith(archive(11))) {
            throw new IOException("away");
          }
        });
    days("a", "b");
    awaitListed("taken " + archive(10), "owed " + archive(11));
    now += 10 * DAY;
    cleanAtStart = true;
    FaultyDisk disk = new FaultyDisk();
    disks = disk;
    disk.hook(
        (number, operation, path) -> {
          if (path.endsWith(LIST) && operation.equals("state")) {
            throw new IOException("unread");
          }
        });
    start(this::record, "1");
    rig.await("cleaned", () -> !Files.exists(directory.resolve(archive(11))));
    rig.await("cleaned", () -> !Files.exists(directory.resolve(archive(10))));
    disk.hook((number, operation, path) -> {});
    awaitListed();
    assertFigures(0, 0, 1);
  }

  /** What had no compression is a rolled file now, and becomes an archive. */
  @Test
  void shouldNotCountAsDeletedWhatIsCompressedNow() {
    start(this::refuse, "0", "app." + DATE + ".log", "app.log");
    day("a");
    awaitListed("owed app.2026-05-10.log");
    start(this::record);
    awaitGiven(archive(10) + " a");
    assertFigures(1, 0, 0);
    awaitListed("taken " + archive(10));
  }

  private List<String> lines(String file) {
    try {
      return Files.readAllLines(directory.resolve(file));
    } catch (IOException notYet) {
      return List.of();
    }
  }

  private boolean isTaken(long archives) {
    return handed().taken() == archives;
  }

  private static byte[] gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void shouldListWhatIsThereAlone() throws IOException {
    start(this::record, "2");
    for (String message : List.of("a", "b", "c", "d", "e")) {
      int before = given.size();
      day(message);
      rig.await("given", () -> given.size() > before); // else retention may be quicker
    }
    awaitListed("taken " + archive(13), "taken " + archive(14));
  }

  /** Of archives that stay for years. */
  @Test
  void shouldReadALongListAsItWasWritten() throws IOException {
    start(null);
    TakenList list = new TakenList(policy);
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < 2_000; i++) {
      names.add("x".repeat(5_000) + i);
    }
    list.write(names, Set.of());
    assertThat(list.read().taken()).isEqualTo(names);
  }

  @ParameterizedTest
  @ValueSource(ints = {240, 247, 255})
  void shouldGiveEachOnceBesideAFileWithALongName(int bytes) {
    String file = "x".repeat(bytes - ".log".length()) + ".log";
    start(this::record, "0", "app." + DATE + ".log.gz", file);
    day("a");
    rig.await("taken", () -> isTaken(1));
    start(this::record, "0", "app." + DATE + ".log.gz", file);
    day("b");
    awaitGiven(archive(10), archive(11));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"text", "no text", "huge", "pipe", "directory", "link", "cut", "cut name"})
  void shouldSetAsideWhatIsNoList(String what) throws IOException {
    Path list = directory.resolve(LIST);
    switch (what) {
      case "text" -> Files.writeString(list, "spillway archives 1\n\0 \n");
      case "no text" -> Files.write(list, new byte[] {'t', (byte) 0xff, '\n'});
      case "huge" -> {
        try (RandomAccessFile file = new RandomAccessFile(list.toFile(), "rw")) {
          file.setLength(1L << 40);
        }
      }
      case "pipe" -> Shell.run("mkfifo", list);
      case "directory" -> Files.createDirectory(list);
      case "link" -> Files.createSymbolicLink(list, Path.of("/dev/zero"));
      case "cut name" -> Files.writeString(list, "spillway archives 1\ntaken " + archive(10));
      default -> Files.writeString(list, "spillway archives 1\ntak\0");
    }
    start(this::record);
    day("a");
    awaitGiven(archive(10));
    awaitTold("[" + directory.resolve(LIST) + "]", LIST + ".damaged]");
    assertThat(directory.resolve(LIST + ".damaged")).existsNoFollowLinks();
    awaitListed("taken " + archive(10));
  }

  @Test
  void shouldGoOnWithoutAListAndWriteItOnceItCan() throws IOException {
    Path obstacle = directory.resolve(LIST + ".new");
    Files.createDirectories(obstacle.resolve("full"));
    start(this::record);
    days("a", "b");
    awaitGiven(archive(10), archive(11));
    awaitTold("be listed in [" + directory.resolve(LIST) + "]");
    Files.delete(obstacle.resolve("full"));
    rig.await("listed", () -> Files.isRegularFile(directory.resolve(LIST)));
    assertThat(obstacle).doesNotExist();
  }

  /**
   * As one of another user, or one that is immutable. What it costs is that all are given again.
   */
  @Test
  void shouldGiveThoughItsListCanNeitherBeReadNorReplaced() {
    start(this::name);
    days("a", "b");
    awaitListed("taken " + archive(10), "taken " + archive(11));
    given.clear();
    FaultyDisk disk = new FaultyDisk();
    disks =
        disk.hook(
            (number, operation, path) -> {
              if (path.getFileName().toString().startsWith(LIST)) {
                throw new IOException("immutable");
              }
            });
    start(this::name);
    awaitGiven(archive(10), archive(11));
    awaitTold("[" + directory.resolve(LIST) + "]", "neither read nor set aside", "immutable");
    rig.await("failing", () -> handed().failing());
    disk.hook((number, operation, path) -> {});
    day("c");
    awaitListed("taken " + archive(10), "taken " + archive(11), "taken " + archive(12));
    rig.await("well again", () -> !handed().failing());
  }

  @ParameterizedTest
  @ValueSource(strings = {"app." + DATE + ".log.zip", "old/" + DATE + ".gz"})
  void shouldGiveWhatIsOwedOfAnEarlierPatternAndThatAlone(String pattern) {
    start(this::record);
    day("taken");
    awaitListed("taken " + archive(10));
    start(this::refuse);
    day("owed");
    awaitListed("taken " + archive(10), "owed " + archive(11));
    start(this::record, "0", pattern, "app.log");
    awaitGiven(archive(10), archive(11) + " first of the next day owed");
    awaitListed("taken " + archive(10), "taken " + archive(11));
    given.clear();
    start(this::record);
    day("c");
    awaitGiven(archive(12));
  }

  @Test
  void shouldGiveNothingThatAPlantedListNamesElsewhere(@TempDir Path elsewhere) throws IOException {
    Path secret = Files.writeString(elsewhere.resolve("secret"), "of somebody else");
    Files.createSymbolicLink(directory.resolve("link"), secret);
    Files.createSymbolicLink(directory.resolve("away"), elsewhere);
    Files.writeString(
        directory.resolve(LIST),
        "spillway archives 1\nowed ../"
            + elsewhere.getFileName()
            + "/secret\nowed link\nowed away/secret\n"
            + "owed app.log\n");
    start(this::name);
    day("a");
    awaitGiven(archive(10));
    assertFigures(1, 0, 4);
  }

  /** A disk on which the owners of files are these; as root, every file would be root's. */
  private static final class Owners extends Disk {
    private final Predicate<Path> own;
    private volatile boolean full;

    Owners(Predicate<Path> own) {
      this.own = own;
    }

    @Override
    public boolean isOwn(Path path) {
      return own.test(path);
    }

    @Override
    public boolean isOwnedByRoot(Path path) {
      return false;
    }

    @Override
    public DiskFile create(Path path) throws IOException {
      if (full && path.endsWith(LIST + ".new")) {
        throw new IOException("No space left on device");
      }
      return super.create(path);
    }
  }

  /** Who may create files beside the log would have others given away, or archives left out. */
  @ParameterizedTest
  @ValueSource(strings = {"seems", "seems, on a full disk", "is"})
  void shouldBelieveNoListOfAnotherUser(String anothers) throws Exception {
    Path spill = Files.createDirectory(directory.resolve("app.log.spill"));
    Files.writeString(spill.resolve("0000000000000010.seg"), "events");
    Files.writeString(directory.resolve("other.log"), "of another appender");
    Path list =
        Files.writeString(
            directory.resolve(LIST),
            "spillway archives 1\nowed app.log.spill/0000000000000010.seg\nowed other.log\n"
                + "taken "
                + archive(10)
                + "\n");
    Owners disk = new Owners(path -> !path.endsWith(LIST));
    if (anothers.equals("is")) {
      Assumptions.assumeTrue(
          System.getProperty("os.name").equals("Linux"), "elsewhere it cannot be told");
      Assumptions.assumeTrue(
          new ProcessBuilder("chown", "1", list.toString()).start().waitFor() == 0,
          "only root can give a file away");
    } else {
      disks = disk;
    }
    Files.write(directory.resolve(archive(10)), gzip("a"));
    disk.full = anothers.endsWith("full disk");
    start(this::name);
    if (disk.full) {
      awaitTold("be listed in [" + list + "]", "No space left");
      assertThat(given).isEmpty();
      disk.full = false;
    }
    awaitGiven(archive(10));
    awaitTold("[" + list + "] belongs to another user", LIST + ".damaged]");
    awaitListed("taken " + archive(10));
    assertThat(directory.resolve(LIST + ".new")).doesNotExist();
  }

  /** As where a file server has one user for all. */
  @Test
  void shouldBelieveItsListWhereAllFilesSeemToBeAnothers() throws IOException {
    disks = new Owners(path -> false);
    start(this::name);
    day("a");
    awaitListed("taken " + archive(10));
    start(this::name);
    day("b");
    awaitGiven(archive(10), archive(11));
    awaitListed("taken " + archive(10), "taken " + archive(11));
  }

  /** Whose files are there can be told by a new one alone, and there is no room for one. */
  @Test
  void shouldGiveNothingTwiceWhereWhoseTheListIsCannotBeTold() {
    Owners disk = new Owners(path -> false);
    disks = disk;
    start(this::name);
    day("a");
    awaitListed("taken " + archive(10));
    disk.full = true;
    start(this::name);
    day("b");
    awaitTold("be listed in [" + directory.resolve(LIST) + "]", "No space left");
    awaitGiven(archive(10), archive(11));
    disk.full = false;
    awaitListed("taken " + archive(10), "taken " + archive(11));
    assertThat(given).hasSize(2);
    assertFigures(1, 0, 0);
  }

  /** It alone knows what is owed of an earlier pattern. */
  @Test
  void shouldForgetNothingThatIsOwedWhereWhoseTheListIsCannotBeTold() {
    Owners disk = new Owners(path -> false);
    disks = disk;
    start(
        archive -> {
          if (archive.endsWith(archive(11))) {
            throw new IOException("away");
          }
        });
    days("a", "b");
    awaitListed("taken " + archive(10), "owed " + archive(11));
    disk.full = true;
    start(this::record, "0", "next." + DATE + ".log.gz", "app.log");
    day("c");
    awaitTold("be listed in [" + directory.resolve(LIST) + "]", "No space left");
    awaitGiven("next.2026-05-12.log.gz");
    assertFigures(1, 1, 0);
    disk.full = false;
    awaitGiven("next.2026-05-12.log.gz", archive(11));
    awaitListed("taken " + archive(10), "taken " + archive(11), "taken next.2026-05-12.log.gz");
    assertFigures(2, 0, 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotShareAListWithAnotherAppender(boolean files) throws IOException {
    String[] log = {files ? "a.log" : null, files ? "b.log" : null};
    start(this::record, "0", "a-" + DATE + "/x.log.gz", log[0]);
    List<String> others = new CopyOnWriteArrayList<>();
    try (RollingRig other =
        rig(archive -> others.add("" + archive), "0", "b-" + DATE + "/x.log.gz", log[1])) {
      rig.log("a");
      other.log("b");
      now += DAY;
      rig.log("next");
      other.log("next");
      rig.await("both", () -> given.size() == 1 && others.size() == 1);
      List<String> lists = new ArrayList<>();
      try (Stream<Path> names = Files.list(directory)) {
        names
            .map(path -> path.getFileName().toString())
            .filter(name -> name.endsWith(".taken"))
            .forEach(lists::add);
      }
      assertThat(lists).hasSize(2);
      Set<String> expected = Set.of("taken a-2026-05-10/x.log.gz", "taken b-2026-05-10/x.log.gz");
      rig.await(
          "listed in " + lists,
          () -> {
            Set<String> last = new HashSet<>();
            lists.forEach(list -> lines(list).stream().skip(1).forEach(last::add));
            return last.equals(expected)
                && lists.stream().allMatch(list -> lines(list).size() == 2);
          });
    }
  }

  private static class Living implements ArchiveListener, LifeCycle {
    private volatile boolean started;
    private volatile int starts;

    @Override
    public void archived(Path archive) {
      assertThat(started).isTrue();
    }

    @Override
    public void start() {
      started = true;
      starts++;
    }

    @Override
    public void stop() {
      started = false;
      throw new IllegalStateException("by the listener");
    }

    @Override
    public boolean isStarted() {
      return started;
    }
  }

  @Test
  void shouldNotCallAListenerThatHasNotStarted() {
    Living refusing =
        new Living() {
          @Override
          public void archived(Path archive) {
            given.add(archive.toString());
          }

          @Override
          public void start() {}
        };
    start(refusing);
    day("a");
    awaitTold("did not take", archive(10), "has not started");
    assertThat(given).isEmpty();
  }

  @Test
  void shouldStartThoughTheTextOfWhatTheListenerThrowsThrows() {
    start(
        new Living() {
          @Override
          public void start() {
            sneak(new Hostile());
          }

          @SuppressWarnings("unchecked") // throws a checked exception where none is declared
          private <T extends Throwable> void sneak(Throwable t) throws T {
            throw (T) t;
          }
        });
    awaitTold("start of the archive listener failed", Hostile.class.getName());
  }

  @Test
  void shouldStartAndStopAListenerThatIsALifeCycle() {
    Living living = new Living();
    living.start(); // as Logback does
    start(living);
    assertThat(living.starts).isEqualTo(1);
    day("a");
    rig.await("taken", () -> isTaken(1));
    rig.appender.stop();
    assertThat(living.started).isFalse();
    awaitTold("stop of the archive listener failed", "by the listener");
    start(living);
    assertThat(living.starts).isEqualTo(2);
    day("b");
    rig.await("taken", () -> isTaken(1));
  }
}
