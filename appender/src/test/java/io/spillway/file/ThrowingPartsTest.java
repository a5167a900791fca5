package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.status.StatusListener;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Numbered;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
    EncoderBase<ILoggingEvent> ending =
        new ThrowingEncoder() {
          @Override
          public byte[] encode(ILoggingEvent event) {
            return (event.getFormattedMessage() + "\n").getBytes(StandardCharsets.UTF_8);
          }

          @Override
          public byte[] footerBytes() {
            return "end\n".getBytes(StandardCharsets.UTF_8);
          }
        };
    try (rig) {
      rig.encoder(ending);
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
  }

  private static void assertReportedOnce(FileRig rig) {
    assertThat(rig.statuses("policy threw")).as("rate-limited").isEqualTo(1);
  }
}
