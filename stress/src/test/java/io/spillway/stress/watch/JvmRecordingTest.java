package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class JvmRecordingTest {

  /** Another recording of the target may have the JDK's defaults, which are 100 a second. */
  @Test
  void shouldAskForEverySystemCallWhateverElseRecords() {
    assertThat(JvmRecording.command("ours", 60, Set.of("jdk.ThreadPark")))
        .contains(" +jdk.SocketRead#throttle=", " +jdk.FileWrite#throttle=")
        .doesNotContain("ThreadPark#throttle", "throttle=off"); // which would not win
  }
}
