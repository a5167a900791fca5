package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.SequenceCheck;
import java.util.Random;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Promises 4, 5 and 6, one soak: accepted = delivered + pending + lost, and each loss has a cause;
 * order is kept, within a thread and across, through ring, spill and restart; no duplicates without
 * a crash.
 */
class P04to06ConservationTest extends Promise {
  private static final int THREADS = 8;
  private static final int LIVES = FULL ? 50 : 2;
  private static final int EACH = FULL ? 25_000 : 6_000; // events of each thread in each life
  private static final int THROWN = 1_009; // each so manieth event of a thread fails

  private static int number(String message) {
    return Integer.parseInt(message.substring(message.indexOf(':') + 1, message.length() - 1));
  }

  private static boolean fails(int number) {
    return number % THROWN == THROWN - 1;
  }

  /** Throws for some events. */
  private static PatternLayoutEncoder failing() {
    PatternLayoutEncoder encoder =
        new PatternLayoutEncoder() {
          @Override
          public byte[] encode(ILoggingEvent event) {
            if (fails(number(event.getFormattedMessage()))) {
              throw new IllegalStateException("on purpose");
            }
            return super.encode(event);
          }
        };
    encoder.setPattern("%msg%n");
    return encoder;
  }

  /** The sink stalls and the encoder throws at random; each life leaves some of it to the next. */
  @ParameterizedTest
  @CsvSource({"WRAPPED, OVERFLOW", "WRAPPED, ALWAYS", "FILE, OVERFLOW", "FILE, ALWAYS"})
  void conservesEventsAndOrderOverManyLives(Kind kind, String mode) throws Exception {
    long spilled = 0;
    for (int life = 0; life < LIVES; life++) {
      int from = life * EACH;
      boolean last = life == LIVES - 1;
      try (Probe probe = new Probe(kind, directory).width(300).encoder(failing())) {
        probe.settings.setSpillMode(mode);
        probe.settings.setMaxFlushTime(last ? "10 minutes" : "20");
        probe.settings.setMaxSpillSize("10 GB"); // the lives of the long form leave more than 1 GB
        probe.start();
        whileStalling(
            probe,
            () -> Probe.inThreads(THREADS, id -> probe.log(String.valueOf(id), from, from + EACH)));
        if (last) {
          probe.awaitDelivered();
        }
        probe.stop();
        SpillwayMetrics metrics = probe.metrics();
        assertThat(metrics.getAccepted() + metrics.getDropped()).isEqualTo((long) THREADS * EACH);
        assertThat(metrics.getDropped()).isEqualTo(metrics.lossOf(LossCause.PREPARE_FAILED));
        assertThat(causes(metrics)).as("each loss has a cause").isEqualTo(metrics.getLost());
        assertThat(metrics.lossOf(LossCause.NOT_SAVED)).isZero();
        long failures = (long) THREADS * (life * EACH / THROWN + 1); // of earlier lives
        assertThat(metrics.getDelivered() + metrics.getPending() + metrics.getLost())
            .as("delivered, or in the spill for the next life, or lost")
            .isBetween(metrics.getAccepted(), metrics.getAccepted() + failures);
        assertThat(last ? metrics.getPending() : 0).as("neither delivered nor lost").isZero();
        spilled += metrics.getSpilled();
      }
    }
    SequenceCheck check = new SequenceCheck(directory.resolve("app.log"));
    check.assertInOrderWithoutFragments();
    assertThat(check.duplicates()).as("a batch a life").isLessThanOrEqualTo((LIVES - 1) * 512L);
    int failures = 0;
    for (int number = 0; number < LIVES * EACH; number++) {
      failures += fails(number) ? 1 : 0;
    }
    for (int id = 0; id < THREADS; id++) {
      assertThat(check.of(String.valueOf(id)).cardinality())
          .as("delivered of thread " + id)
          .isEqualTo(LIVES * EACH - failures);
    }
    assertThat(spilled).as("the spill was used").isPositive();
  }

  private static long causes(SpillwayMetrics metrics) {
    return Stream.of(LossCause.values())
        .filter(cause -> !cause.beforeAcceptance())
        .mapToLong(metrics::lossOf)
        .sum();
  }

  private static void whileStalling(Probe probe, Runnable logging) throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    Random random = new Random(42);
    Thread toggler =
        new Thread(
            () -> {
              Probe.await("spilled", () -> probe.metrics().getSpilled() > 0);
              while (!done.get()) {
                probe.gate.shut();
                LockSupport.parkNanos(random.nextInt(40_000_000));
                probe.gate.open();
                LockSupport.parkNanos(random.nextInt(10_000_000));
              }
            });
    probe.gate.shut();
    toggler.start();
    logging.run();
    done.set(true);
    toggler.join();
  }

  /** What happened before another event in another thread is before it in the log. */
  @Both
  void keepsHappensBeforeAcrossThreads(Kind kind) throws Exception {
    int rounds = FULL ? 500_000 : 20_000;
    try (Probe probe = new Probe(kind, directory)) {
      probe.settings.setSpillMode("ALWAYS");
      probe.start();
      whileStalling(probe, () -> passBaton(probe.logger, rounds));
      probe.awaitDelivered();
      assertThat(probe.metrics().getSpilled()).isPositive();
      int[] position = new int[2 * rounds];
      int next = 0;
      for (String line : probe.lines()) {
        position[number(line)] = next++;
      }
      assertThat(next).isEqualTo(2 * rounds);
      for (int i = 0; i < rounds; i++) {
        if (position[2 * i] > position[2 * i + 1]) {
          assertThat(position[2 * i]).as("round " + i).isLessThan(position[2 * i + 1]);
        }
      }
    }
  }

  /** A logs 2i and hands over, B logs 2i+1; A's next may come before or after that. */
  private static void passBaton(Logger logger, int rounds) {
    SynchronousQueue<Integer> baton = new SynchronousQueue<>();
    Probe.inThreads(
        2,
        id -> {
          try {
            for (int i = 0; i < rounds; i++) {
              if (id == 0) {
                logger.info("#0:{}.", 2 * i);
                baton.put(i);
              } else {
                logger.info("#0:{}.", 2 * baton.take() + 1);
              }
            }
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** A successor that cannot have the spill yet delivers its own events before the leftovers. */
  @Both
  void aSuccessorOfAStuckAppenderKeepsTheOrderOfEachPart(Kind kind) {
    Probe first = new Probe(kind, directory);
    first.settings.setMaxFlushTime("50");
    first.gate.shut();
    first.start();
    first.log("1", 0, 5_000);
    first.stop();
    try (Probe second = new Probe(kind, directory).start()) {
      second.log("2", 0, 5_000);
      first.gate.open();
      Probe.await("both", () -> second.lines().size() >= 10_000);
      SequenceCheck check = second.assertLog("1", 5_000, "2", 5_000);
      assertThat(check.duplicates()).as("a fenced sink that returned").isLessThanOrEqualTo(512);
    } finally {
      first.close();
    }
  }
}
