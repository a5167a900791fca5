package io.spillway.internal.sink;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each line whole, once, in order, whatever fails. */
@Timeout(120)
class LogFileSinkTest {
  @TempDir Path directory;
  private final Counters counters = new Counters();
  private final ContextAwareBase origin = new ContextAwareBase();
  private final Batch batch = Batch.ofBytes();
  private FaultyLogFile log;
  private Policy policy;
  private LogFileSink sink;
  private long clock;

  @BeforeEach
  void start() {
    origin.setContext(new ContextBase());
    start(file());
  }

  private void start(Path file) {
    log = new FaultyLogFile(true);
    policy = new Policy(log);
    sink =
        new LogFileSink(log, policy, counters, new Reports(origin)) {
          @Override
          long nanoTime() {
            return clock;
          }
        };
    policy.open(file.toFile());
  }

  @AfterEach
  void close() {
    log.close();
  }

  /** Rolls over as the appender does, with a policy that a test controls. */
  private static class Policy implements LogFileSink.Rolling {
    final LogFile logFile;
    IntConsumer onLook = look -> {}; // before each attempt to write
    int looks;
    int rolled;
    boolean due;
    boolean refuses;
    RuntimeException thrown;
    long bytes;
    boolean closed;

    Policy(LogFile logFile) {
      this.logFile = logFile;
    }

    @Override
    public boolean isTriggering(File activeFile) {
      onLook.accept(looks++);
      boolean triggering = due;
      due = false; // once, as Logback's when a period ends
      return triggering;
    }

    @Override
    public boolean rollover() {
      logFile.close();
      try {
        if (thrown != null) {
          throw thrown;
        }
        if (!refuses) {
          Files.move(logFile.path(), Path.of(logFile.path() + "." + ++rolled));
        }
        return !refuses;
      } catch (IOException e) {
        return false;
      } finally {
        open(logFile.file());
      }
    }

    void open(File file) {
      try {
        logFile.open(file);
      } catch (IOException e) {
        return; // the next write tries it again
      }
    }

    @Override
    public void written(int count) {
      bytes += count;
      if (thrown != null) {
        throw thrown;
      }
    }

    @Override
    public void close() {
      closed = true;
      logFile.close();
    }
  }

  private void fill(String... lines) {
    batch.clear();
    for (String line : lines) {
      assertThat(batch.add(line.getBytes(StandardCharsets.UTF_8), 0)).isTrue();
    }
  }

  private void deliver(String... lines) {
    fill(lines);
    sink.deliver(batch);
    assertThat(batch.done()).isEqualTo(batch.count());
  }

  private List<String> statuses() {
    Reports.flush(origin.getContext());
    return origin.getContext().getStatusManager().getCopyOfStatusList().stream()
        .map(Status::toString)
        .collect(Collectors.toList());
  }

  private Path file() {
    return directory.resolve("app.log");
  }

  @Test
  void shouldWriteChunksCountThemAndTellThePolicy() throws IOException {
    deliver("one\n", "two\n");
    batch.fill("three\nrest".getBytes(StandardCharsets.UTF_8), 6, null, 1, 0, true);
    sink.deliver(batch);

    assertThat(file()).hasContent("one\ntwo\nthree\n");
    assertThat(counters.settled()).isEqualTo(2); // a leftover is not of this run
    assertThat(policy.bytes).isEqualTo(14);
    sink.close();
    assertThat(policy.closed).isTrue();
    assertThat(statuses()).isEmpty();
  }

  @Test
  void shouldTakeNothingOfAFencedBatchOrOfOneThatIsDone() {
    fill("one\n");
    batch.done(1);
    sink.deliver(batch);
    fill("two\n");
    batch.fence();
    sink.deliver(batch);
    assertThat(batch.done()).isZero();
    assertThat(file()).isEmptyFile();
  }

  @Test
  void shouldGiveABatchBackThatIsFencedWhileTheDiskIsFull() {
    policy.onLook =
        look -> {
          if (look == 3) {
            batch.fence();
          }
        };
    log.fails = number -> true;
    fill("one\n");
    sink.deliver(batch);
    assertThat(batch.done()).isZero();
    assertThat(counters.settled()).isZero();
    log.heal();
    log.close();
    assertThat(file()).isEmptyFile();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldKeepEachLineWholeOnceAndInOrderWhicheverOperationFails(boolean forEver)
      throws IOException {
    int operations = run(number -> false, "none");
    assertThat(operations).isBetween(20, 60);
    for (int n = 0; n < operations; n++) {
      int failing = n;
      IntPredicate fails = forEver ? number -> number >= failing : number -> number == failing;
      run(fails, forEver + "-" + n);
    }
  }

  @Test
  void shouldKeepEachLineWholeOnceAndInOrderIfSeveralOperationsFail() throws IOException {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      Set<Integer> failing = random.ints(random.nextInt(12), 0, 50).boxed().collect(toSet());
      run(failing::contains, "seed-" + seed);
    }
  }

  /** Chunks, forces and a rollover, with a half line in the file; what fails is cured at last. */
  private int run(IntPredicate fails, String name) throws IOException {
    Path file = directory.resolve(name).resolve("app.log");
    Files.createDirectories(file.getParent());
    Files.writeString(file, "half");
    close();
    start(file);
    boolean everForced = true;
    int[] looks = new int[1]; // after the first failure
    policy.onLook = look -> log.fails = log.failed && looks[0]++ >= 3 ? number -> false : fails;
    log.close();
    log.operations.clear();
    log.fails = fails;
    policy.open(file.toFile());
    StringBuilder expected = new StringBuilder("half\n");
    for (int i = 0; i < 6; i++) {
      policy.due = i == 3;
      clock += TimeUnit.SECONDS.toNanos(2); // a rollover that has failed is tried again
      deliver(i + " one\n", i + " two\n", i + " three\n");
      expected.append(i + " one\n" + i + " two\n" + i + " three\n");
      boolean forced = sink.force();
      assertThat(!forced || everForced).as("success after a failed force").isTrue();
      everForced = forced;
      assertThat(sink.hasLost()).isEqualTo(!forced);
    }
    int operations = log.operations.size();
    log.heal();
    sink.close();

    Path rolled = Path.of(file + ".1");
    String old = Files.exists(rolled) ? Files.readString(rolled) : "";
    assertThat(old + Files.readString(file))
        .as(name + " " + log.operations)
        .isEqualTo(expected.toString());
    return operations;
  }

  @Test
  void shouldEndHalfALineOnlyInALogOfLines() throws IOException {
    Files.writeString(file(), "half");
    deliver("no line");
    deliver("\n");
    assertThat(file()).hasContent("halfno line\n");
  }

  /** Its disk has failed, and comes back with a part of what it had. */
  @Test
  void shouldEndALineThatADiskHasCutBackWhileItWasAway() throws IOException {
    Path file = Files.createDirectory(directory.resolve("disk")).resolve("app.log");
    Path away = directory.resolve("away");
    policy.onLook =
        look -> {
          if (look == 3) {
            Shell.run("sh", "-c", "printf on > " + away.resolve("app.log"));
            Shell.run("rm", file.getParent());
            Shell.run("mv", away, file.getParent());
          }
        };
    policy.open(file.toFile());
    deliver("one\n");
    Files.move(file.getParent(), away);
    Files.createFile(file.getParent()); // so that no directory is made
    deliver("two\n");
    deliver("three\n");
    sink.close();

    assertThat(file).hasContent("on\ntwo\nthree\n");
  }

  @Test
  void shouldRollOverBetweenChunksAndTryAFailedRolloverAgainASecondLater() throws IOException {
    deliver("one\n");
    policy.due = true;
    policy.refuses = true;
    deliver("two\n");
    assertThat(counters.settled()).as("refused, and written on").isEqualTo(2);
    policy.refuses = false;
    deliver("three\n");
    clock += 999_999_999;
    deliver("four\n");
    assertThat(policy.rolled).as("not with each batch").isZero();
    clock += 1;
    deliver("five\n");
    assertThat(policy.rolled).isOne();
    clock += TimeUnit.SECONDS.toNanos(5);
    deliver("six\n");
    assertThat(policy.rolled).as("done").isOne();

    policy.thrown = new IllegalStateException("of a policy");
    policy.due = true;
    deliver("seven\n");
    policy.thrown = null;
    clock += TimeUnit.SECONDS.toNanos(1);
    deliver("eight\n");
    assertThat(policy.rolled).isEqualTo(2);
    sink.close();

    assertThat(Path.of(file() + ".1")).hasContent("one\ntwo\nthree\nfour\n");
    assertThat(Path.of(file() + ".2")).hasContent("five\nsix\nseven\n");
    assertThat(file()).hasContent("eight\n");
    assertThat(counters.settled()).isEqualTo(8);
    assertThat(statuses())
        .singleElement()
        .asString()
        .contains("ERROR", "policy threw; nothing is lost", file().toString());
  }

  @Test
  void shouldNotRollOverAFileThatEndsWithATornChunk() {
    policy.onLook =
        look -> {
          policy.due = look == 2; // after the first failure
          if (look == 4) {
            log.heal();
          }
          ;
        };
    deliver("one\n");
    log.fail("write", "truncate");
    deliver("two\n");
    deliver("three\n");
    sink.close();
    assertThat(Path.of(file() + ".1")).hasContent("one\ntwo\n");
    assertThat(file()).hasContent("three\n");
  }

  @Test
  void shouldNotWriteAChunkTwiceIfAPolicyThrows() {
    policy.onLook =
        look -> {
          throw new StackOverflowError("of a policy");
        };
    policy.thrown = new IllegalStateException("of a policy");
    deliver("one\n");
    deliver("two\n");
    sink.close();
    assertThat(file()).hasContent("one\ntwo\n");
    assertThat(counters.settled()).isEqualTo(2);
  }

  @Test
  void shouldPauseBetweenAttemptsAlsoIfItIsInterrupted() throws IOException {
    policy.onLook =
        look -> {
          Thread.currentThread().interrupt();
          if (look == 4) {
            log.heal();
          }
          ;
        };
    log.fails = number -> true;
    long start = System.nanoTime();
    deliver("one\n");
    long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    Thread.interrupted();
    log.close();
    assertThat(tookMillis).as("10, 20, 40, 80 ms").isBetween(150L, 5_000L);
    assertThat(file()).hasContent("one\n");
  }

  @Test
  void shouldTellOfAFailureOnceOfItsCureAndOfTheRemedy() {
    policy.onLook =
        look -> {
          if (look == 3) {
            log.heal();
          }
        };
    log.fail("write");
    deliver("one\n");
    log.close();
    List<String> told = statuses();
    assertThat(told).hasSize(2);
    assertThat(told.get(0))
        .contains("WARN", "Cannot write to file [" + file(), "No space left", "To do: free");
    assertThat(told.get(1)).contains("INFO", "works again");
  }

  /** NFS and FUSE may tell only at a close that they have not taken what was written. */
  @ParameterizedTest
  @ValueSource(strings = {"sync", "close"})
  void shouldSayWhatAFailedForceMeansAndKeepSayingThatSomethingIsLost(String operation) {
    deliver("one\n");
    assertThat(sink.hasLost()).isFalse();
    log.fail(operation);
    policy.due = operation.equals("close");
    assertThat(policy.due || !sink.force()).isTrue();
    deliver("two\n");
    log.heal();
    assertThat(statuses())
        .singleElement()
        .asString()
        .contains("WARN", "may not be on its disk: No space left", "the next start", "To do: ");
    assertThat(sink.force()).as("until the next start").isFalse();
    assertThat(sink.hasLost()).isTrue();
    assertThat(statuses()).hasSize(1);
  }

  @Test
  void shouldLoseNothingOnAFullDiskAndResumeByItself() throws IOException {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m")) {
      Path file = disk.directory().resolve("app.log");
      int[] full = new int[1];
      policy.onLook =
          look -> {
            if (disk.free() < 70_000 && ++full[0] == 3) {
              disk.drop("ballast");
            }
          };
      policy.open(file.toFile());
      disk.ballast("ballast", 700_000);
      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < 9; i++) {
        String line = String.valueOf(i).repeat(50_001 + i) + "\n";
        deliver(line);
        expected.append(line);
      }
      sink.close();
      assertThat(file).hasContent(expected.toString());
      assertThat(statuses()).anyMatch(status -> status.contains("Cannot write to file"));
    }
  }

  /** Permission withdrawn with {@code chattr +i}, which binds root as well. */
  @Test
  void shouldTearAndLoseNothingWhileTheFileTurnsImmutable() throws Exception {
    Shell.Result result = Shell.attempt("chattr", "+i", file());
    Assumptions.assumeTrue(
        result.exitCode() == 0,
        () -> "skipped, chattr +i does not work here (be root, on ext4 or xfs): " + result);
    AtomicBoolean over = new AtomicBoolean();
    Thread changing =
        new Thread(
            () -> {
              while (!over.get()) {
                Shell.attempt("chattr", "-i", file());
                Shell.attempt("chattr", "+i", file());
              }
              Shell.attempt("chattr", "-i", file());
            });
    changing.start();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      deliver("line " + i + "\n");
      expected.append("line " + i + "\n");
      log.close(); // so that it is opened again, which an immutable file refuses
    }
    over.set(true);
    changing.join();
    sink.close();
    assertThat(file()).hasContent(expected.toString());
  }

  @Test
  void shouldLoseNothingWhenTheFileIsMovedInTheMiddleOfWriting() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    int[] moved = new int[1];
    Thread moving =
        new Thread(
            () -> {
              while (!over.get()) {
                if (file().toFile().renameTo(directory.resolve("moved." + moved[0]).toFile())) {
                  moved[0]++;
                }
              }
            });
    moving.start();
    StringBuilder expected = new StringBuilder();
    int lines = 0;
    while (lines < 2_000 || Files.notExists(directory.resolve("moved.20"))) {
      deliver("line " + lines + "\n");
      expected.append("line " + lines++ + "\n");
    }
    over.set(true);
    moving.join();
    sink.close();
    StringBuilder found = new StringBuilder();
    for (int i = 0; i < moved[0]; i++) {
      found.append(Files.readString(directory.resolve("moved." + i)));
    }
    if (Files.exists(file())) {
      found.append(Files.readString(file()));
    }
    assertThat(found).hasToString(expected.toString());
  }
}
