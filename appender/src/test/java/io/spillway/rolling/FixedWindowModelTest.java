package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.compress.RolledName;
import io.spillway.internal.disk.Disk;
import io.spillway.rolling.RollingRig.Host;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Rollovers, slow and failing compressions, crashes at any rename, stops and starts, in random
 * order, against a model that is a list: those that wait for a number and then the archives by
 * index are the newest at every instant, in this order, whole, and nothing is lost but what falls
 * off the window.
 */
@Timeout(600)
@Tag("slow")
class FixedWindowModelTest {
  private static final int STEPS = Boolean.getBoolean("spillway.test.full") ? 3_000 : 150;
  private static final int MIN = 1;
  private static final int MAX = 4;

  @TempDir Path directory;
  private final List<String> newestFirst = new ArrayList<>();
  private String active = "";
  private Random random;
  private CountingFiles files;
  private FixedWindowRollingPolicy policy;
  private OnDemand trigger;
  private RollingRig rig;
  private int logged;
  private int crashes;

  @AfterEach
  void letGo() {
    GatedFormat.reset();
    rig.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldKeepTheOrderOfAgeWhateverHappens(long seed) throws IOException {
    random = new Random(seed);
    start();
    for (int step = 0; step < STEPS; step++) {
      String action = act();
      check("seed " + seed + ", step " + step + ": " + action);
    }
    GatedFormat.reset();
    restart(); // files that were put off after a failure are not waited for
    RollingRig.await("all archived", this::isArchived, () -> Tree.of(logs()));
    check("seed " + seed + ", at the end");
    assertThat(crashes).isPositive();
  }

  private String act() throws IOException {
    int dice = random.nextInt(100);
    if (dice < 50) {
      log();
      roll();
      return "roll";
    } else if (dice < 62) {
      GatedFormat.GATE.letThrough(random.nextInt(6));
      return "slow";
    } else if (dice < 72) {
      GatedFormat.reset();
      return "fast";
    } else if (dice < 75) {
      GatedFormat.failing = true;
      return "failing";
    } else if (dice < 80) {
      GatedFormat.reset();
      long archived = policy.getArchiveMetrics().archived();
      rig.await("some archived", () -> policy.getArchiveMetrics().archived() > archived || idle());
      return "archived";
    } else if (dice < 90) {
      log();
      return "crash with " + crash();
    }
    restart();
    return "restart";
  }

  /** Nothing waits, or it waits for a second because of a failure. */
  private boolean idle() {
    return isArchived() || policy.getArchiveMetrics().failures() > 0;
  }

  private void log() {
    String message = "file " + logged++ + " " + "x".repeat(random.nextInt(8) == 0 ? 600_000 : 100);
    rig.log(message);
    active += message + "\n";
  }

  private void roll() {
    trigger.roll();
    String message = "first of " + logged++;
    rig.log(message);
    rolled();
    active = message + "\n";
  }

  private void rolled() {
    newestFirst.add(0, active);
  }

  private String crash() {
    boolean after = random.nextBoolean();
    files.crash(random.nextInt(MAX + 4), after);
    roll();
    rig.await(
        "crashed or done",
        () -> files.isCrashed() || GatedFormat.GATE.isHolding() || waiting().isEmpty());
    files.crash(-1, false); // there were fewer renames, or it is held
    if (!files.isCrashed()) {
      return "no crash";
    }
    crashes++;
    policy.archiver().stop(); // as far as that is possible within one process
    restart(); // nor does a process that is gone keep its file open
    return after ? "a rename done" : "a rename not done";
  }

  /** The rolled files that have no number yet, the newest first. */
  private List<Path> waiting() {
    try {
      List<RolledName> waiting = new ArrayList<>(RolledName.list(new Disk(), file()));
      Collections.reverse(waiting);
      return waiting.stream().map(RolledName::path).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void restart() {
    rig.close();
    start();
  }

  private void start() {
    policy = new FixedWindowRollingPolicy();
    policy.files = files = new CountingFiles();
    policy.setFileNamePattern(logs().resolve("app.%i.log" + GatedFormat.SUFFIX).toString());
    policy.setMinIndex(String.valueOf(MIN));
    policy.setMaxIndex(String.valueOf(MAX));
    policy.setCompressionCpuShare("100");
    trigger = new OnDemand();
    rig = new RollingRig(Host.STOCK, file()).with(policy, trigger).start();
  }

  private Path logs() {
    return directory.resolve("logs");
  }

  private Path file() {
    return logs().resolve("app.log");
  }

  private void check(String what) throws IOException {
    List<List<String>> found = null;
    int window = 0;
    do { // until nothing is renamed meanwhile
      Object before = names();
      try {
        found = new ArrayList<>();
        for (Path each : waiting()) {
          found.add(List.of(Tree.content(each)));
        }
        window = found.size() + MAX - MIN + 1;
        for (int index = MIN; index <= MAX; index++) {
          List<String> contents = new ArrayList<>();
          for (Path each : policy.names().all("app." + index + ".log")) {
            if (Files.exists(each)) {
              contents.add(Tree.content(each));
            }
          }
          if (!found.isEmpty() && contents.equals(found.get(found.size() - 1))) {
            continue; // a rolled file and its archive that a crash has parted
          }
          if (!contents.isEmpty()) { // a crash may leave a gap, which the next shift fills
            found.add(contents);
          }
        }
        assertThat(Tree.content(file()).equals(active)).as("active file after " + what).isTrue();
      } catch (NoSuchFileException renamed) {
        found = null;
      }
      found = before.equals(names()) ? found : null;
    } while (found == null);
    for (int rank = 0; rank < found.size(); rank++) {
      for (String content : found.get(rank)) {
        assertThat(beginning(content))
            .as("rank " + rank + " after " + what)
            .isEqualTo(beginning(newestFirst.get(rank)));
        assertThat(content.equals(newestFirst.get(rank))).as("whole " + rank).isTrue();
      }
    }
    assertThat(found.size())
        .as("files after " + what)
        .isBetween(Math.min(newestFirst.size(), MAX - MIN + 1), window);
  }

  /** The names, and which file each stands for. */
  private Map<String, Object> names() throws IOException {
    while (true) {
      Map<String, Object> names = new HashMap<>();
      try (DirectoryStream<Path> entries = Files.newDirectoryStream(logs())) {
        for (Path entry : entries) {
          names.put(
              entry.getFileName().toString(),
              Files.readAttributes(entry, BasicFileAttributes.class).fileKey());
        }
        return names;
      } catch (NoSuchFileException renamed) {
        Thread.onSpinWait();
      }
    }
  }

  private static String beginning(String content) {
    return content.substring(0, Math.min(content.length(), 20));
  }

  /** Nothing but the active file and archives is left. */
  private boolean isArchived() {
    Map<String, String> tree = Tree.of(logs());
    return tree != null
        && tree.keySet().stream()
            .allMatch(name -> name.equals("app.log") || name.endsWith(GatedFormat.SUFFIX));
  }
}
