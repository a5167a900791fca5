package io.spillway.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SubjectTest {
  private static final int CALLS = 1_000;

  @ParameterizedTest
  @EnumSource
  void shouldAccountForEveryCall(AppenderKind kind) throws Exception {
    try (Subject subject = new Subject(kind)) {
      log(subject, CALLS);
      assertThat(subject.settle(CALLS)).isEqualTo(new Subject.Settlement(0, 0));
      log(subject, CALLS);
      assertThat(subject.settle(2 * CALLS)).isEqualTo(new Subject.Settlement(0, 0));
    }
  }

  /** What is dropped is compared with the lines in the file when the subject is closed. */
  @Test
  @Timeout(60)
  void shouldCountWhatNeverBlockDrops() throws Exception {
    try (Subject subject = new Subject(AppenderKind.ASYNC_NEVER_BLOCK)) {
      long calls = 0;
      long dropped = 0;
      while (dropped == 0) {
        log(subject, 10 * CALLS);
        calls += 10 * CALLS;
        dropped = subject.settle(calls).dropped();
      }
      assertThat(dropped).isLessThan(calls);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ASYNC_NEVER_BLOCK")
  void shouldFailIfALineIsMissing(AppenderKind kind) throws Exception {
    Subject subject = new Subject(kind);
    log(subject, CALLS);
    subject.settle(CALLS + 1);
    assertThatThrownBy(subject::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining((CALLS + 1) + " log calls")
        .hasMessageContaining(CALLS + " lines");
  }

  private static void log(Subject subject, int calls) {
    for (int i = 0; i < calls; i++) {
      subject.logger().info("order {} accepted", i);
    }
  }
}
