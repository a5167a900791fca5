package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.EncoderBase;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Pulse;
import io.spillway.metrics.Health.Status;
import io.spillway.testkit.Gate;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What makes an appender UP, DEGRADED or DOWN. */
@Timeout(120)
class HealthTest {
  static {
    Awaitility.setDefaultTimeout(Rig.PATIENCE); // machines may be busy
  }

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  @TempDir Path directory;

  private static Health health(Subject subject) {
    return ((MonitoredAppender) subject.appender()).health();
  }

  @ParameterizedTest
  @EnumSource
  void shouldFollowAnAppenderThroughItsLife(Kind kind) {
    try (Subject subject = new Subject(kind, directory)) {
      assertThat(health(subject)).isEqualTo(Health.NOT_STARTED);
      subject.start();
      assertThat(health(subject)).isEqualTo(new Health(Status.UP, ""));

      subject.gate.shut();
      subject.log("0", 0, 20_000);
      await().until(() -> health(subject).status() == Status.DEGRADED);
      await().until(() -> health(subject).reason().contains("go to the spill. To do: "));

      subject.gate.open();
      subject.awaitDelivered();
      await().until(() -> health(subject).status() == Status.UP);
      subject.appender().stop();
      assertThat(health(subject)).isEqualTo(Health.NOT_STARTED);
    }
  }

  /** From the moment on that events are refused, not only when the last one is delivered. */
  @ParameterizedTest
  @EnumSource
  void shouldBeDownWhileItStops(Kind kind) throws InterruptedException {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setMaxFlushTime("0"); // as long as it takes
      subject.start();
      subject.gate.shut();
      subject.log("0", 0, 100);
      Thread stopping = new Thread(subject.appender()::stop);
      stopping.start();
      await().until(() -> health(subject).status() == Status.DOWN);
      assertThat(health(subject).reason()).startsWith(Health.NOT_STARTED.reason());
      assertThat(stopping.isAlive()).isTrue();
      subject.gate.open();
      stopping.join();
      assertThat(subject.lines()).hasSize(100);
    }
  }

  @Test
  void shouldBeDownAfterARefusedStart() {
    SpillwayRollingFileAppender<Object> refused = new SpillwayRollingFileAppender<>();
    refused.setContext(Subject.newContext());
    refused.setQueueSize("none");
    refused.start();
    assertThat(refused.health()).isEqualTo(Health.NOT_STARTED);
  }

  @Test
  void shouldBeDownWhileEventsAreDropped() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.appender.setMaxSpillSize("1 MB");
      rig.appender.setWhenFull("DROP");
      rig.start();
      nested.shut();
      Health health;
      do { // a burst may fill the ring for a moment, a full spill for good
        for (int i = 0; i < 1_000; i++) {
          rig.logger.info("fill");
        }
        health = rig.appender.health();
      } while (health.status() != Status.DOWN
          || !health.reason().contains("The ring is full")
          || !health.reason().contains("go to the spill. To do: "));
      assertThat(health.reason())
          .startsWith("Events are being lost (QUEUE_FULL). To do: find what holds up the sink");
      nested.open();
      rig.awaitDelivered();
    }
  }

  /** An encoder that hangs keeps them in the ring, most of whose slots are free. */
  @Test
  @SuppressWarnings("unchecked") // the subject's appender takes log events
  void shouldTellThatTheRingTakesNoMoreLargeMessages() throws InterruptedException {
    String large = "x".repeat((int) (Runtime.getRuntime().maxMemory() / 64)); // two bytes each
    try (Subject subject = new Subject(Kind.OWN_FILE, directory)) {
      Gate encoding = new Gate();
      encoding.shut();
      Encoder<ILoggingEvent> encoder = new GatedEncoder(encoding);
      ((SpillwayRollingFileAppender<ILoggingEvent>) subject.appender()).setEncoder(encoder);
      subject.start();
      Thread caller =
          new Thread(
              () -> {
                for (int i = 0; i < 6; i++) {
                  subject.logger.info(large);
                }
              });
      caller.start();
      try {
        await().until(() -> subject.metrics().getBlockedCalls() > 0);
        await()
            .until(
                () ->
                    health(subject)
                        .reason()
                        .contains("Large messages or stack traces wait in the ring"));
        assertThat(health(subject).status()).isEqualTo(Status.DEGRADED);
        assertThat(subject.metrics().getRingUsed()).isLessThan(10);
      } finally {
        encoding.open();
        caller.join();
      }
      subject.awaitDelivered();
      await().until(() -> health(subject).status() == Status.UP);
    }
  }

  private static final class GatedEncoder extends EncoderBase<ILoggingEvent> {
    private final Gate gate;

    GatedEncoder(Gate gate) {
      this.gate = gate;
      start();
    }

    @Override
    public byte[] headerBytes() {
      return null;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      gate.pass();
      return new byte[] {'\n'};
    }

    @Override
    public byte[] footerBytes() {
      return null;
    }
  }

  @Test
  void shouldForgetALossAfterTenSeconds() {
    Counters counters = new Counters();
    Pulse watch = new Pulse(counters, null);
    watch.losing(0);
    counters.dropped(LossCause.QUEUE_FULL);
    counters.lost(LossCause.SPILL_DAMAGED, 5, true);
    assertThat(watch.losing(SECOND)).containsExactly(LossCause.QUEUE_FULL, LossCause.SPILL_DAMAGED);
    counters.dropped(LossCause.QUEUE_FULL);
    assertThat(watch.losing(9 * SECOND)).hasSize(2);
    assertThat(watch.losing(12 * SECOND)).containsExactly(LossCause.QUEUE_FULL);
    assertThat(watch.losing(20 * SECOND)).isEmpty();
  }

  /** Everything is well, but for what a test changes. */
  private static final class State {
    private boolean started = true;
    private Set<LossCause> losing = Set.of();
    private long ringUsed;
    private long waiting;
    private boolean heavy;
    private long memoryBytes;
    private long spillBytes;
    private boolean spillUsable = true;
    private boolean spilling;
    private boolean spillFailing;
    private long stallNanos;
    private boolean sinkFailing;
    private boolean sinkMissing;
    private long backlogFiles;
    private String archivesFailing = "";
    private boolean failing;
    private long stuckThreads;
    private boolean held;
    private boolean unacknowledged;

    Health health() {
      Map<LossCause, Long> losses = new EnumMap<>(LossCause.class);
      Arrays.stream(LossCause.values()).forEach(cause -> losses.put(cause, 0L));
      return Health.of(
          new Snapshot(
              started,
              new Snapshot.Events(0, 0, 0, 0, 0, 0, 0),
              losses,
              Map.of(),
              losing,
              new Snapshot.Blocked(0, 0, waiting, heavy),
              new Snapshot.Acknowledged(0, unacknowledged ? 1 : 0, unacknowledged),
              new Snapshot.Fill(ringUsed, 16),
              new Snapshot.Fill(memoryBytes, 100),
              new Snapshot.Fill(spillBytes, 100),
              new Snapshot.Spilling(spillUsable, spilling, spillFailing, 0, 0, 0),
              new Snapshot.Sink(0, stallNanos, stallNanos, 0, sinkFailing, sinkMissing, 0),
              new ArchiveMetrics(backlogFiles, 0, 0, 0, 0, 0, 0, archivesFailing, 0, 0, 0),
              new Snapshot.Workers(0, failing, stuckThreads, held)));
    }
  }

  private interface Change {
    void apply(State state);
  }

  private static Arguments rule(Status status, String reason, Change change) {
    return Arguments.of(status, reason, change);
  }

  static Stream<Arguments> rules() {
    return Stream.of(
        rule(Status.UP, "", s -> {}),
        rule(Status.DOWN, "not started", s -> s.started = false),
        rule(Status.DOWN, "(SINK_FAILED)", s -> s.losing = Set.of(LossCause.SINK_FAILED)),
        rule(Status.DOWN, "(NOT_SAVED)", s -> s.losing = Set.of(LossCause.NOT_SAVED)),
        rule(Status.DEGRADED, "(REENTRANT)", s -> s.losing = Set.of(LossCause.REENTRANT)),
        rule(Status.DEGRADED, "(ENCODE_FAILED)", s -> s.losing = Set.of(LossCause.ENCODE_FAILED)),
        rule(Status.DEGRADED, "without the acknowledgement", s -> s.unacknowledged = true),
        rule(Status.UP, "", s -> s.stallNanos = 5 * SECOND - 1),
        rule(Status.DEGRADED, "not returned for 5 s", s -> s.stallNanos = 5 * SECOND),
        rule(Status.DEGRADED, "policy fails", s -> s.sinkFailing = true),
        rule(Status.UP, "", s -> s.ringUsed = 15),
        rule(Status.DEGRADED, "The ring is full", s -> s.ringUsed = 16),
        rule(Status.DEGRADED, "Log calls wait", s -> s.waiting = 1),
        rule(Status.UP, "", s -> s.heavy = true),
        rule(
            Status.DEGRADED,
            "Large messages or stack traces wait in the ring",
            s -> {
              s.heavy = true;
              s.waiting = 1;
            }),
        rule(
            Status.DOWN,
            "Large messages or stack traces wait in the ring",
            s -> {
              s.heavy = true;
              s.losing = Set.of(LossCause.QUEUE_FULL);
            }),
        rule(
            Status.DEGRADED,
            "the drainer, the one thread",
            s -> {
              s.ringUsed = 16;
              s.memoryBytes = 99;
            }),
        rule(
            Status.DEGRADED,
            "memory and spill take nothing more",
            s -> {
              s.ringUsed = 16;
              s.memoryBytes = 99;
              s.sinkFailing = true;
            }),
        rule(
            Status.DEGRADED,
            "memory and spill take nothing more",
            s -> { // of memory and spill a part is left, which is too small for the next batch
              s.ringUsed = 16;
              s.memoryBytes = 60;
              s.held = true;
            }),
        rule(
            Status.DEGRADED,
            "because the spill cannot be written",
            s -> {
              s.ringUsed = 16;
              s.memoryBytes = 60;
              s.spillFailing = true;
              s.held = true;
            }),
        rule(
            Status.DEGRADED,
            "because the spill cannot be written",
            s -> {
              s.ringUsed = 16;
              s.memoryBytes = 99;
              s.spillUsable = false;
            }),
        rule(Status.DEGRADED, "No started appender is nested", s -> s.sinkMissing = true),
        rule(Status.UP, "", s -> s.spillBytes = 79),
        rule(Status.DEGRADED, "holds 80 of 100 bytes", s -> s.spillBytes = 80),
        rule(Status.DEGRADED, "There is no spill", s -> s.spillUsable = false),
        rule(Status.DEGRADED, "spill files fail", s -> s.spillFailing = true),
        rule(Status.DEGRADED, "go to the spill", s -> s.spilling = true),
        rule(Status.DEGRADED, "failed unexpectedly", s -> s.failing = true),
        rule(Status.DEGRADED, "does not return", s -> s.stuckThreads = 1),
        rule(
            Status.DOWN,
            "does not return",
            s -> {
              s.stuckThreads = 1;
              s.losing = Set.of(LossCause.ENCODE_FAILED);
            }),
        rule(Status.UP, "", s -> s.backlogFiles = 2),
        rule(Status.DEGRADED, "3 rolled files wait", s -> s.backlogFiles = 3),
        rule(Status.DEGRADED, "archived in [/logs/old]", s -> s.archivesFailing = "/logs/old"));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void shouldKeepToItsRules(Status status, String reason, Change change) {
    State state = new State();
    change.apply(state);
    assertThat(state.health().status()).isEqualTo(status);
    assertThat(state.health().reason()).contains(reason);
    if (status == Status.UP) {
      assertThat(state.health().reason()).isEmpty();
    } else {
      assertThat(state.health().reason()).contains("To do: ");
    }
  }
}
