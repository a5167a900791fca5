package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.Health;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Gate;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadFactory;
import org.assertj.core.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/** Log calls that wait until their event is written, or synced. */
@Timeout(120)
class AcknowledgeTest {
  private static final int EVENTS = 200;
  private static final Marker AUDIT = MarkerFactory.getMarker("AUDIT");

  @TempDir Path directory;

  /** On a thread that is new, and has missed nothing yet. */
  private static <T> T inThread(Callable<T> action) throws Exception {
    return inThread(Thread::new, action);
  }

  private static <T> T inThread(ThreadFactory threads, Callable<T> action) throws Exception {
    FutureTask<T> task = new FutureTask<>(action);
    threads.newThread(task).start();
    return task.get();
  }

  private Subject subject(Kind kind, String acknowledge) {
    Subject subject = new Subject(kind, directory);
    subject.settings().setAcknowledge(acknowledge);
    subject.settings().setAcknowledgeTimeout("60 seconds");
    return subject;
  }

  private static long missed(Subject subject, int events) throws Exception {
    return inThread(
        () -> {
          subject.log("a", 0, events);
          return Acknowledgement.missed();
        });
  }

  @ParameterizedTest
  @CsvSource({"WRAPPED, WRITTEN", "OWN_FILE, WRITTEN", "OWN_FILE, SYNCED"})
  void shouldReturnOnceTheSpillHasTheEventWhateverTheSinkDoes(Kind kind, String acknowledge)
      throws Exception {
    try (Subject subject = subject(kind, acknowledge)) {
      subject.gate.shut();
      subject.start();
      for (int i = 0; i < EVENTS; i++) {
        int number = i;
        long safe =
            inThread(
                () -> {
                  subject.log("a", number, number + 1);
                  boolean synced = acknowledge.equals("SYNCED");
                  return synced ? subject.metrics().getSynced() : subject.metrics().getSpilled();
                });
        assertThat(safe).as("at the return of call " + number).isEqualTo(number + 1L);
      }
      assertThat(subject.metrics().getDelivered()).isZero();
      assertThat(subject.metrics().getAcknowledgedCalls()).isEqualTo(EVENTS);
      assertThat(subject.metrics().getUnacknowledgedCalls()).isZero();
      subject.gate.open();
      subject.awaitDelivered();
      assertThat(subject.lines()).hasSize(EVENTS);
    }
  }

  /** It goes to the spill as well, for order's sake alone: memory has room. */
  @ParameterizedTest
  @EnumSource
  void shouldNotTakeWhatFollowsAnAcknowledgedEventForASinkThatIsBehind(Kind kind) throws Exception {
    try (Subject subject = subject(kind, "WRITTEN")) {
      subject.settings().setAcknowledgeMarker("AUDIT");
      subject.gate.shut();
      subject.start();
      inThread(
          () -> {
            subject.logger.info(AUDIT, "asked for");
            return null;
          });
      subject.logger.info("behind it");
      await().until(() -> subject.metrics().getSpilled() == 2);
      assertThat(subject.metrics().snapshot().spilling().active()).isFalse();
      subject.gate.open();
      subject.awaitDelivered();
      assertThat(subject.metrics().getSpillEpisodes()).isZero();
      Reports.flush(subject.context());
      assertThat(subject.context().getStatusManager().getCopyOfStatusList())
          .extracting(Status::getMessage)
          .noneMatch(message -> message.contains("memory buffer is full"));
    }
  }

  @Test
  void shouldTellOfASinkThatIsBehindThoughAcknowledgedEventsKeepMemoryEmpty() throws Exception {
    try (Subject subject = subject(Kind.OWN_FILE, "WRITTEN")) { // memory: 64 KB
      subject.settings().setAcknowledgeMarker("AUDIT");
      subject.gate.shut();
      subject.start();
      inThread(
          () -> {
            subject.logger.info(AUDIT, "asked for");
            return null;
          });
      subject.log("behind it", 0, 10_000);
      await().until(() -> subject.metrics().getSpillEpisodes() == 1);
      assertThat(subject.metrics().snapshot().spilling().active()).isTrue();
      subject.gate.open();
      subject.awaitDelivered();
      assertThat(subject.lines()).hasSize(10_001);
    }
  }

  @Test
  void shouldTakeThousandsOfThreadsThroughOneWriteAndWakeThemAll() throws Exception {
    try (Subject subject = subject(Kind.OWN_FILE, "WRITTEN").start()) {
      List<FutureTask<Long>> tasks = new ArrayList<>();
      for (int thread = 0; thread < 300; thread++) {
        String stream = "t" + thread;
        FutureTask<Long> task =
            new FutureTask<>(
                () -> {
                  subject.log(stream, 0, EVENTS);
                  return Acknowledgement.missed();
                });
        tasks.add(task);
        new Thread(task).start();
      }
      for (FutureTask<Long> task : tasks) {
        assertThat(task.get()).isZero();
      }
      assertThat(subject.metrics().getAcknowledgedCalls()).isEqualTo(300L * EVENTS);
      subject.awaitDelivered();
      assertThat(subject.lines()).hasSize(300 * EVENTS);
    }
  }

  @Test
  @SuppressWarnings("deprecation") // SLF4J deprecates references and still has them
  void shouldWaitForMarkedEventsAlone() throws Exception {
    try (Subject subject = subject(Kind.OWN_FILE, "WRITTEN")) {
      subject.settings().setAcknowledgeMarker("AUDIT");
      subject.start();
      Marker around = MarkerFactory.getDetachedMarker("AROUND");
      around.add(AUDIT);
      inThread(
          () -> {
            subject.logger.info("not marked");
            subject.awaitDelivered(); // else it may be in a batch with the next one
            subject.logger.info(AUDIT, "marked");
            subject.awaitDelivered();
            subject.logger.info(MarkerFactory.getMarker("OTHER"), "marked otherwise");
            subject.awaitDelivered();
            subject.logger.info(around, "marked around");
            return null;
          });
      assertThat(subject.metrics().getAcknowledgedCalls()).isEqualTo(2);
      assertThat(subject.metrics().getSpilled()).isEqualTo(2);
      assertThat(subject.metrics().getSpillEpisodes()).as("the sink is not behind").isZero();
      subject.awaitDelivered();
      assertThat(subject.lines())
          .containsExactly("not marked", "marked", "marked otherwise", "marked around");
    }
  }

  @Test
  void shouldMissTheCallWhoseMarkerThrows() throws Exception {
    Marker throwing =
        (Marker)
            Proxy.newProxyInstance(
                Marker.class.getClassLoader(),
                new Class<?>[] {Marker.class},
                (marker, method, arguments) -> {
                  throw new IllegalStateException("on purpose");
                });
    try (Subject subject = subject(Kind.OWN_FILE, "WRITTEN")) {
      subject.settings().setAcknowledgeMarker("AUDIT");
      subject.start();
      inThread(
          () -> {
            subject.logger.info(throwing, "nobody knows whether it is asked for");
            assertThat(Acknowledgement.missed()).isEqualTo(1);
            assertThat(Acknowledgement.received()).isZero();
            return null;
          });
      assertThat(subject.metrics().getUnacknowledgedCalls()).isEqualTo(1);
      subject.awaitDelivered();
      assertThat(subject.lines()).hasSize(1);
    }
  }

  /** Detached by Logback, it hears of no call: what was received is all that can be relied on. */
  @Test
  void shouldReceiveNothingOnceLogbackHasStopped() throws Exception {
    try (Subject subject = subject(Kind.OWN_FILE, "WRITTEN")) {
      subject.start();
      inThread(
          () -> {
            subject.logger.info("first");
            assertThat(Acknowledgement.received()).isEqualTo(1);
            subject.logger.info("second");
            assertThat(Acknowledgement.received()).isEqualTo(2);
            subject.logger.getLoggerContext().stop();
            subject.logger.info("nowhere");
            assertThat(Acknowledgement.received()).isEqualTo(2);
            return null;
          });
      assertThat(Acknowledgement.received()).as("of this thread").isZero();
    }
  }

  /** The check that SETTINGS and the Javadoc of {@link Acknowledgement} show. */
  private static boolean isOnRecord(Runnable call) {
    long received = Acknowledgement.received();
    long missed = Acknowledgement.missed();
    call.run();
    assertThat(Acknowledgement.received()).as("what is received alone").isGreaterThan(received);
    return Acknowledgement.received() != received && Acknowledgement.missed() == missed;
  }

  /** Another appender's acknowledgement, or that of what an argument logs, is none of the event. */
  @Test
  void shouldNotTakeAnotherEventsAcknowledgementForItsOwn() throws Exception {
    Gate encoding = new Gate();
    encoding.shut();
    try (FileRig other = new FileRig(directory.resolve("other.log"));
        FileRig rig = new FileRig(directory.resolve("app.log")).encoder(new Gated(encoding))) {
      other.appender.setAcknowledge("WRITTEN");
      other.start();
      rig.appender.setAcknowledge("WRITTEN");
      rig.appender.setAcknowledgeTimeout("1ms");
      rig.start();
      Object logs =
          new Object() {
            @Override
            public String toString() {
              other.logger.info("inner");
              return "outer";
            }
          };
      inThread(
          () -> {
            assertThat(isOnRecord(() -> rig.logger.info("{}", logs))).as("argument").isFalse();
            rig.logger.addAppender(other.appender);
            assertThat(isOnRecord(() -> rig.logger.info("two"))).as("appenders").isFalse();
            encoding.open();
            rig.awaitDelivered();
            rig.logger.detachAppender(rig.appender);
            assertThat(isOnRecord(() -> rig.logger.info("one"))).isTrue();
            return null;
          });
      rig.logger.detachAppender(other.appender);
      rig.logger.addAppender(rig.appender);
    }
  }

  @Test
  void shouldShowTheCheckThatIsTested() throws Exception {
    String check =
        "if (Acknowledgement.received() == received || Acknowledgement.missed() != missed) {";
    for (String page :
        List.of("../SETTINGS.md", "src/main/java/io/spillway/Acknowledgement.java")) {
      assertThat(Files.readString(Path.of(page))).contains(check);
    }
  }

  @Test
  void shouldReturnWhenTheTimeIsOverWithTheInterruptFlagKept() throws Exception {
    Gate encoding = new Gate();
    encoding.shut();
    try (FileRig rig = new FileRig(directory.resolve("app.log")).encoder(new Gated(encoding))) {
      rig.appender.setAcknowledge("WRITTEN");
      rig.appender.setAcknowledgeTimeout("100ms");
      rig.start();
      inThread(
          () -> {
            Thread.currentThread().interrupt();
            long start = System.nanoTime();
            rig.log(1);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(100_000_000L);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThat(Acknowledgement.missed()).isEqualTo(1);
            return null;
          });
      assertThat(rig.metrics().getUnacknowledgedCalls()).isEqualTo(1);
      rig.await("told", () -> rig.statuses("acknowledgeTimeout (100 milliseconds)") == 1);
      assertThat(rig.metrics().health().status()).isEqualTo(Health.Status.DEGRADED);
      assertThat(rig.metrics().health().reason()).contains("without the acknowledgement");
      encoding.open();
      rig.awaitDelivered();
      rig.assertAllDelivered();
    }
  }

  @Test
  void shouldNotAcknowledgeWhatTheEncoderLost() throws Exception {
    try (FileRig rig = new FileRig(directory.resolve("app.log")).encoder(new Gated(new Gate()))) {
      rig.appender.setAcknowledge("WRITTEN");
      rig.appender.setAcknowledgeTimeout("60 seconds");
      rig.start();
      inThread(
          () -> {
            rig.logger.info("good");
            assertThat(Acknowledgement.missed()).isZero();
            rig.logger.info("bad");
            assertThat(Acknowledgement.missed()).isEqualTo(1);
            rig.logger.info("good");
            assertThat(Acknowledgement.missed()).isEqualTo(1);
            return null;
          });
      assertThat(rig.metrics().lossOf(LossCause.ENCODE_FAILED)).isEqualTo(1);
      assertThat(rig.metrics().getAcknowledgedCalls()).isEqualTo(2);
    }
  }

  /** Of the drainer's code only the codec of the spill asks for the number. */
  private static LoggingEvent event(Subject subject, String message, Runnable toDrainer) {
    return new LoggingEvent("", subject.logger, Level.INFO, message, null, null) {
      @Override
      public long getSequenceNumber() {
        if (Thread.currentThread().getName().startsWith("spillway-drainer")) {
          toDrainer.run();
        }
        return super.getSequenceNumber();
      }
    };
  }

  private static FutureTask<Long> logging(Subject subject, LoggingEvent event) {
    FutureTask<Long> task =
        new FutureTask<>(
            () -> {
              subject.logger.callAppenders(event);
              return Acknowledgement.received();
            });
    new Thread(task).start();
    return task;
  }

  @Test
  void shouldNotAcknowledgeABatchOfWhichTheSpillLacksAnEvent() throws Exception {
    Gate encoding = new Gate();
    encoding.shut();
    try (Subject subject = subject(Kind.WRAPPED, "WRITTEN").start()) {
      logging(subject, event(subject, "first", encoding::pass));
      await().until(encoding::isHolding); // meanwhile the others come together
      FutureTask<Long> good = logging(subject, event(subject, "good", () -> {}));
      FutureTask<Long> bad =
          logging(
              subject,
              event(
                  subject,
                  "bad",
                  () -> {
                    throw new IllegalStateException("on purpose");
                  }));
      await().until(() -> subject.metrics().getAccepted() == 3);
      encoding.open();
      assertThat(bad.get()).isZero();
      assertThat(good.get()).as("in the same batch").isZero();
      subject.awaitDelivered();
      assertThat(subject.lines()).contains("good").doesNotContain("bad");
    }
  }

  @Test
  void shouldNotAcknowledgeWhatTheCodecOfTheSpillDoesNotReturnFrom() throws Exception {
    Gate encoding = new Gate();
    encoding.shut();
    try (Subject subject = subject(Kind.WRAPPED, "WRITTEN").start()) {
      assertThat(logging(subject, event(subject, "good", () -> {})).get()).isOne();
      long received = logging(subject, event(subject, "stuck", encoding::pass)).get();
      encoding.open();
      assertThat(received).isZero();
      assertThat(subject.metrics().lossOf(LossCause.ENCODE_FAILED)).isOne();
      subject.awaitDelivered();
      assertThat(subject.lines()).containsExactly("good");
    }
  }

  @Test
  void shouldTellApartThoseOfOneBatch() throws Exception {
    Gate encoding = new Gate();
    encoding.shut();
    try (FileRig rig = new FileRig(directory.resolve("app.log")).encoder(new Gated(encoding))) {
      rig.appender.setAcknowledge("WRITTEN");
      rig.appender.setAcknowledgeTimeout("60 seconds");
      rig.start();
      List<FutureTask<Long>> tasks = new ArrayList<>();
      for (int thread = 0; thread < 20; thread++) {
        String message = thread % 3 == 0 ? "bad" : "good";
        FutureTask<Long> task =
            new FutureTask<>(
                () -> {
                  rig.logger.info(message);
                  return Acknowledgement.missed();
                });
        tasks.add(task);
        new Thread(task).start();
      }
      rig.await("all in the ring", () -> rig.metrics().getAccepted() == 20);
      encoding.open();
      for (int thread = 0; thread < 20; thread++) {
        assertThat(tasks.get(thread).get()).isEqualTo(thread % 3 == 0 ? 1 : 0);
      }
    }
  }

  /** Encodes when it may, and fails for some. */
  private static class Gated extends EncoderBase<ILoggingEvent> {
    private final Gate gate;

    Gated(Gate gate) {
      this.gate = gate;
    }

    @Override
    public byte[] headerBytes() {
      return new byte[0];
    }

    @Override
    public byte[] footerBytes() {
      return new byte[0];
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      gate.pass();
      if (event.getMessage().equals("bad")) {
        throw new IllegalStateException("on purpose");
      }
      return (event.getFormattedMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    }
  }

  @Test
  void shouldReturnAtOnceWhenTheSpillTakesNothingAndMemoryDoes() throws Exception {
    Files.createFile(directory.resolve("app.log.spill")); // in the way
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.appender.setAcknowledge("WRITTEN");
      rig.appender.setAcknowledgeTimeout("60 seconds");
      rig.start();
      long missed =
          inThread(
              () -> {
                rig.log(3);
                return Acknowledgement.missed();
              });
      assertThat(missed).isEqualTo(3);
      rig.awaitDelivered();
      rig.assertAllDelivered();
    }
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void shouldNotWaitForAnAppenderThatHasStopped(Kind kind) throws Exception {
    Subject subject = subject(kind, "WRITTEN").start();
    subject.appender().stop();
    assertThat(missed(subject, 1)).as("by those who hold the appender").isEqualTo(1);
    subject.close();
    assertThat(subject.metrics().getUnacknowledgedCalls()).isEqualTo(1);
  }

  /** Neither memory nor spill takes what waits, so that the stop or exit gives it up. */
  @ParameterizedTest
  @CsvSource({"WRAPPED, false", "OWN_FILE, false", "WRAPPED, true", "OWN_FILE, true"})
  void shouldReturnWhenAnEndGivesUpWhatIsWaitedFor(Kind kind, boolean exit) throws Exception {
    Subject subject = subject(kind, "WRITTEN");
    subject.settings().setAcknowledgeTimeout("10 minutes");
    subject.settings().setMaxSpillSize("1 MB");
    subject.settings().setMaxFlushTime("100 ms");
    subject.gate.shut();
    subject.start();
    FutureTask<Long> waiting =
        new FutureTask<>(
            () -> {
              while (Acknowledgement.missed() == 0) {
                subject.logger.info("x".repeat(10_000));
              }
              return Acknowledgement.missed();
            });
    new Thread(waiting).start();
    await().until(() -> subject.metrics().snapshot().workers().held());
    if (exit) {
      ExitHooks.of(subject.appender()).run();
    } else {
      subject.appender().stop();
    }
    await("return of the call").until(waiting::isDone);
    assertThat(waiting.get()).isEqualTo(1);
    subject.appender().stop();
    subject.close();
  }

  /** Its caller is all that waits for the encoder, which waits for what the caller holds. */
  @Test
  void shouldReturnThoughTheEncoderWantsTheMonitorOfItsOnlyCaller() throws Exception {
    Object monitor = new Object();
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.encoder(
          new Gated(new Gate()) {
            @Override
            public byte[] encode(ILoggingEvent event) {
              synchronized (monitor) {
                return super.encode(event);
              }
            }
          });
      rig.appender.setAcknowledge("WRITTEN");
      rig.appender.setAcknowledgeTimeout("1 hour");
      rig.start();
      long missed =
          inThread(
              () -> {
                synchronized (monitor) {
                  rig.logger.info("held");
                }
                long missedThen = Acknowledgement.missed();
                rig.logger.info("next");
                return missedThen;
              });
      assertThat(missed).isOne();
      assertThat(rig.metrics().lossOf(LossCause.ENCODE_FAILED)).isOne();
      rig.awaitDelivered();
      assertThat(Files.readAllLines(rig.file)).containsExactly("next");
    }
  }

  @Test
  void shouldNotWaitForItselfInTheEncoder() throws Exception {
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.encoder(
          new Gated(new Gate()) {
            @Override
            public byte[] encode(ILoggingEvent event) {
              rig.logger.info("from the encoder");
              return super.encode(event);
            }
          });
      rig.appender.setAcknowledge("WRITTEN");
      rig.appender.setAcknowledgeTimeout("60 seconds");
      rig.start();
      assertThat(
              inThread(
                  () -> {
                    rig.logger.info("outer");
                    return Acknowledgement.missed();
                  }))
          .isZero();
      assertThat(rig.metrics().lossOf(LossCause.REENTRANT)).isEqualTo(1);
      assertThat(rig.metrics().getAcknowledgedCalls()).isEqualTo(1);
      assertThat(rig.metrics().getUnacknowledgedCalls()).isEqualTo(1);
    }
  }

  @Test
  void shouldWaitInsideAnArgumentThatLogs() throws Exception {
    try (Subject subject = subject(Kind.OWN_FILE, "SYNCED").start()) {
      Object logs =
          new Object() {
            @Override
            public String toString() {
              subject.logger.info("inner");
              return "outer";
            }
          };
      assertThat(
              inThread(
                  () -> {
                    subject.logger.info("{}", logs);
                    return Acknowledgement.missed();
                  }))
          .isZero();
      subject.awaitDelivered();
      assertThat(subject.lines()).containsExactly("inner", "outer");
    }
  }

  @Test
  void shouldWaitOnVirtualThreads() throws Exception {
    ThreadFactory virtual = virtualThreads();
    Assumptions.assumeThat(virtual).as("virtual threads of this JDK").isNotNull();
    try (Subject subject = subject(Kind.OWN_FILE, "WRITTEN").start()) {
      List<FutureTask<Long>> tasks = new ArrayList<>();
      for (int thread = 0; thread < 1_000; thread++) { // far more than there are carriers
        String stream = "v" + thread;
        FutureTask<Long> task =
            new FutureTask<>(
                () -> {
                  subject.log(stream, 0, 10);
                  return Acknowledgement.missed();
                });
        tasks.add(task);
        virtual.newThread(task).start();
      }
      for (FutureTask<Long> task : tasks) {
        assertThat(task.get()).isZero();
      }
    }
  }

  private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      return (ThreadFactory)
          Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  @Test
  void shouldRefuseSyncedInFrontOfAnAppenderThatNobodyForces() {
    try (Subject subject = new Subject(Kind.WRAPPED, directory)) {
      subject.settings().setAcknowledge("SYNCED");
      subject.appender().start();
      assertThat(subject.appender().isStarted()).isFalse();
      assertThat(subject.context().getStatusManager().getCopyOfStatusList())
          .filteredOn(status -> status.getLevel() == Status.ERROR)
          .extracting(Status::getMessage)
          .singleElement()
          .asString()
          .contains("Setting [acknowledge]", "[SYNCED]", "allowed: ", "To do: ");
    }
  }

  @Test
  void shouldTurnOnWhatItNeeds() {
    Settings settings = new Settings();
    settings.acknowledge = "synced";
    Settings.Checked checked = settings.check(null);
    assertThat(checked.syncNanos()).isEqualTo(Duration.ofMillis(200).toNanos());
    assertThat(checked.spillMode().name()).isEqualTo("ALWAYS");
    settings.spillSync = "1 second";
    settings.acknowledgeMarker = "AUDIT";
    checked = settings.check(null);
    assertThat(checked.syncNanos()).isEqualTo(Duration.ofSeconds(1).toNanos());
    assertThat(checked.spillMode().name()).isEqualTo("OVERFLOW");
  }
}
