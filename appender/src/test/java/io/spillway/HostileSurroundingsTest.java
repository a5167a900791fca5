package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nested appenders that throw or log, arguments that log, threads that interrupt. */
class HostileSurroundingsTest {
  @TempDir Path directory;

  @Test
  void shouldCountAndSurviveEveryThrowableOfTheNestedAppender() {
    GatedAppender nested = new GatedAppender();
    AtomicInteger calls = new AtomicInteger();
    nested.before(
        event -> {
          if (calls.incrementAndGet() % 2 == 0) {
            throw new OutOfMemoryError("on purpose");
          }
        });
    try (Rig rig = new Rig(directory, nested).start()) {
      for (int i = 0; i < 10_000; i++) {
        rig.logger.info("event");
      }
      rig.awaitDelivered();

      assertThat(nested.messages()).hasSize(5_000);
      assertThat(rig.appender.getMetrics().lossOf(LossCause.SINK_FAILED)).isEqualTo(5_000);
      assertThat(rig.appender.getMetrics().getSinkFailures()).isEqualTo(5_000);
      assertThat(rig.statuses().stream().filter(s -> s.contains("nested appender threw")))
          .as("rate-limited, but said")
          .hasSizeBetween(1, 10);
    }
  }

  @Test
  void shouldDropAndCountWhatTheNestedAppenderLogs() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      nested.before(event -> rig.logger.info("from inside"));
      rig.start();
      for (int i = 0; i < 100; i++) {
        rig.logger.info("outside");
      }
      rig.awaitDelivered();

      assertThat(nested.messages()).hasSize(100).allMatch("outside"::equals);
      assertThat(rig.appender.getMetrics().lossOf(LossCause.REENTRANT)).isEqualTo(100);
    }
  }

  @Test
  void shouldDeliverWhatAToStringLogsAndCutAnEndlessOneShort() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested).start()) {
      rig.logger.info("outer {}", new Chatty(rig, 3));
      rig.awaitDelivered();
      assertThat(nested.messages())
          .containsExactly("inner 0", "inner 1", "inner 2", "outer chatty");

      rig.logger.info("outer {}", new Chatty(rig, Integer.MAX_VALUE));
      rig.awaitDelivered();
      assertThat(rig.appender.getMetrics().lossOf(LossCause.REENTRANT)).isEqualTo(1);
      assertThat(nested.messages()).hasSizeLessThan(20);
    }
  }

  /** Logs itself, one level less, whenever it is printed. */
  private record Chatty(Rig rig, int levels) {
    @Override
    public String toString() {
      if (levels == Integer.MAX_VALUE) {
        rig.logger.info("again {}", this);
      } else {
        for (int i = 0; i < levels; i++) {
          rig.logger.info("inner {}", i);
        }
      }
      return "chatty";
    }
  }

  @Test
  void shouldCutAFilterShortThatLogs() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested).start()) {
      rig.appender.addFilter(new LoggingFilter(rig));
      for (int call = 1; call <= 2; call++) {
        rig.logger.info("outer");
        rig.awaitDelivered();
        assertThat(rig.appender.getMetrics().lossOf(LossCause.REENTRANT)).isEqualTo(call);
        assertThat(nested.messages()).hasSize(8 * call);
      }
    }
  }

  /** Logs whenever it is asked. */
  private static final class LoggingFilter extends Filter<ILoggingEvent> {
    private final Rig rig;

    LoggingFilter(Rig rig) {
      this.rig = rig;
    }

    @Override
    public FilterReply decide(ILoggingEvent event) {
      rig.logger.info("by the filter");
      return FilterReply.NEUTRAL;
    }
  }

  @Test
  void shouldNotMindInterruptsAimedAtItsThreads() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.start();
      for (int i = 0; i < 20_000; i++) {
        if (i % 2_000 == 0) {
          nested.shut();
        }
        if (i % 2_000 == 1_000) {
          nested.open();
        }
        if (i % 100 == 0) {
          interruptWorkers();
        }
        rig.logger.info("0:{}", i);
      }
      nested.open();
      rig.awaitDelivered();
      io.spillway.testkit.Ledger.assertComplete(nested.messages(), 1, 20_000);
      assertThat(rig.appender.getMetrics().getSpillFailures()).isZero();
      assertThat(rig.appender.getMetrics().getWorkerFailures()).isZero();
    }
  }

  private static void interruptWorkers() {
    List<Thread> workers =
        Thread.getAllStackTraces().keySet().stream()
            .filter(t -> t.getName().startsWith("spillway-d"))
            .toList();
    assertThat(workers).as("drainer and deliverer").hasSizeGreaterThanOrEqualTo(2);
    workers.forEach(Thread::interrupt);
  }

  @Test
  void shouldPreserveTheCallersInterruptFlag() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested).start()) {
      Thread.currentThread().interrupt();
      rig.logger.info("interrupted");
      assertThat(Thread.interrupted()).isTrue();
      rig.awaitDelivered();
      assertThat(nested.messages()).containsExactly("interrupted");
    }
  }

  @Test
  void shouldSayWhenSpillingBeginsAndEnds() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.start();
      nested.shut();
      for (int i = 0; i < 5_000; i++) {
        rig.logger.info("0:{}", i);
      }
      await().until(() -> rig.appender.getMetrics().getSpilled() > 0);
      nested.open();
      rig.awaitDelivered();
      await().until(() -> rig.statuses().stream().anyMatch(s -> s.contains("caught up")));
      assertThat(rig.statuses()).anyMatch(s -> s.contains("spilling to disk"));
      assertThat(rig.appender.getMetrics().getSpillEpisodes()).isPositive();
    }
  }
}
