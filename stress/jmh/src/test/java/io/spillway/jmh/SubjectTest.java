package io.spillway.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SubjectTest {
  private static final int CALLS = 20_000; // more than the smallest queue takes

  @TempDir Path place;

  @BeforeEach
  void useDirectory() {
    System.setProperty(WorkDirectory.PLACE, place.toString());
  }

  @ParameterizedTest
  @EnumSource
  void shouldHaveEachEventInTheFileAndLeaveNothing(AppenderKind kind) throws Exception {
    for (int i = 0; i < 2; i++) { // Log4j 2 starts a second context from the same classes
      try (Subject subject = new Subject(kind)) {
        log(subject);
        subject.stop();
        subject.requireLines(CALLS);
        assertThatThrownBy(() -> subject.requireLines(CALLS + 2))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining((CALLS + 2) + " log calls, " + CALLS + " lines in the file");
      }
    }
    assertThat(place).isEmptyDirectory();
  }

  @Test
  void shouldHaveAsyncLoggersOfLog4j() throws Exception {
    try (Subject subject = new Subject(AppenderKind.LOG4J2_ASYNC)) {
      log(subject);
      assertThat(Thread.getAllStackTraces().keySet())
          .anyMatch(thread -> thread.getName().contains("AsyncLogger"));
    }
  }

  private static void log(Subject subject) {
    for (int i = 0; i < CALLS; i++) {
      subject.logger().info("order {} accepted", i);
    }
  }
}
