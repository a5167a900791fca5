package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.internal.route.Joins;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The same appender stopped and started again and again while others log. */
@Tag("slow")
@Timeout(600) // the long form on a busy machine
class RestartTest {
  private static final int RESTARTS = Boolean.getBoolean("spillway.test.full") ? 1_000 : 60;
  private static final int THREADS = 4;

  @TempDir Path directory;

  private final AtomicBoolean done = new AtomicBoolean();
  private final AtomicLong attempts = new AtomicLong();
  private final List<SpillwayMetrics> used = new ArrayList<>();

  @Test
  @Tag("gate")
  void shouldAcceptOrCountEveryEventWhileTheFileAppenderRestarts() throws Exception {
    try (Subject subject = new Subject(Kind.OWN_FILE, directory)) {
      subject.start();
      List<Thread> threads = startLogging(i -> subject.logger.info("#0:{}.", i));
      for (int i = 0; i < RESTARTS; i++) {
        used.add(subject.metrics());
        RollingFileAppender<?> appender = (RollingFileAppender<?>) subject.appender();
        appender.stop();
        appender.getRollingPolicy().start(); // a stop stops it, as in Logback
        appender.getTriggeringPolicy().start();
        appender.start();
        assertThat(subject.appender().isStarted()).isTrue();
      }
      used.add(subject.metrics());
      finish(threads);
      subject.awaitDelivered();
      try (Stream<String> lines = Files.lines(subject.logFile())) { // gigabytes in the long form
        assertAllAccountedFor(lines.count());
      }
      assertThat(new SequenceCheck(subject.logFile()).glued()).isZero();
    }
  }

  @Test
  void shouldAcceptOrCountEveryEventWhileTheWrappingAppenderRestarts() throws Exception {
    GatedAppender nested = new GatedAppender();
    AtomicLong kept = new AtomicLong();
    nested.handTo(message -> kept.incrementAndGet());
    try (Rig rig = new Rig(directory, nested).start()) {
      List<Thread> threads = startLogging(i -> rig.logger.info("#0:{}.", i));
      for (int i = 0; i < RESTARTS; i++) {
        used.add(rig.appender.getMetrics());
        rig.appender.stop();
        nested.start();
        rig.appender.addAppender(nested);
        rig.appender.start();
        assertThat(rig.appender.isStarted()).as(() -> "" + rig.statuses()).isTrue();
      }
      used.add(rig.appender.getMetrics());
      finish(threads);
      rig.awaitDelivered();
      assertAllAccountedFor(kept.get());
    }
  }

  /** An appender that is attached before it is started gets events while Logback opens its file. */
  @Test
  void shouldTakeWhatIsLoggedWhileTheFileIsOpened() throws Exception {
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.logger.addAppender(rig.appender);
      PatternLayoutEncoder encoder =
          new PatternLayoutEncoder() {
            @Override
            public byte[] headerBytes() {
              Thread other = new Thread(() -> rig.logger.info("early"));
              other.start();
              Joins.until(other, System.nanoTime() + FileRig.PATIENCE.toNanos());
              return null;
            }
          };
      encoder.setPattern("%msg%n");
      rig.encoder(encoder).appender.start();
      rig.awaitDelivered();
      assertThat(Files.readAllLines(rig.file)).containsExactly("early");
      assertThat(rig.statuses()).noneMatch(status -> status.contains("Appender [FILE] failed"));
    }
  }

  private List<Thread> startLogging(LongConsumer log) {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Thread thread =
          new Thread(
              () -> {
                while (!done.get()) {
                  log.accept(attempts.getAndIncrement());
                }
              });
      threads.add(thread);
      thread.start();
    }
    return threads;
  }

  private void finish(List<Thread> threads) throws InterruptedException {
    done.set(true);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void assertAllAccountedFor(long delivered) {
    long accepted = used.stream().mapToLong(SpillwayMetrics::getAccepted).sum();
    long dropped = used.stream().mapToLong(SpillwayMetrics::getDropped).sum();
    assertThat(used.stream().mapToLong(SpillwayMetrics::getLost).sum()).as("lost").isZero();
    assertThat(accepted + dropped).as("accepted and dropped").isEqualTo(attempts.get());
    assertThat(delivered).as("delivered").isEqualTo(accepted);
  }
}
