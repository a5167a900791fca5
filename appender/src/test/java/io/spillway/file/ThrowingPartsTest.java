package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.status.StatusListener;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Gate;
import io.spillway.testkit.Hostile;
import io.spillway.testkit.Numbered;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Encoders and policies that throw: counted, reported, and the next event goes on. */
@Timeout(60)
class ThrowingPartsTest {
  private static final Supplier<Throwable> SHORTAGE = () -> new OutOfMemoryError("not really");
  private static final List<Supplier<Throwable>> KINDS =
      List.of(
          () -> new IllegalStateException("unchecked"),
          () -> new FileNotFoundException("checked"),
          () -> new InterruptedException("interrupted"),
          SHORTAGE,
          () -> new StackOverflowError(),
          () -> new NoClassDefFoundError("Missing"),
          () -> new AssertionError("assertion"),
          () -> new Hostile(),
          () -> new ThreadDeathLike());

  /** An event for which there is no memory is tried again: ForeignCodeTest. */
  private static final List<Supplier<Throwable>> COSTING_AN_EVENT =
      KINDS.stream().filter(kind -> kind != SHORTAGE).toList();

  @TempDir Path directory;

  private static final class ThreadDeathLike extends Error {
    private static final long serialVersionUID = 1L;

    ThreadDeathLike() {
      super(null, null, false, false);
    }
  }

  @SuppressWarnings("unchecked") // throws a checked exception where none is declared
  private static <T extends Throwable> void sneak(Throwable t) throws T {
    throw (T) t;
  }

  private static void throwKind(int number) {
    throwKind(KINDS, number);
  }

  private static void throwKind(List<Supplier<Throwable>> kinds, int number) {
    ThrowingPartsTest.<RuntimeException>sneak(kinds.get(number % kinds.size()).get());
  }

  /** Encodes, and does what it is told to at the beginning and the end of a file. */
  private static final class FramingEncoder extends EncoderBase<ILoggingEvent> {
    private volatile Runnable onHeader = () -> {};
    private volatile Runnable onFooter = () -> {};

    @Override
    public byte[] headerBytes() {
      onHeader.run();
      return "begin\n".getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      return (event.getFormattedMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
      onFooter.run();
      return "end\n".getBytes(StandardCharsets.UTF_8);
    }
  }

  private static class ThrowingEncoder extends EncoderBase<ILoggingEvent> {
    private int asked;

    @Override
    public byte[] headerBytes() {
      return null;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      asked++;
      if (asked % 10 == 0) {
        throwKind(COSTING_AN_EVENT, asked / 10);
      }
      return (event.getFormattedMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
      return null;
    }
  }

  private FileRig rig() {
    return new FileRig(directory.resolve("app.log")).spill(directory.resolve("spill"));
  }

  @Test
  void shouldCountEachEventThatTheEncoderThrewFor() {
    try (FileRig rig = rig().encoder(new ThrowingEncoder()).start()) {
      rig.log(2_000);
      rig.awaitDelivered();

      assertThat(rig.metrics().lossOf(LossCause.ENCODE_FAILED)).isEqualTo(200);
      assertThat(rig.metrics().getLost()).isEqualTo(200);
      assertThat(rig.metrics().getDelivered()).isEqualTo(1_800);
      assertThat(rig.metrics().getPending()).isZero();
      assertThat(rig.metrics().getWorkerFailures()).isZero();
      assertThat(rig.statuses("ENCODE_FAILED")).as("rate-limited").isEqualTo(1);
      List<String> lines = Numbered.lines(rig.file);
      for (int i = 0, n = 0; i < 2_000; i++) {
        if ((i + 1) % 10 != 0) {
          assertThat(lines.get(n++)).isEqualTo(Numbered.message(i));
        }
      }
      assertThat(lines).hasSize(1_800);
    }
  }

  /** As with Logback, which writes nothing then and says nothing. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDeliverAnEventOfWhichTheEncoderMakesNothing(boolean ofNull) {
    EncoderBase<ILoggingEvent> silent =
        new ThrowingEncoder() {
          @Override
          public byte[] encode(ILoggingEvent event) {
            boolean spoken = event.getFormattedMessage().equals("spoken");
            return spoken
                ? "spoken\n".getBytes(StandardCharsets.UTF_8)
                : ofNull ? null : new byte[0];
          }
        };
    try (FileRig rig = rig().encoder(silent).start()) {
      rig.logger.info("silent");
      rig.awaitDelivered();
      rig.logger.info("silent");
      rig.logger.info("spoken");
      rig.awaitDelivered();
      assertThat(Numbered.lines(rig.file)).containsExactly("spoken");
      assertThat(rig.metrics().getDelivered()).isEqualTo(3);
      rig.assertAllDelivered();
      assertThat(rig.metrics().getSinkFailures()).isZero();
    }
  }

  @Test
  void shouldLoseNothingWhenTheTriggeringPolicyThrows() {
    try (FileRig rig = rig()) {
      AtomicInteger asked = new AtomicInteger();
      rig.policy.onTrigger(() -> throwKind(asked.getAndIncrement()));
      rig.start();
      assertLosesNothing(rig);
      assertReportedOnce(rig);
    }
  }

  @Test
  void shouldLoseNothingWhenTheRollingPolicyThrows() {
    try (FileRig rig = rig()) {
      AtomicInteger asked = new AtomicInteger();
      rig.policy.onTrigger(rig.policy::roll);
      rig.policy.onRollover(() -> throwKind(asked.getAndIncrement()));
      rig.start();
      assertLosesNothing(rig);
      assertReportedOnce(rig);
      assertThat(asked.get()).isGreaterThan(KINDS.size());
    }
  }

  /** Logback has closed its stream by then, and would neither close the file nor end it. */
  @Test
  void shouldEndAndCloseTheFileAfterTheRollingPolicyThrew() throws IOException {
    FileRig rig = rig();
    try (rig) {
      rig.encoder(new FramingEncoder());
      rig.policy.onTrigger(rig.policy::roll);
      rig.policy.onRollover(() -> throwKind(0));
      rig.start();
      rig.log(1);
      rig.awaitDelivered();
      rig.policy.onTrigger(() -> {});
      rig.log(1);
      rig.awaitDelivered();
      assertThat(openFiles()).contains(rig.file);
    }
    assertThat(openFiles()).doesNotContain(rig.file);
    assertThat(Numbered.lines(rig.file)).last().isEqualTo("end");
  }

  /** The one that throws for as long as the file is to be opened. */
  @Test
  void shouldLoseNothingWhenTheHeaderThrowsAfterARollover() throws IOException {
    FramingEncoder encoder = new FramingEncoder();
    try (FileRig rig = rig().encoder(encoder).start()) {
      assertLosesNothingAfterARollover(rig, thrown -> encoder.onHeader = thrown);
    }
  }

  @Test
  void shouldLoseNothingWhenTheActiveFileHasNoNameAfterARollover() throws IOException {
    try (FileRig rig = rig().encoder(new FramingEncoder()).start()) {
      assertLosesNothingAfterARollover(rig, rig.policy::onActive);
    }
  }

  private void assertLosesNothingAfterARollover(FileRig rig, Consumer<Runnable> thrower)
      throws IOException {
    for (Supplier<Throwable> kind : COSTING_AN_EVENT) {
      thrower.accept(() -> throwKind(List.of(kind), 0));
      rig.policy.roll();
      rig.log(100);
      rig.awaitDelivered();
    }
    thrower.accept(() -> {});
    rig.assertAllDelivered();
    assertThat(rig.metrics().getWorkerFailures()).isZero();
    List<String> lines = new ArrayList<>();
    for (int i = 1; i <= rig.policy.rolled(); i++) {
      lines.addAll(Numbered.lines(Path.of(rig.file + "." + i)));
    }
    lines.addAll(Numbered.lines(rig.file));
    lines.removeAll(List.of("begin", "end"));
    Numbered.assertWhole(lines, 0, rig.logged());
  }

  @Test
  void shouldHoldNothingAfterAStartWhoseHeaderAndFooterThrew() throws IOException {
    FramingEncoder encoder = new FramingEncoder();
    Runnable thrower = () -> throwKind(0);
    try (FileRig rig = rig().encoder(encoder)) {
      for (Runnable onFooter : List.<Runnable>of(() -> {}, thrower)) {
        encoder.onHeader = thrower;
        encoder.onFooter = onFooter;
        assertThatThrownBy(rig.appender::start).hasMessage("unchecked");
        assertThat(rig.appender.isStarted()).isFalse();
        assertThat(openFiles()).doesNotContain(rig.file);
      }
      rig.logger.addAppender(rig.appender);
      rig.logger.info("dropped");
      encoder.onHeader = () -> {};
      encoder.onFooter = () -> {};
      rig.start();
      rig.log(1);
      rig.awaitDelivered();
      assertThat(Numbered.lines(rig.file)).containsExactly("begin", Numbered.message(0));
    }
  }

  @Test
  void shouldCloseTheFileAndStopThePoliciesThoughTheFooterThrows() throws IOException {
    FramingEncoder encoder = new FramingEncoder();
    try (FileRig rig = rig().encoder(encoder).start()) {
      encoder.onFooter = () -> throwKind(0);
      rig.log(1);
      rig.appender.stop();
      rig.await("stopped", () -> !rig.policy.isStarted());
      assertThat(openFiles()).doesNotContain(rig.file);
      encoder.onFooter = () -> {};
      encoder.start();
      rig.policy.start();
      rig.start();
      rig.log(1);
      rig.awaitDelivered();
      assertThat(Numbered.lines(rig.file))
          .containsExactly("begin", Numbered.message(0), "begin", Numbered.message(1));
    }
  }

  private static List<Path> openFiles() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
      return files
          .map(
              link -> {
                try {
                  return Files.readSymbolicLink(link);
                } catch (IOException closed) {
                  return link;
                }
              })
          .toList();
    }
  }

  /** Neither one that throws nor one that hangs. */
  @Test
  void shouldDeliverWithoutTheTextOfWhatAPolicyThrows() {
    Gate gate = new Gate();
    try (FileRig rig = rig().start()) {
      gate.shut();
      rig.policy.onTrigger(() -> throwKind(List.of(() -> new Hostile(gate)), 0));
      rig.log(100);
      rig.awaitDelivered();
      gate.open();
      rig.log(100);
      rig.awaitDelivered();
      rig.assertAllDelivered();
      rig.await("told", () -> rig.statuses(Hostile.class.getName()) == 1);
      assertReportedOnce(rig);
    } finally {
      gate.open();
    }
  }

  @Test
  void shouldWriteNothingTwiceWhenTheLengthCounterThrows() {
    try (FileRig rig = rig().start()) {
      AtomicInteger asked = new AtomicInteger();
      rig.policy.onCount(() -> throwKind(asked.getAndIncrement()));
      assertLosesNothing(rig);
      assertReportedOnce(rig);
      rig.policy.onCount(() -> {});
    }
  }

  /** So that whoever waits for delivery sees what the policies made of it, too. */
  @Test
  void shouldCountAChunkAsDeliveredLast() {
    try (FileRig rig = rig().start()) {
      AtomicLong deliveredWhenTold = new AtomicLong(-1);
      rig.policy.onCount(() -> deliveredWhenTold.set(rig.metrics().getDelivered()));
      rig.log(1);
      rig.awaitDelivered();
      assertThat(deliveredWhenTold.get()).isZero();
      assertThat(rig.metrics().getDelivered()).isEqualTo(1);
    }
  }

  @Test
  void shouldLoseNothingWhenAStatusListenerThrows() {
    try (FileRig rig = rig().start()) {
      AtomicInteger told = new AtomicInteger();
      StatusListener listener = status -> throwKind(told.getAndIncrement());
      rig.context.getStatusManager().add(listener);
      rig.policy.onCount(() -> throwKind(0));
      assertLosesNothing(rig);
      rig.context.getStatusManager().remove(listener);
      assertThat(told.get()).isPositive();
      assertThat(rig.metrics().getWorkerFailures()).isZero();
    }
  }

  private static void assertLosesNothing(FileRig rig) {
    for (int i = 0; i < 3 * KINDS.size(); i++) {
      rig.log(100);
      rig.awaitDelivered();
    }
    Numbered.assertWhole(Numbered.lines(rig.file), 0, rig.logged());
    rig.assertAllDelivered();
    assertThat(rig.metrics().getSinkFailures()).isGreaterThanOrEqualTo(3L * KINDS.size());
    assertThat(rig.metrics().getWorkerFailures()).isZero();
  }

  private static void assertReportedOnce(FileRig rig) {
    assertThat(rig.statuses("policy threw")).as("rate-limited").isEqualTo(1);
  }
}
