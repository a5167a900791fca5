package io.spillway.rolling;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.RollingRig.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Archives whose names are nearly or just as long as the file system takes. */
@Timeout(60)
class LongNamesTest {
  private static final int LONGEST = 255;

  @TempDir Path directory;

  /** A name of so many bytes for the archive of each index of one digit. */
  private static String pattern(String character, int bytes, String end) {
    int rest = bytes - end.length() + 1; // %i is one longer than a digit
    int width = character.getBytes(UTF_8).length;
    return "x".repeat(rest % width) + character.repeat(rest / width) + end;
  }

  private RollingRig rig(String pattern, OnDemand trigger, Host host) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(directory + "/" + pattern);
    policy.setMaxIndex(2);
    return new RollingRig(host, directory.resolve("app.log")).with(policy, trigger);
  }

  @ParameterizedTest
  @CsvSource({
    "a, 228, ON_ROLLOVER",
    "a, 229, ON_ROLLOVER",
    "a, 240, ON_ROLLOVER",
    "a, 255, ON_ROLLOVER",
    "a, 255, CONTINUOUS",
    "ü, 255, ON_ROLLOVER",
    "日, 254, CONTINUOUS",
    "😀, 255, ON_ROLLOVER",
  })
  void shouldCompressWhatHasALongName(String character, int bytes, String compression) {
    String pattern = pattern(character, bytes, ".%i.gz");
    Path newest = directory.resolve(pattern.replace("%i", "1"));
    assertThat(newest.getFileName().toString().getBytes(UTF_8)).hasSize(bytes);
    OnDemand trigger = new OnDemand();
    try (RollingRig rig = rig(pattern, trigger, Host.SPILLWAY)) {
      ((SpillwayRollingFileAppender<?>) rig.appender).setCompression(compression);
      rig.start();
      for (String message : List.of("a", "b", "c", "d")) { // the window drops one
        rig.log(message);
        trigger.roll();
      }
      rig.log("e");
      Map<String, String> expected =
          Map.of(
              "app.log",
              "e\n",
              newest.getFileName().toString(),
              "d\n",
              pattern.replace("%i", "2"),
              "c\n");
      rig.await("" + Tree.names(directory), () -> expected.equals(Tree.of(directory)));
      assertThat(rig.statuses()).noneMatch(s -> s.contains("Cannot "));
      assertThat(rig.errors()).isEmpty();
    }
  }

  /** What a crash leaves goes; what looks the same, but is another policy's, stays. */
  @ParameterizedTest
  @ValueSource(ints = {200, 229, 255})
  void shouldSweepWhatACrashLeft(int bytes) throws IOException {
    String pattern = pattern("ü", bytes, ".%i.gz");
    String other = pattern("ü", bytes, "-%i.gz");
    List<Path> others;
    try (RollingRig rig = rig(other, new OnDemand(), Host.STOCK)) {
      others = leave(rig, other);
    }
    try (RollingRig rig = rig(pattern, new OnDemand(), Host.STOCK)) {
      List<Path> left = leave(rig, pattern);
      rig.appender.getRollingPolicy().stop();
      assertThat(left).allMatch(Files::exists);
      rig.appender.getRollingPolicy().start();
      rig.await("swept", () -> left.stream().noneMatch(Files::exists));
      assertThat(others).allMatch(Files::exists);
    }
    assertThat(Set.copyOf(others)).hasSize(3);
  }

  private List<Path> leave(RollingRig rig, String pattern) throws IOException {
    rig.awaitArchived(); // after its sweep
    ArchivingPolicy policy = (ArchivingPolicy) rig.appender.getRollingPolicy();
    Path archive = directory.resolve(pattern.replace("%i", "1"));
    Path raw = directory.resolve(pattern.replace("%i.gz", "1"));
    List<Path> left =
        List.of(
            policy.names().part(archive), policy.names().done(archive), policy.names().done(raw));
    for (Path file : left) {
      assertThat(file.getFileName().toString().getBytes(UTF_8).length).isLessThanOrEqualTo(LONGEST);
      Files.writeString(file, "left");
    }
    return left;
  }
}
