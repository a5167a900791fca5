package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.record.WaitEvents;
import org.junit.jupiter.api.Test;

class JvmRecordingTest {
  private static final String NAME = "spillway-watch-4194304+++";

  /** Another recording of the target may have the JDK's defaults, which are 100 a second. */
  @Test
  void shouldAskForEverySystemCallWhateverElseRecords() {
    assertThat(JvmRecording.calls(NAME, 60))
        .contains(" +jdk.SocketRead#throttle=", " +jdk.FileWrite#throttle=")
        .doesNotContain("throttle=off"); // which would not win
  }

  /** A JVM of Java 17 takes no more characters at once. */
  @Test
  void shouldAskInCommandsThatEveryTargetTakes() {
    assertThat(JvmRecording.calls(NAME, 86_400)).hasSizeLessThanOrEqualTo(1_024);
    assertThat(JvmRecording.waits(NAME, 86_400, WaitEvents.WAITS)).hasSizeLessThanOrEqualTo(1_024);
  }
}
