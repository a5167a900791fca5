package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.encoder.EchoEncoder;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.LossCause;
import io.spillway.rolling.FixedWindowRollingPolicy;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Log events about spilling and losses: in order, counted, and never about themselves. */
@Timeout(120)
class EpisodeReportsTest {
  static {
    Awaitility.setDefaultTimeout(Rig.PATIENCE); // machines may be busy
  }

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @TempDir Path directory;

  private final Counters counters = new Counters();
  private final List<String> texts = new ArrayList<>();
  private boolean room = true;
  private final EpisodeReports reports =
      new EpisodeReports("A", counters, text -> room && texts.add(text));

  @ParameterizedTest
  @EnumSource
  void shouldFollowTheEventsThatWereSpilled(Kind kind) {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setReportEpisodes("true");
      subject.start();
      subject.gate.shut();
      subject.log("0", 0, 20_000);
      await().until(() -> subject.metrics().getRingUsed() == 0);
      subject.gate.open();
      await().until(() -> subject.metrics().getAccepted() == 20_001);
      subject.awaitDelivered();
      long spilled = subject.metrics().getSpilled();
      assertThat(subject.lines()).hasSize(20_001);
      assertThat(subject.lines().get(20_000))
          .matches(
              "Spillway appender \\["
                  + kind
                  + "\\]: the sink was behind, "
                  + String.format(Locale.ROOT, "%,d", spilled)
                  + " events went through the spill for \\d+\\.\\d s, none of them lost by it\\.");
      assertThat(subject.metrics().getDelivered()).isEqualTo(20_001);
    }
  }

  @Test
  void shouldBeOffByDefault() {
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
      await().until(() -> rig.statuses().stream().anyMatch(s -> s.contains("caught up")));
      rig.appender.stop();
      assertThat(nested.messages()).hasSize(5_000).allMatch(message -> message.startsWith("0:"));
    }
  }

  @Test
  void shouldReportLossesWhenTenSecondsPassedWithoutOne() {
    reports.look(SECOND);
    counters.dropped(LossCause.QUEUE_FULL);
    reports.look(2 * SECOND);
    for (int i = 0; i < 1_233; i++) {
      counters.dropped(LossCause.QUEUE_FULL);
    }
    counters.lost(LossCause.ENCODE_FAILED, 1, false);
    reports.look(4 * SECOND + SECOND / 2);
    reports.look(14 * SECOND);
    assertThat(texts).isEmpty();
    reports.look(14 * SECOND + SECOND / 2);
    reports.look(50 * SECOND);
    assertThat(texts)
        .containsExactly(
            "Spillway appender [A]: 1,235 events were lost or refused within 2.5 s"
                + " (QUEUE_FULL 1,234, ENCODE_FAILED 1).");
  }

  @Test
  void shouldSumUpAndWaitForRoom() {
    reports.spillEnded(10, SECOND, 0);
    reports.look(SECOND);
    for (int i = 0; i < 50; i++) {
      reports.spillEnded(1, SECOND / 10, 0);
      reports.look(2 * SECOND);
    }
    assertThat(texts).hasSize(1);
    room = false;
    reports.look(12 * SECOND);
    room = true;
    reports.look(13 * SECOND);
    assertThat(texts).hasSize(2);
    assertThat(texts.get(1)).contains("50 events went through the spill for 5.0 s");
  }

  /** What is lost while one report is made belongs to the next. */
  @Test
  void shouldNotSwallowALossDuringAReport() {
    EpisodeReports during =
        new EpisodeReports(
            "A",
            counters,
            text -> {
              counters.lost(LossCause.SINK_FAILED, texts.isEmpty() ? 7 : 0, false);
              return texts.add(text);
            });
    counters.lost(LossCause.SINK_FAILED, 5, false);
    during.look(SECOND);
    during.look(11 * SECOND);
    during.look(20 * SECOND);
    during.look(40 * SECOND);
    assertThat(texts).hasSize(2);
    assertThat(texts.get(1)).contains("7 events were lost or refused within 0.0 s (SINK_FAILED 7)");
  }

  /** A sink that throws loses the report, too; a memory that is full spills it. */
  @Test
  void shouldNotReportItself() {
    counters.lost(LossCause.SINK_FAILED, 5, false);
    long now = SECOND;
    for (int i = 0; i < 100; i++) {
      reports.look(now);
      if (texts.size() > counters.count(LossCause.SINK_FAILED) - 5) {
        counters.lost(LossCause.SINK_FAILED, 1, false);
        reports.spillEnded(1, 1, 0);
      }
      now += 11 * SECOND;
    }
    assertThat(texts).hasSizeLessThan(3);
    assertThat(texts.get(0)).contains("SINK_FAILED 5");
  }

  @Test
  void shouldSayThatItHasNoEffectOnOtherEvents() {
    ContextBase context = new ContextBase();
    SpillwayRollingFileAppender<Object> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName("ACCESS");
    appender.setFile(directory.resolve("access.log").toString());
    appender.setEncoder(new EchoEncoder<>());
    appender.getEncoder().setContext(context);
    appender.getEncoder().start();
    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(context);
    rolling.setParent(appender);
    rolling.setFileNamePattern(directory.resolve("access.%i.log").toString());
    rolling.start();
    appender.setRollingPolicy(rolling);
    io.spillway.rolling.SizeBasedTriggeringPolicy<Object> triggering =
        new io.spillway.rolling.SizeBasedTriggeringPolicy<>();
    triggering.setContext(context);
    triggering.start();
    appender.setTriggeringPolicy(triggering);
    appender.setReportEpisodes("true");
    appender.start();
    assertThat(appender.isStarted()).isTrue();
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .anyMatch(status -> status.getMessage().contains("[reportEpisodes] has no effect"));
    appender.stop();
  }
}
