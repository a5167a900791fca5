package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.rolling.CrashingMoves.Crash;
import io.spillway.rolling.RollingRig.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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
 * order, against a model that is a list: the archive of index i is the i-th newest at every
 * instant, whole, and nothing is lost but what falls off the window.
 */
@Timeout(600)
@Tag("shared")
class FixedWindowModelTest {
  private static final int STEPS = Boolean.getBoolean("spillway.test.full") ? 3_000 : 150;
  private static final int MIN = 1;
  private static final int MAX = 4;

  @TempDir Path directory;
  private final List<String> newestFirst = new ArrayList<>();
  private String active = "";
  private Random random;
  private CrashingMoves moves;
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
    while (newestFirst.size() > MAX - MIN + 1) {
      newestFirst.remove(newestFirst.size() - 1);
    }
  }

  private String crash() throws IOException {
    boolean full = newestFirst.size() == MAX - MIN + 1;
    boolean after = random.nextBoolean();
    moves.crash(random.nextInt(MAX + 2), after);
    trigger.roll();
    String message = "lost with the crash";
    try {
      rig.log(message);
      moves.crash(-1, false); // there were fewer renames
      rolled();
      active = message + "\n";
      return "no crash";
    } catch (Crash e) {
      crashes++;
    }
    policy.archiver().stop(); // as far as that is possible within one process
    if (Files.exists(file())) {
      if (full && !isLastThere()) {
        newestFirst.remove(newestFirst.size() - 1);
      }
    } else {
      rolled();
      active = "";
    }
    start();
    return full ? "a full window" : "room";
  }

  /** Whether the oldest has not been dropped yet to make room. */
  private boolean isLastThere() throws IOException {
    String last = newestFirst.get(newestFirst.size() - 1);
    for (Path each : policy.places().all("app." + MAX + ".log")) {
      if (Files.exists(each) && Tree.content(each).equals(last)) {
        return true;
      }
    }
    return false;
  }

  private void restart() {
    rig.close();
    start();
  }

  private void start() {
    policy = new FixedWindowRollingPolicy();
    policy.moves = moves = new CrashingMoves();
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
    policy.lock().lock();
    try {
      assertThat(Tree.content(file()).equals(active)).as("active file after " + what).isTrue();
      int rank = 0; // a crash may leave a gap, which the next shift fills
      for (int index = MIN; index <= MAX; index++) {
        List<String> found = new ArrayList<>();
        for (Path each : policy.places().all("app." + index + ".log")) {
          if (Files.exists(each)) {
            found.add(Tree.content(each));
          }
        }
        if (found.isEmpty()) {
          continue;
        }
        assertThat(rank).as("index " + index + " after " + what).isLessThan(newestFirst.size());
        for (String content : found) {
          assertThat(beginning(content))
              .as("index " + index + " after " + what)
              .isEqualTo(beginning(newestFirst.get(rank)));
          assertThat(content.equals(newestFirst.get(rank))).as("whole " + index).isTrue();
        }
        rank++;
      }
      assertThat(rank).as("files after " + what).isEqualTo(newestFirst.size());
    } finally {
      policy.lock().unlock();
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
