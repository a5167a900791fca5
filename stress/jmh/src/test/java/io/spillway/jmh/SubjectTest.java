package io.spillway.jmh;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.FilterReply;
import java.util.concurrent.CountDownLatch;
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
  @ParameterizedTest
  @EnumSource(names = {"ASYNC_NEVER_BLOCK", "LOGSTASH_DROP"})
  @Timeout(60)
  void shouldCountWhatIsDropped(AppenderKind kind) throws Exception {
    int calls = 30 * CALLS; // the queue's 8,192, as many in the worker's hands, and the rest
    try (Subject subject = new Subject(kind)) {
      CountDownLatch open = new CountDownLatch(1);
      hold(subject, open);
      log(subject, calls);
      open.countDown();
      assertThat(subject.settle(calls).dropped()).isBetween(calls - 2 * 8_192L - 1, calls - 8_192L);
    }
  }

  /** Lets the file behind the queue stand still until the latch opens. */
  @SuppressWarnings("unchecked") // what takes these events holds appenders of these events
  private static void hold(Subject subject, CountDownLatch open) {
    Logger root = subject.logger().getLoggerContext().getLogger(Logger.ROOT_LOGGER_NAME);
    ((AppenderAttachable<ILoggingEvent>) root.iteratorForAppenders().next())
        .iteratorForAppenders()
        .next()
        .addFilter(
            new Filter<>() {
              @Override
              public FilterReply decide(ILoggingEvent event) {
                try {
                  open.await();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
                return FilterReply.NEUTRAL;
              }
            });
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"ASYNC_NEVER_BLOCK", "LOGSTASH_DROP"})
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
