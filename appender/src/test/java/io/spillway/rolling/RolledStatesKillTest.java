package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Fork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 in each state of a rolled file, of a fixed window that is full: the rollover of "four"
 * has begun, "one" is to go. Nothing else is lost, all is whole and in order, and the next start
 * goes on from there.
 */
@Tag("slow")
@Tag("gate")
@Timeout(600)
class RolledStatesKillTest {
  private static final List<String> HISTORY = List.of("one", "two", "three", "four", "five");

  @TempDir Path directory;

  /** The states, in the order of the renames that lead on from them. */
  enum State {
    ACTIVE("app.1.log.gz", "app.2.log.gz", "app.3.log.gz", "app.log"),
    ROLLED("app.1.log.gz", "app.2.log.gz", "app.3.log.gz", "app.log", "app.log.T.000004.rolled"),
    OLDEST_DONE("app.1.log.gz", "app.2.log.gz", "app.log", "app.log.T.000004.rolled"),
    GAP_AT_TWO("app.1.log.gz", "app.3.log.gz", "app.log", "app.log.T.000004.rolled"),
    GAP_AT_ONE("app.2.log.gz", "app.3.log.gz", "app.log", "app.log.T.000004.rolled"),
    RAW_AND_PART("app.1.log", "app.2.log.gz", "app.3.log.gz", "app.log"),
    RAW_AND_ARCHIVE("app.1.log", "app.1.log.gz", "app.2.log.gz", "app.3.log.gz", "app.log"),
    ARCHIVE_AND_DONE("app.1.log.gz", "app.2.log.gz", "app.3.log.gz", "app.log");

    private final List<String> names;

    State(String... names) {
      this.names = List.of(names);
    }
  }

  /** Says where it is, and waits there to be killed, before or after a rename. */
  public static final class Child {
    private static final int FIRST = 3; // of the rollovers before

    private Child() {}

    public static void main(String[] arguments) {
      Path logs = Path.of(arguments[0]);
      int fatal = Integer.parseInt(arguments[1]);
      CountDownLatch logged = new CountDownLatch(fatal == 0 ? 0 : 1);
      AtomicInteger renames = new AtomicInteger(Integer.MIN_VALUE);
      Disk files =
          new Disk() {
            @Override
            public void rename(Path from, Path to) throws IOException {
              if (renames.get() == fatal) {
                awaitKill(logged);
              }
              super.rename(from, to);
              if (renames.incrementAndGet() == fatal
                  && fatal == RolledStatesKillTest.State.values().length - 1) {
                awaitKill(logged);
              }
            }
          };
      OnDemand trigger = new OnDemand();
      RollingRig rig = start(logs, files, trigger);
      for (int i = 0; i < FIRST; i++) {
        rig.log(HISTORY.get(i));
        trigger.roll();
        if (i > 0) {
          rig.await("archived", () -> isSettled(logs));
        }
      }
      rig.log(HISTORY.get(FIRST));
      rig.await("archived", () -> isSettled(logs));
      renames.set(0);
      trigger.roll();
      rig.log(HISTORY.get(FIRST + 1));
      logged.countDown();
      rig.await("never", () -> false);
    }

    private static void awaitKill(CountDownLatch logged) {
      try {
        logged.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      System.out.println("there");
      System.out.flush();
      while (true) {
        java.util.concurrent.locks.LockSupport.park();
      }
    }
  }

  private static RollingRig start(Path logs, Disk files, OnDemand trigger) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.files = files;
    policy.setFileNamePattern(logs.resolve("app.%i.log.gz").toString());
    policy.setMaxIndex("3");
    return new RollingRig(Host.STOCK, logs.resolve("app.log")).with(policy, trigger).start();
  }

  private static boolean isSettled(Path logs) {
    return Tree.names(logs).stream().allMatch(name -> name.matches("app\\.log|.*\\.gz"));
  }

  @ParameterizedTest
  @EnumSource
  void shouldGoOnFromEachState(State state) throws IOException {
    Path logs = Files.createDirectories(directory.resolve("logs"));
    try (Fork child = Fork.start(Child.class, List.of(), logs, state.ordinal())) {
      child.awaitLine("there");
      child.kill();
    }
    Map<String, String> left = left(logs);
    assertThat(left.keySet()).containsExactlyElementsOf(state.names);
    boolean dropped = state.ordinal() > State.ROLLED.ordinal();
    boolean rolled = state != State.ACTIVE;
    assertThat(oldestFirst(left)).isEqualTo(HISTORY.subList(dropped ? 1 : 0, rolled ? 5 : 4));
    try (RollingRig next = start(logs, new Disk(), new OnDemand())) {
      next.log("six");
      next.await("archived", () -> isSettled(logs));
      assertThat(Tree.of(logs))
          .isEqualTo(
              rolled
                  ? Map.of(
                      "app.1.log.gz", "four\n",
                      "app.2.log.gz", "three\n",
                      "app.3.log.gz", "two\n",
                      "app.log", "five\nsix\n")
                  : Map.of(
                      "app.1.log.gz", "three\n",
                      "app.2.log.gz", "two\n",
                      "app.3.log.gz", "one\n",
                      "app.log", "four\nsix\n"));
    }
  }

  /** Names without what differs from run to run, but for parts and what is being deleted. */
  private static Map<String, String> left(Path logs) throws IOException {
    Map<String, String> left = new TreeMap<>();
    try (Stream<Path> all = Files.list(logs)) {
      for (Path file : (Iterable<Path>) all::iterator) {
        String name = file.getFileName().toString();
        if (!name.matches(".*\\.(part|delete)")) {
          left.put(
              name.replaceFirst("\\.log\\.[-\\d]+T[-.\\d]+Z", ".log.T"),
              Tree.content(file).strip());
        }
      }
    }
    return left;
  }

  /** A rolled file and its archive count once. */
  private static List<String> oldestFirst(Map<String, String> left) {
    List<String> contents = new ArrayList<>();
    for (String name : List.of("app.3", "app.2", "app.1", "app.log.T", "app.log")) {
      left.entrySet().stream()
          .filter(
              file ->
                  name.equals("app.log")
                      ? file.getKey().equals(name)
                      : file.getKey().startsWith(name))
          .map(Map.Entry::getValue)
          .distinct()
          .filter(content -> !content.isEmpty())
          .forEach(contents::add);
    }
    return contents;
  }
}
