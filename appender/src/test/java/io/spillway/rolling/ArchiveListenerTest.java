package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.spi.LifeCycle;
import ch.qos.logback.core.util.FileSize;
import io.spillway.archive.ArchiveListener;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each archive is given at least once, whatever happens; none that is taken is given again. */
@Timeout(60)
class ArchiveListenerTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private final Recorder listener = new Recorder();
  private RollingRig rig;

  /** Takes archives, unless told otherwise. */
  private static final class Recorder implements ArchiveListener, LifeCycle {
    private final List<String> given = new CopyOnWriteArrayList<>();
    private volatile Consumer<String> more = name -> {};
    private volatile boolean broken;
    private volatile boolean started;

    @Override
    public void archived(Path archive) {
      assertThat(started).isTrue();
      given.add(archive.getFileName() + " " + readable(archive));
      more.accept(archive.getFileName().toString());
    }

    private static String readable(Path archive) {
      try {
        return Tree.content(archive).strip();
      } catch (IOException damaged) {
        return damaged.toString();
      }
    }

    @Override
    public void start() {
      if (broken) {
        throw new IllegalStateException("no connection");
      }
      started = true;
    }

    @Override
    public void stop() {
      started = false;
    }

    @Override
    public boolean isStarted() {
      return started;
    }
  }

  @BeforeEach
  void start() {
    start(".gz", true);
  }

  private void start(String suffix, boolean withFile) {
    SizeAndTimeBasedRollingPolicy<ch.qos.logback.classic.spi.ILoggingEvent> policy =
        new SizeAndTimeBasedRollingPolicy<>();
    policy.setFileNamePattern(directory.resolve("app.%d{yyyy-MM}.%i.log" + suffix).toString());
    policy.setMaxFileSize(new FileSize(1));
    policy.setArchiveListener(listener);
    rig = new RollingRig(Host.STOCK, withFile ? directory.resolve("app.log") : null);
    rig.with(policy, policy).start();
  }

  private void restart(String suffix, boolean withFile) {
    rig.close();
    start(suffix, withFile);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private void log(int from, int to) {
    IntStream.range(from, to).forEach(i -> rig.log("m" + i));
  }

  private void awaitGiven(String... messages) {
    rig.await(
        "given " + List.of(messages),
        () ->
            listener.given.stream()
                .map(each -> each.split(" ", 2)[1])
                .toList()
                .equals(List.of(messages)));
  }

  private long owed() {
    return ((ArchivingPolicy) rig.appender.getRollingPolicy()).getArchiveMetrics().listenerOwed();
  }

  @ParameterizedTest
  @CsvSource({".gz, true", ".gz, false", "'', true", "'', false"})
  void shouldGiveEachArchiveOnceAcrossRestarts(String suffix, boolean withFile) {
    restart(suffix, withFile);
    log(0, 3);
    awaitGiven("m0", "m1");
    restart(suffix, withFile);
    log(3, 5);
    awaitGiven("m0", "m1", "m2", "m3");
    rig.await("none is owed", () -> owed() == 0);
    assertThat(rig.errors()).isEmpty();
  }

  @Test
  void shouldGiveAgainWhatIsRefusedAndOthersMeanwhile() {
    listener.more =
        name -> {
          if (name.contains(".0.") && listener.given.size() < 4) {
            throw new IllegalStateException("not now");
          }
        };
    log(0, 4);
    awaitGiven("m0", "m1", "m2", "m0");
    rig.await("none is owed", () -> owed() == 0);
    assertThat(rig.warnings()).anyMatch(w -> w.contains("not now") && w.contains("To do: "));
  }

  @Test
  void shouldGiveAgainAfterACrashWhatWasInHand() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    Thread[] crashed = {null};
    listener.more =
        name -> {
          crashed[0] = Thread.currentThread();
          try {
            released.await(20, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        };
    log(0, 3);
    rig.await("in hand", () -> !listener.given.isEmpty());
    rig.awaitArchived(); // nobody waits for the listener
    assertThat(directory.resolve("app.log.taken")).doesNotExist();
    long begin = System.nanoTime();
    rig.close();
    assertThat(System.nanoTime() - begin).as("a stop does not wait").isLessThan(10_000_000_000L);
    listener.more = name -> {};
    start();
    awaitGiven("m0", "m0", "m1");
    released.countDown();
    crashed[0].join(TimeUnit.SECONDS.toMillis(20)); // it still writes beside the log
  }

  @Test
  void shouldGiveAllAgainWithoutTheListAndWhatACutLineNamed() throws Exception {
    log(0, 4);
    awaitGiven("m0", "m1", "m2");
    Path list = awaitListed(3);
    rig.close();
    List<String> lines = new ArrayList<>(Files.readAllLines(list));
    assertThat(lines).hasSize(3).allMatch(line -> line.matches("app\\.[-\\d]+\\.\\d\\.log\\.gz"));
    Files.writeString(list, lines.get(0) + "\n" + lines.get(1) + "\napp.2026");
    listener.given.clear();
    start();
    awaitGiven("m2");
    rig.await(
        "listed",
        () -> new java.util.TreeSet<>(lines(list)).equals(new java.util.TreeSet<>(lines)));
    rig.close();
    Files.delete(list);
    listener.given.clear();
    start();
    awaitGiven("m0", "m1", "m2");
  }

  private Path awaitListed(int count) {
    Path list = directory.resolve("app.log.taken");
    rig.await("listed", () -> lines(list).size() == count);
    return list;
  }

  private static List<String> lines(Path list) {
    try {
      return Files.readAllLines(list);
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Also an index that is used again, after a restart without the archives of before. */
  @Test
  void shouldForgetWhatTheListenerHasDeleted() {
    listener.more = name -> assertThat(directory.resolve(name).toFile().delete()).isTrue();
    log(0, 3);
    awaitGiven("m0", "m1");
    restart(".gz", true);
    log(3, 5);
    awaitGiven("m0", "m1", "m2", "m3");
    rig.await("none is owed", () -> owed() == 0);
    assertThat(Tree.names(directory)).containsExactlyInAnyOrder("app.log", "app.log.taken");
  }

  @Test
  void shouldGoOnWhenTheListCannotBeWritten() throws Exception {
    log(0, 2);
    awaitGiven("m0");
    Path list = directory.resolve("app.log.taken");
    rig.await("the list", () -> Files.exists(list));
    Files.delete(list);
    Files.createDirectory(list);
    log(2, 3);
    awaitGiven("m0", "m1");
    rig.await("told", () -> rig.warnings().stream().anyMatch(w -> w.contains("app.log.taken")));
    assertThat(rig.errors()).isEmpty();
  }

  /** A power cut may end the list inside a character. */
  @Test
  void shouldGiveWhatABrokenLineNamed() throws Exception {
    log(0, 4);
    awaitGiven("m0", "m1", "m2");
    Path list = awaitListed(3);
    rig.close();
    String whole = Files.readString(list);
    String cut = whole.substring(0, whole.lastIndexOf('.')) + "\u00c3";
    Files.writeString(list, cut, StandardCharsets.ISO_8859_1);
    listener.given.clear();
    start();
    awaitGiven("m2");
  }

  @Test
  void shouldCompressWhileTheListCannotBeRead() throws Exception {
    log(0, 3);
    awaitGiven("m0", "m1");
    Path list = awaitListed(2);
    rig.close();
    String whole = Files.readString(list);
    Files.delete(list);
    Files.createDirectory(list);
    start();
    log(3, 4);
    rig.await("archived", () -> isArchived("2"));
    rig.await("told", () -> rig.warnings().stream().anyMatch(w -> w.contains("[" + list + "]")));
    assertThat(listener.given).hasSize(2);
    assertThat(rig.errors()).isEmpty();
    Files.delete(list);
    Files.writeString(list, whole);
    awaitGiven("m0", "m1", "m2");
  }

  @Test
  void shouldCompressWhileTheListenerCannotStart() {
    rig.close();
    listener.broken = true;
    start();
    log(0, 2);
    rig.await("archived", () -> isArchived("0"));
    rig.await("told", () -> rig.errors().stream().anyMatch(e -> e.contains("no connection")));
    listener.broken = false;
    awaitGiven("m0");
  }

  private boolean isArchived(String index) {
    return Tree.names(directory).stream().anyMatch(n -> n.endsWith("." + index + ".log.gz"));
  }
}
