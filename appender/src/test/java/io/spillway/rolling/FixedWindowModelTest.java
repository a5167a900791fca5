package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.compress.Archives;
import io.spillway.internal.compress.FaultyFiles;
import io.spillway.rolling.RollingRig.Host;
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
 * Rollovers, slow and failing compressions, crashes at any operation, stops and starts, in random
 * order, against a model that is a list: the archives by index are the newest at every instant, in
 * this order, whole, and nothing is lost but what falls off the window.
 */
@Timeout(600)
@Tag("slow")
class FixedWindowModelTest {
  private static final int STEPS = Boolean.getBoolean("spillway.test.full") ? 3_000 : 200;
  private static final int MAX = 4;

  @TempDir Path directory;
  private final List<String> newestFirst = new ArrayList<>();
  private String active = "";
  private Random random;
  private FixedWindowRollingPolicy policy;
  private OnDemand trigger;
  private RollingRig rig;
  private volatile int fatal = Integer.MAX_VALUE; // operations from now on
  private int logged;
  private int crashes;

  @AfterEach
  void letGo() {
    GatedFormat.reset();
    rig.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldKeepTheOrderOfAgeWhateverHappens(long seed) {
    random = new Random(seed);
    start();
    for (int step = 0; step < STEPS; step++) {
      String action = act();
      check("seed " + seed + ", step " + step + ": " + action);
    }
    GatedFormat.reset();
    restart(); // files that were put off after a failure are not waited for
    rig.awaitArchived();
    check("seed " + seed + ", at the end");
    assertThat(Tree.names(logs())).allMatch(name -> name.matches("app\\.(log|\\d\\.log\\.gated)"));
    assertThat(crashes).isGreaterThan(STEPS / 50);
  }

  private String act() {
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
    } else if (dice < 92) {
      log();
      return crash();
    }
    restart();
    return "restart";
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
    newestFirst.add(0, active);
    active = message + "\n";
  }

  private String crash() {
    GatedFormat.reset();
    fatal = 1 + random.nextInt(12);
    int at = fatal;
    try {
      roll();
    } catch (Error dead) {
      boolean moved = !java.nio.file.Files.exists(logs().resolve("app.log"));
      if (moved) { // it died later, in the new name's business
        newestFirst.add(0, active);
        active = "";
      }
    }
    if (fatal > 0) {
      archives().awaitDone(200_000_000L);
    }
    boolean crashed = fatal <= 0;
    crashes += crashed ? 1 : 0;
    fatal = 0; // if it has not died yet, it does now
    archives().stop();
    rig.close();
    start();
    return crashed ? "crash at operation " + at : "no crash";
  }

  private void restart() {
    if (random.nextBoolean()) {
      GatedFormat.reset();
    } else {
      archives().stop(); // a compression that is held is not waited for
    }
    rig.close();
    start();
  }

  private void start() {
    fatal = Integer.MAX_VALUE;
    policy = new FixedWindowRollingPolicy();
    policy.archiving().settings.files =
        new FaultyFiles()
            .hook(
                (operation, file) -> {
                  if (fatal != Integer.MAX_VALUE && --fatal <= 0) {
                    throw new Error("crashed");
                  }
                });
    policy.setFileNamePattern(logs().resolve("app.%i.log" + GatedFormat.SUFFIX).toString());
    policy.setMaxIndex(MAX);
    policy.setCompressionCpuShare(100);
    trigger = new OnDemand();
    rig = new RollingRig(Host.STOCK, logs().resolve("app.log")).with(policy, trigger).start();
  }

  private Archives archives() {
    return policy.archiving().archives;
  }

  private Path logs() {
    return directory.resolve("logs");
  }

  private void check(String what) {
    Map<String, String> tree = null;
    while (tree == null) { // a part has gone meanwhile
      synchronized (archives()) { // nothing is renamed
        tree = Tree.of(logs());
      }
    }
    assertThat(tree.get("app.log").equals(active)).as("active file after " + what).isTrue();
    int rank = 0;
    String before = null; // the rolled file of the index before
    for (int index = 1; index <= MAX; index++) {
      String raw = tree.get("app." + index + ".log");
      String archive = tree.get("app." + index + ".log" + GatedFormat.SUFFIX);
      if (archive != null && raw == null && archive.equals(before)) {
        archive = null; // a crash has parted it from its rolled file, as the compressor will see
      }
      before = raw;
      if (raw == null && archive == null) {
        continue; // a gap, which the next shift fills
      }
      for (String content : new String[] {raw, archive}) {
        if (content != null) {
          assertThat(content.equals(newestFirst.get(rank)))
              .as("%d whole, at rank %d after %s: %s", index, rank, what, tree.keySet())
              .isTrue();
        }
      }
      rank++;
    }
    assertThat(rank)
        .as("files after %s: %s", what, tree.keySet())
        .isBetween(Math.min(newestFirst.size(), MAX - 1), MAX);
  }
}
