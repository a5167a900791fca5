package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.compress.ArchiveFiles;
import io.spillway.internal.compress.FaultyFiles;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.Fork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * kill -9 in each state of a rolled file, of a fixed window that is full: the rollover of "four"
 * has begun, "one" is to go. Nothing else is lost, and the next start goes on from there.
 */
@Tag("slow")
@Tag("gate")
@Timeout(600)
class RolledStatesKillTest {
  @TempDir Path directory;

  /** The states, each by the operation before which the process dies, and the names then. */
  enum State {
    ACTIVE("delete app.3.log.gz", "1z 2z 3z", "four"),
    OLDEST_GONE("rename app.3.log.gz", "1z 2z", "four"),
    SHIFTED("rename app.1.log", "2z 3z", "four"),
    RAW("create app.1.log.gz.part", "1 2z 3z", "five"),
    RAW_AND_PART("copyAttributes app.1.log.gz.part", "1 2z 3z", "five"),
    PART_FORCED("rename app.1.log.gz", "1 2z 3z", "five"),
    RAW_AND_ARCHIVE("delete app.1.log", "1 1z 2z 3z", "five");

    private final String operation;
    private final Set<String> names = new TreeSet<>(Set.of("app.log"));
    private final String last; // that is logged

    State(String operation, String names, String last) {
      this.operation = operation;
      this.last = last;
      for (String name : names.split(" ")) {
        this.names.add("app." + name.charAt(0) + ".log" + (name.endsWith("z") ? ".gz" : ""));
      }
    }
  }

  /** Rolls over until the state, in which it dies. */
  public static final class Child {
    private Child() {}

    public static void main(String[] arguments) {
      AtomicReference<String> fatal = new AtomicReference<>("none");
      AtomicBoolean written = new AtomicBoolean();
      Thread writer = Thread.currentThread();
      FaultyFiles files =
          new FaultyFiles()
              .hook(
                  (operation, file) -> {
                    if ((operation + " " + file.getFileName()).equals(fatal.get())) {
                      while (Thread.currentThread() != writer && !written.get()) {
                        Thread.onSpinWait(); // the compressor, until "five" is in the file
                      }
                      Runtime.getRuntime().halt(137);
                    }
                  });
      OnDemand trigger = new OnDemand();
      RollingRig rig = start(Path.of(arguments[0]), files, trigger);
      for (String message : List.of("one", "two", "three")) {
        rig.log(message);
        trigger.roll();
      }
      rig.log("four");
      rig.awaitArchived();
      fatal.set(arguments[1]);
      trigger.roll();
      rig.log("five");
      written.set(true);
      rig.awaitArchived();
    }
  }

  private static RollingRig start(Path logs, ArchiveFiles files, OnDemand trigger) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.archiving().settings.files = files;
    policy.setFileNamePattern(logs.resolve("app.%i.log.gz").toString());
    policy.setMaxIndex(3);
    return new RollingRig(Host.STOCK, logs.resolve("app.log")).with(policy, trigger).start();
  }

  @ParameterizedTest
  @EnumSource
  void shouldGoOnFromEachState(State state) throws Exception {
    Path logs = Files.createDirectories(directory.resolve("logs"));
    try (Fork child = Fork.start(Child.class, List.of(), logs, state.operation)) {
      assertThat(child.awaitEnd()).isEqualTo(137);
    }
    Map<String, String> left = Tree.of(logs);
    left.keySet().removeIf(name -> name.endsWith(".part"));
    assertThat(left.keySet()).isEqualTo(state.names);
    assertThat(left).containsEntry("app.log", state.last + "\n");
    OnDemand trigger = new OnDemand();
    try (RollingRig next = start(logs, new ArchiveFiles(), trigger)) {
      next.log("six");
      trigger.roll();
      next.log("seven");
      next.awaitArchived();
    }
    boolean rolled = state.last.equals("five");
    assertThat(Tree.of(logs))
        .isEqualTo(
            Map.of(
                "app.1.log.gz",
                state.last + "\nsix\n",
                "app.2.log.gz",
                rolled ? "four\n" : "three\n",
                "app.3.log.gz",
                rolled ? "three\n" : "two\n",
                "app.log",
                "seven\n"));
  }
}
