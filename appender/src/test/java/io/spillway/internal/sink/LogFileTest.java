package io.spillway.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.Shell;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The writer of the active file, against file systems that really fail and some that seem to. */
@Timeout(60)
class LogFileTest {
  @TempDir Path directory;
  private LogFile log = new LogFile(false);

  @AfterEach
  void close() {
    log.close();
  }

  private static String chunk(char c) {
    return String.valueOf(c).repeat(3 * 4_096 - 1) + "\n";
  }

  private Path open(Path file) throws IOException {
    log.open(file.toFile());
    return file;
  }

  private Path open() throws IOException {
    return open(directory.resolve("app.log"));
  }

  private void write(String text) throws IOException {
    byte[] bytes = (text + "not part of the chunk").getBytes(StandardCharsets.UTF_8);
    log.write(bytes, text.getBytes(StandardCharsets.UTF_8).length);
  }

  private FaultyLogFile faulty(boolean synced) {
    log.close();
    log = new FaultyLogFile(synced);
    return (FaultyLogFile) log;
  }

  @Test
  void shouldCreateMissingDirectoriesAndAppendToWhatIsThere() throws IOException {
    Path file = open(directory.resolve("a/b/app.log"));
    write("one\n");
    log.open(file.toFile());
    write("two\n");

    assertThat(file).hasContent("one\ntwo\n");
    assertThat(log.file()).isEqualTo(file.toFile());
    assertThat(log.path()).isEqualTo(file);
    assertThat(log.length()).isEqualTo(8);
    Files.createSymbolicLink(directory.resolve("link"), Path.of("a/b"));
    open(directory.resolve("link/app.log"));
    write("three\n");
    assertThat(file).as("a link to a directory").hasContent("one\ntwo\nthree\n");
  }

  @Test
  void shouldWriteToANewFileWhenTheOldOneIsDeletedMovedOrReplaced() throws IOException {
    Path file = open(directory.resolve("logs/app.log"));
    write("one\n");
    Files.delete(file);
    write("two\n");
    assertThat(file).hasContent("two\n");

    Files.move(file, directory.resolve("moved"));
    write("three\n");
    assertThat(file).hasContent("three\n");
    assertThat(directory.resolve("moved")).hasContent("two\n");

    Files.move(file, directory.resolve("kept"));
    Files.writeString(file, "somebody else's\n");
    write("four\n");
    assertThat(file).hasContent("somebody else's\nfour\n");

    Shell.run("rm", "-rf", file.getParent());
    write("five\n");
    assertThat(file).hasContent("five\n");
  }

  @Test
  void shouldGoOnAtTheNewEndWhenTheFileIsTruncatedFromOutside() throws IOException {
    Path file = open();
    write("one\ntwo\n");
    Shell.run("truncate", "-s", "0", file);
    write("three\n");

    assertThat(file).hasContent("three\n");
    assertThat(log.length()).isEqualTo(6);
  }

  @Test
  void shouldLookAtThePathOnceAChunk() throws IOException {
    FaultyLogFile counting = faulty(true);
    open();
    write("one\n");
    counting.operations.clear();
    write("two\n");
    assertThat(counting.operations).containsExactly("stat", "write");
  }

  @Test
  void shouldCutATornChunkOffBeforeTheNextWriteIfThatFailsAtFirst() throws IOException {
    FaultyLogFile faulty = faulty(false);
    Path file = open();
    write("first\n");
    faulty.fails = number -> !faulty.operations.get(number).equals("stat");
    assertThatThrownBy(() -> write("second\n")).hasMessageContaining("No space");
    assertThat(file).hasContent("first\nsec");

    faulty.fail("truncate");
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> write("second\n")).hasMessageContaining("No space");
      assertThat(file).as("nothing behind the torn chunk").hasContent("first\nsec");
    }
    faulty.heal();
    write("second\n");
    write("third\n");
    assertThat(file).hasContent("first\nsecond\nthird\n");
  }

  /** As NFS leaves one behind: it neither writes nor cuts, though the name can be opened. */
  @Test
  void shouldWriteThroughAnotherDescriptorOnceItsOwnIsDead() throws IOException {
    boolean[] opened = new boolean[1];
    log =
        new LogFile(false) {
          @Override
          FileOutputStream openToAppend() throws IOException {
            boolean again = opened[0];
            opened[0] = true;
            return again ? super.openToAppend() : new FileOutputStream(openToRead().getFD());
          }
        };
    Path file = Files.writeString(directory.resolve("app.log"), "zero\n");
    open();
    assertThatThrownBy(() -> write("one\n")).hasMessageContaining("Bad file descriptor");
    write("one\n");
    assertThat(file).hasContent("zero\none\n");
  }

  @Test
  void shouldNotCutAnotherFileThatHasTakenTheNameOfATornOne() throws IOException {
    FaultyLogFile faulty = faulty(false);
    Path file = open();
    write("1\n");
    faulty.fails = number -> !faulty.operations.get(number).equals("stat");
    assertThatThrownBy(() -> write("second\n")).isInstanceOf(IOException.class);
    faulty.heal();
    Files.move(file, directory.resolve("torn"));
    Files.writeString(file, "somebody else's\n");
    write("second\n");
    assertThat(file).hasContent("somebody else's\nsecond\n");
  }

  @Test
  void shouldSurviveAnInterruptAimedAtTheWriter() throws IOException {
    FaultyLogFile faulty = faulty(true);
    Path file = open();
    Thread.currentThread().interrupt();
    write("one\n");
    faulty.fail("write");
    assertThatThrownBy(() -> write("two\n")).hasMessageContaining("No space");
    assertThat(file).as("cut back, though interrupted").hasContent("one\n");
    faulty.heal();
    write("two\n");
    log.force();
    assertThat(Thread.interrupted()).as("kept for its owner").isTrue();

    assertThat(file).hasContent("one\ntwo\n");
  }

  @Test
  void shouldTellWhetherTheFileEndsInsideALine() throws IOException {
    Path file = open();
    assertThat(log.endsInsideLine()).as("empty").isFalse();
    write("whole\n");
    assertThat(log.endsInsideLine()).isFalse();
    write("half");
    assertThat(log.endsInsideLine()).isTrue();
    Files.delete(file);
    assertThat(log.endsInsideLine()).as("gone").isFalse();

    FaultyLogFile scarce = faulty(false);
    open();
    write("half");
    scarce.fails = number -> true;
    assertThatThrownBy(() -> log.endsInsideLine()).as("later perhaps").isNotNull();
    scarce.heal();
  }

  @Test
  void shouldForceBytesAndTheNamesThatLeadToThem() throws IOException {
    FaultyLogFile counting = faulty(true);
    Path file = open();
    write("one\n");
    log.force();
    assertThat(counting.count("sync")).isOne();
    assertThat(counting.count("syncDirectory")).as("of a new file").isOne();
    log.force();
    assertThat(counting.count("sync")).as("nothing new").isOne();
    assertThat(counting.count("syncDirectory")).isOne();

    for (String dated : List.of("dated", "gone", "taken")) {
      log.open(directory.resolve(dated).resolve("app.log").toFile());
    }
    log.open(file.toFile());
    for (String gone : List.of("gone", "taken")) { // as retention does with the last file in it
      Files.delete(directory.resolve(gone).resolve("app.log"));
      Files.delete(directory.resolve(gone));
    }
    Files.createFile(directory.resolve("taken"));
    log.force();
    assertThat(counting.count("syncDirectory")).isEqualTo(5);
    Files.delete(log.path());
    write("two\n");
    log.force();
    assertThat(counting.count("syncDirectory")).as("its number may be used again").isEqualTo(6);
    assertThat(log.failure()).isNull();
  }

  @Test
  void shouldForceBeforeItClosesSinceTheDescriptorIsTheLastOne() throws IOException {
    FaultyLogFile counting = faulty(true);
    open();
    write("one\n");
    log.close();
    assertThat(counting.operations).endsWith("write", "sync", "close");
    log.force();
    assertThat(counting.count("sync")).isOne();

    FaultyLogFile unsynced = faulty(false);
    open();
    write("two\n");
    log.close();
    assertThat(unsynced.operations).endsWith("write", "close");
  }

  @Test
  void shouldNotTakeAFailedForceForSuccessLater() throws IOException {
    for (String operation : new String[] {"sync", "syncDirectory"}) {
      FaultyLogFile faulty = faulty(true);
      Path file = open(directory.resolve(operation));
      write("one\n");
      faulty.fail(operation);
      assertThatThrownBy(() -> log.force()).hasMessageContaining("No space");
      faulty.heal();
      write("two\n");
      long syncs = faulty.count(operation);
      assertThatThrownBy(() -> log.force()).hasMessageContaining("No space");
      assertThat(faulty.count(operation)).as("it would report success").isEqualTo(syncs);
      log.open(file.toFile());
      assertThat(log.failure()).hasMessageContaining("No space");
      assertThat(file).hasContent("one\ntwo\n");
      log.close();
    }
  }

  @Test
  void shouldTakeAFailedCloseForAFailedForce() throws IOException {
    for (boolean synced : new boolean[] {false, true}) {
      FaultyLogFile faulty = faulty(synced);
      open(directory.resolve("closed-" + synced));
      write("one\n");
      faulty.fail("close");
      log.close();
      faulty.heal();
      assertThat(log.failure()).hasMessageContaining("No space");
      assertThatThrownBy(() -> log.force()).isSameAs(log.failure());
    }
  }

  /** A descriptor's number may be another file's by then. */
  @Test
  void shouldNotCloseTheFileWhileAnotherThreadForcesIt() throws Exception {
    CountDownLatch forcing = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    log =
        new LogFile(true) {
          @Override
          void sync(FileOutputStream open) throws IOException {
            forcing.countDown();
            assertThatCode(goOn::await).doesNotThrowAnyException();
            super.sync(open); // fails if it is closed
          }
        };
    Path file = open();
    write("one\n");
    Thread syncer = new Thread(() -> assertThatCode(log::force).doesNotThrowAnyException());
    syncer.start();
    forcing.await();
    write("two\n");
    assertThat(file).as("a write waits for no force").hasContent("one\ntwo\n");
    Thread closer = new Thread(() -> log.close());
    closer.start();
    while (closer.getState() != Thread.State.BLOCKED && closer.isAlive()) {
      Thread.onSpinWait();
    }
    assertThat(closer.isAlive()).isTrue();
    goOn.countDown();
    closer.join();
    syncer.join();
    assertThat(log.failure()).isNull();
  }

  @Test
  void shouldWriteWhatLogbackWritesToItsStreamAndReportWhatItCannot() throws IOException {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(new ContextBase());
    FaultyLogFile faulty = faulty(false);
    Path file = open();
    OutputStream stream = log.stream(new Reports(origin));
    stream.write("header".getBytes(StandardCharsets.UTF_8));
    stream.write('\n');
    stream.write("xone\nx".getBytes(StandardCharsets.UTF_8), 1, 4);
    faulty.fails = number -> true;
    stream.write("lost".getBytes(StandardCharsets.UTF_8));
    faulty.heal();
    stream.close();
    assertThat(faulty.operations).endsWith("close");

    write("two\n");
    assertThat(file).hasContent("header\none\ntwo\n");
    Reports.flush(origin.getContext());
    assertThat(origin.getContext().getStatusManager().getCopyOfStatusList())
        .singleElement()
        .asString()
        .contains("WARN", "header or footer", file.toString(), "No space left", "To do: free");
  }

  /** RLIMIT_FSIZE, as {@code ulimit -f} sets it: a write fails with EFBIG in the middle. */
  @Test
  void shouldTearNothingAtTheLimitOfFileSizes() throws IOException {
    Path file = open();
    String pid = String.valueOf(ProcessHandle.current().pid());
    write(chunk('a'));
    Shell.run("prlimit", "--pid", pid, "--fsize=" + 5 * 4_096 + ":unlimited");
    try {
      assertThatThrownBy(() -> write(chunk('b'))).hasMessageContaining("File too large");
      assertThat(file).hasContent(chunk('a'));
    } finally {
      Shell.run("prlimit", "--pid", pid, "--fsize=unlimited:unlimited");
    }
    write(chunk('b'));
    assertThat(file).hasContent(chunk('a') + chunk('b'));
  }
}
