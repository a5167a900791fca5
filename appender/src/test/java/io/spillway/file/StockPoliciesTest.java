package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Numbered;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every stock Logback policy rolls the file over, and every event is in one of the files, once. */
@Timeout(60)
class StockPoliciesTest {
  private static final String ENCODER = "<encoder><pattern>%msg%n</pattern></encoder>";
  private static final String FILE = "<file>DIR/app.log</file>";
  private static final String FIXED_WINDOW =
      "<rollingPolicy class='ch.qos.logback.core.rolling.FixedWindowRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%i.logSUFFIX</fileNamePattern>"
          + "<minIndex>1</minIndex><maxIndex>20</maxIndex></rollingPolicy>"
          + "<triggeringPolicy class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'>"
          + "<maxFileSize>20KB</maxFileSize><checkIncrement>1 millisecond</checkIncrement>"
          + "</triggeringPolicy>";
  private static final String TIME_BASED =
      "<rollingPolicy class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d{yyyy-MM-dd_HH-mm-ss}.logSUFFIX</fileNamePattern>"
          + "</rollingPolicy>";
  private static final String SIZE_AND_TIME =
      "<rollingPolicy class='ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d{yyyy-MM-dd_HH}.%i.logSUFFIX</fileNamePattern>"
          + "<maxFileSize>20KB</maxFileSize><checkIncrement>1 millisecond</checkIncrement>"
          + "</rollingPolicy>";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"", ".gz", ".zip"})
  void shouldRollByFixedWindowAndSize(String suffix) {
    logBursts(FILE + FIXED_WINDOW.replace("SUFFIX", suffix), 10);

    List<String> names = assertEveryEventOnce(10 * BURST, 5);
    assertThat(names).contains("app.log", "app.1.log" + suffix, "app.4.log" + suffix);
  }

  @ParameterizedTest
  @CsvSource({"true, ''", "true, .gz", "false, ''", "false, .gz", "false, .zip"})
  void shouldRollByTime(boolean withFile, String suffix) {
    String settings = (withFile ? FILE : "") + TIME_BASED.replace("SUFFIX", suffix);
    int logged = 0;
    try (Configured configured = configure(settings)) {
      long end = System.nanoTime() + 2_200_000_000L; // two turns of the second, at least
      while (System.nanoTime() - end < 0) {
        configured.logAndAwait(Numbered.message(logged++));
        LockSupport.parkNanos(2_000_000);
      }
    }
    List<String> names = assertEveryEventOnce(logged, 3);
    assertThat(names.contains("app.log")).as("active file is <file>").isEqualTo(withFile);
    assertThat(names.get(0)).endsWith(".log" + suffix);
  }

  @ParameterizedTest
  @CsvSource({"true, ''", "true, .gz", "false, ''"})
  void shouldRollBySizeAndTime(boolean withFile, String suffix) {
    logBursts((withFile ? FILE : "") + SIZE_AND_TIME.replace("SUFFIX", suffix), 10);

    List<String> names = assertEveryEventOnce(10 * BURST, 5);
    assertThat(names.contains("app.log")).isEqualTo(withFile);
  }

  @Test
  void shouldAppendToWhatAnEarlierRunWrote() {
    for (int run = 0; run < 3; run++) {
      try (Configured configured =
          configure(FILE + TIME_BASED.replace("-dd_HH-mm-ss", "").replace("SUFFIX", ""))) {
        for (int i = 0; i < 100; i++) {
          configured.logger.info(Numbered.message(run * 100 + i));
        }
      }
    }
    assertThat(assertEveryEventOnce(300, 1)).containsExactly("app.log");
  }

  @Test
  void shouldAppendEvenIfToldNotToAsStockDoes() {
    String settings = "<append>false</append>" + FILE + FIXED_WINDOW.replace("SUFFIX", "");
    for (int run = 0; run < 2; run++) {
      try (Configured configured = configure(settings)) {
        configured.logger.info(Numbered.message(run));
        assertThat(configured.complaints()).anyMatch(m -> m.contains("Append mode is mandatory"));
      }
    }
    assertEveryEventOnce(2, 1);
  }

  @Test
  void shouldCountTheLengthOfAnExistingFileTowardsItsMaximum() {
    String settings = FILE + SIZE_AND_TIME.replace("SUFFIX", "");
    for (int run = 0; run < 3; run++) {
      try (Configured configured = configure(settings)) {
        for (int i = 0; i < 150; i++) { // 14 KB
          configured.logger.info(Numbered.message(run * 150 + i));
        }
        configured.awaitDelivered();
      }
    }
    assertEveryEventOnce(450, 2);
  }

  /** Its stop waits for compression, as those of Logback's do. */
  public static class Compressing extends FixedWindowRollingPolicy {
    private static volatile CountDownLatch begun;
    private static volatile CountDownLatch compressed;

    @Override
    public void stop() {
      begun.countDown();
      awaitQuietly(compressed);
      super.stop();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private Configured configureToStop(Class<? extends FixedWindowRollingPolicy> policy) {
    return configure(
        "<maxFlushTime>100</maxFlushTime>"
            + FILE
            + FIXED_WINDOW
                .replace("SUFFIX", ".gz")
                .replace(FixedWindowRollingPolicy.class.getName(), policy.getName())
                .replace(SizeBasedTriggeringPolicy.class.getName(), Holding.class.getName()));
  }

  /** The JVM's exit would end it, and leave half an archive; it does not wait for a daemon. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldWaitForLogbacksCompressionAtAStop(boolean daemon) throws Exception {
    Compressing.begun = new CountDownLatch(1);
    Compressing.compressed = new CountDownLatch(1);
    Configured configured = configureToStop(Compressing.class);
    try {
      RollingPolicy compressing =
          ((SpillwayRollingFileAppender<?>) configured.file()).getRollingPolicy();
      Thread stop = new Thread(configured.file()::stop);
      stop.setDaemon(daemon);
      stop.start();
      if (!daemon) {
        stop.join(2_000); // returned earlier, it has not waited
        assertThat(stop.isAlive()).as("waits").isTrue();
        Compressing.compressed.countDown();
      }
      stop.join(10_000);
      assertThat(stop.isAlive()).as("waits").isFalse();
      assertThat(compressing.isStarted()).as("policy").isEqualTo(daemon);
    } finally {
      Compressing.compressed.countDown();
      configured.close();
    }
  }

  /** Stands still within its rollover, as Logback's while it compresses there. */
  public static class CompressingAtOnce extends FixedWindowRollingPolicy {
    private static volatile CountDownLatch begun;
    private static volatile CountDownLatch compressed;

    @Override
    public void rollover() {
      begun.countDown();
      awaitQuietly(compressed);
      super.rollover();
    }
  }

  /** On the deliverer, which the JVM's exit ends as well. */
  @Test
  void shouldWaitForLogbacksCompressionWithinARolloverAtAStop() throws Exception {
    CompressingAtOnce.begun = new CountDownLatch(1);
    CompressingAtOnce.compressed = new CountDownLatch(1);
    Configured configured = configureToStop(CompressingAtOnce.class);
    try {
      configured.logAndAwait(Numbered.message(0));
      ((SpillwayRollingFileAppender<?>) configured.file()).rollover();
      configured.logger.info(Numbered.message(1));
      CompressingAtOnce.begun.await();
      Path archive = directory.resolve("app.1.log.gz");
      Stopping stop = new Stopping(configured, () -> Files.exists(archive));

      await().until(() -> stop.isWaiting() || !stop.isAlive());
      CompressingAtOnce.compressed.countDown();

      stop.join();
      assertThat(stop.done).as("compressed when the stop returned").isTrue();
    } finally {
      CompressingAtOnce.compressed.countDown();
      configured.close();
    }
    assertEveryEventOnceAfterTheNextStart(2, 2);
  }

  /** Holds the deliverer before a write. */
  public static class Holding extends SizeBasedTriggeringPolicy<Object> {
    private static volatile Runnable hold = () -> {};

    @Override
    public boolean isTriggeringEvent(File activeFile, Object event) {
      hold.run();
      return false;
    }
  }

  /** It begins only afterwards, when the stop has given up on the write. */
  @Test
  void shouldWaitForLogbacksCompressionBehindASlowWriteAtAStop() throws Exception {
    AtomicReference<Stopping> stopping = new AtomicReference<>();
    CountDownLatch writing = new CountDownLatch(1);
    Compressing.begun = new CountDownLatch(1);
    Compressing.compressed = new CountDownLatch(1);
    Holding.hold =
        () -> {
          writing.countDown();
          await().pollInterval(Duration.ofMillis(1)).until(() -> isPastTheWrite(stopping.get()));
        };
    Configured configured = configureToStop(Compressing.class);
    try {
      configured.logger.info(Numbered.message(0));
      writing.await();
      RollingPolicy policy =
          ((SpillwayRollingFileAppender<?>) configured.file()).getRollingPolicy();
      Stopping stop = new Stopping(configured, () -> !policy.isStarted());
      stopping.set(stop);

      Compressing.begun.await();
      Compressing.compressed.countDown();

      stop.join();
      assertThat(stop.done).as("compressed when the stop returned").isTrue();
    } finally {
      Holding.hold = () -> {};
      Compressing.compressed.countDown();
      configured.close();
    }
    assertEveryEventOnceAfterTheNextStart(1, 1);
  }

  private static boolean isPastTheWrite(Stopping stop) {
    return stop != null && (stop.isWaiting() || !stop.isAlive());
  }

  /** Stops the appender, and then looks whether something is done. */
  private static final class Stopping extends Thread {
    private final Configured configured;
    private final BooleanSupplier look;
    private volatile boolean done;

    Stopping(Configured configured, BooleanSupplier look) {
      this.configured = configured;
      this.look = look;
      start();
    }

    @Override
    public void run() {
      configured.file().stop();
      done = look.getAsBoolean();
    }

    boolean isWaiting() {
      return Arrays.stream(getStackTrace())
          .anyMatch(frame -> frame.getMethodName().equals("awaitSink"));
    }
  }

  private static final int BURST = 150; // about 14 KB: two fill a file

  private void logBursts(String settings, int bursts) {
    try (Configured configured = configure(settings)) {
      for (int burst = 0; burst < bursts; burst++) {
        for (int i = 0; i < BURST; i++) {
          configured.logger.info(Numbered.message(burst * BURST + i));
        }
        configured.awaitDelivered();
        LockSupport.parkNanos(3_000_000); // more than the checkIncrement
      }
      assertThat(((SpillwayRollingFileAppender<?>) configured.file()).getMetrics().getRollovers())
          .as(() -> "rollovers; " + configured.statuses())
          .isGreaterThanOrEqualTo(4);
    }
  }

  private Configured configure(String settings) {
    String spill =
        "<spillDirectory>" + directory.resolveSibling(directory.getFileName() + ".spill");
    Configured configured =
        new Configured(
            Configured.SPILLWAY,
            directory,
            spill + "</spillDirectory><maxFlushTime>5000</maxFlushTime>" + settings + ENCODER);
    configured.file();
    return configured;
  }

  /** With what a stop has saved. */
  private void assertEveryEventOnceAfterTheNextStart(int count, int leastFiles) {
    try (Configured next = configure(FILE + FIXED_WINDOW.replace("SUFFIX", ".gz"))) {
      next.awaitDelivered();
    }
    assertEveryEventOnce(count, leastFiles);
  }

  /** Reads all files in the order of their first event; returns their names in that order. */
  private List<String> assertEveryEventOnce(int count, int leastFiles) {
    Map<String, String> contents = Configured.contents(directory);
    List<String> names = new ArrayList<>(contents.keySet());
    names.removeIf(name -> contents.get(name).isEmpty());
    names.sort(Comparator.comparingInt(name -> firstNumber(contents.get(name))));
    StringBuilder all = new StringBuilder();
    names.forEach(name -> all.append(contents.get(name)));
    Numbered.assertWhole(Numbered.lines(all.toString()), 0, count);
    assertThat(names).hasSizeGreaterThanOrEqualTo(leastFiles);
    return names;
  }

  private static int firstNumber(String content) {
    return Integer.parseInt(content.split(" ", 3)[1]);
  }
}
