package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.stress.cli.CommandLineTool;
import io.spillway.stress.report.RefusedException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be watched is refused by a message that names the process and the remedy. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WatchRefusalTest {

  @TempDir Path out;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @Test
  void shouldRefuseAProcessThatIsNotThere() throws Exception {
    Process ended = new ProcessBuilder("true").start();
    ended.waitFor();

    assertRefused(ended.pid(), "there is no process " + ended.pid());
  }

  @Test
  void shouldRefuseAProcessThatIsNoJvmAndLeaveItAlone() throws Exception {
    Process other = new ProcessBuilder("sleep", "600").start();
    try {
      assertRefused(other.pid(), "process " + other.pid() + " is not a HotSpot JVM");
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly().waitFor();
    }
  }

  @Test
  void shouldRefuseATargetThatForbidsToBeAttachedTo() throws Exception {
    try (ForkedJvm target =
        ForkedJvm.java(
            ForkedJvm.OWN_JDK,
            "-XX:+DisableAttachMechanism",
            HoldUpTarget.class.getName(),
            "platform")) {
      target.await("ready");

      assertRefused(target.pid(), "process " + target.pid() + " refuses", "DisableAttachMechanism");
      assertThat(target.alive()).isTrue();
    }
  }

  @Test
  void shouldRefuseATargetWithoutAFlightRecorder() throws Exception {
    try (ForkedJvm target =
            ForkedJvm.java(
                ForkedJvm.OWN_JDK,
                "-XX:-FlightRecorder",
                HoldUpTarget.class.getName(),
                "platform");
        ForkedJvm watcher =
            ForkedJvm.watcher(ForkedJvm.OWN_JDK, target.pid(), "--out", out.resolve("results"))) {
      target.await("ready");

      assertThat(watcher.awaitEnd()).as(watcher.said()).isEqualTo(2);
      assertThat(watcher.said())
          .startsWith("spillway-stress: process " + target.pid() + " cannot record")
          .contains("disabled", "-XX:-FlightRecorder");
      assertThat(out).isEmptyDirectory();
    }
  }

  /** It was attached to before, so that a connection is made and never answered. */
  @Test
  void shouldRefuseATargetThatIsStopped() throws Exception {
    Watch watch = new Watch(new Watch.Options(1, 1, out), new PrintStream(printed), false);
    try (ForkedJvm jvm = ForkedJvm.target(ForkedJvm.OWN_JDK, "platform");
        Watch.StopSignal stop = new Watch.StopSignal()) {
      jvm.await("ready");
      Target target = Target.attach(jvm.pid(), 1);
      jvm.signal("STOP");

      assertThatThrownBy(() -> watch.execute(target, stop))
          .isInstanceOf(RefusedException.class)
          .hasMessageStartingWith("process " + jvm.pid() + " has not answered for 1 s; if it is");
      assertThat(out).isEmptyDirectory();
    }
  }

  @Test
  void shouldRefuseATargetThatEndsBeforeItRecords() throws Exception {
    Watch watch = new Watch(new Watch.Options(1, 1, out), new PrintStream(printed), false);
    try (ForkedJvm jvm = ForkedJvm.target(ForkedJvm.OWN_JDK, "platform");
        Watch.StopSignal stop = new Watch.StopSignal()) {
      jvm.await("ready");
      Target target = Target.attach(jvm.pid());
      jvm.signal("KILL");
      jvm.awaitEnd();

      assertThatThrownBy(() -> watch.execute(target, stop))
          .isInstanceOf(RefusedException.class)
          .hasMessage("process " + jvm.pid() + " ended before there was anything to see of it");
      assertThat(out).isEmptyDirectory();
    }
  }

  @Test
  void shouldRefuseItself() {
    long self = ProcessHandle.current().pid();

    assertThatThrownBy(() -> Target.check(self))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("process " + self + " is this watcher itself");
  }

  @Test
  void shouldRefuseOtherUsersProcessesUnlessRoot() {
    assertThatThrownBy(() -> Target.requireSameUser(4711, Optional.of("shop"), Optional.of("me")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("process 4711 belongs to user shop")
        .hasMessageContaining("sudo -u shop");
    Target.requireSameUser(4711, Optional.of("me"), Optional.of("me"));
    Target.requireSameUser(4711, Optional.of("shop"), Optional.of("root"));
  }

  @Test
  void shouldTellOpenJ9FromHotSpotByItsLibraries() {
    String hotSpot = "7f00-7f01 r-xp 0 0:1 1 /usr/lib/jvm/java/lib/server/libjvm.so\n";
    String openJ9 = hotSpot + "7f02-7f03 r-xp 0 0:1 1 /opt/java/lib/default/libj9vm29.so\n";

    Target.requireHotSpot(4711, hotSpot);
    assertThatThrownBy(() -> Target.requireHotSpot(4711, openJ9))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("process 4711 runs on OpenJ9")
        .hasMessageContaining("HotSpot");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "3601", "many", "-1"})
  void shouldCheckTheSeconds(String seconds) {
    assertThat(execute("1", "--seconds", seconds)).isEqualTo(2);
    assertThat(said()).contains("--seconds").contains("'" + seconds + "'");
  }

  @Test
  void shouldListTheJvmsIfNoneIsNamed() throws Exception {
    try (ForkedJvm target = ForkedJvm.target(ForkedJvm.OWN_JDK, "platform")) {
      target.await("ready");

      assertThat(execute()).isZero();

      assertThat(said())
          .contains(target.pid() + "  " + HoldUpTarget.class.getName() + " platform")
          .doesNotContain(ProcessHandle.current().pid() + "  ");
    }
  }

  private void assertRefused(long pid, String... parts) {
    int code = execute(Long.toString(pid), "--out", out.resolve("results").toString());

    assertThat(code).as(said()).isEqualTo(2);
    assertThat(said()).contains(parts).startsWith("spillway-stress: ");
    assertThat(said().lines()).hasSize(1);
    assertThat(out).isEmptyDirectory();
  }

  /** In this JVM: only a target that is attached to is asked what needs the jar's manifest. */
  private int execute(String... arguments) {
    String[] all =
        Stream.concat(Stream.of("watch"), Arrays.stream(arguments)).toArray(String[]::new);
    PrintStream print = new PrintStream(printed, true);
    return CommandLineTool.execute(all, print, print);
  }

  private String said() {
    return printed.toString(StandardCharsets.UTF_8);
  }
}
