package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Configured;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Waits;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;

/**
 * Promise 2: a sink that stalls is invisible to application threads while the spill has room. Here
 * it is Logback's own rotation, which compresses before the log goes on, and a frozen disk.
 */
@Tag("alone")
class P02StallInvisibleTest extends Promise {
  private static final int ROLLED_MB = FULL ? 1_024 : 16;
  private static final int FROZEN_EVENTS = FULL ? 200_000 : 16_000; // 10 s, or about the ring
  private static final int THREADS = FULL ? 300 : 50;
  private static final long PAUSE_NANOS = THREADS * 50_000L; // 20,000 events a second at most

  private static final String POLICIES =
      "<file>DIR/app.log</file><rollingPolicy class='ch.qos.logback.core.rolling.FixedWindowRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%i.log.gz</fileNamePattern></rollingPolicy><triggeringPolicy"
          + " class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'>"
          + "<maxFileSize>MB MB</maxFileSize></triggeringPolicy>"
          + "<encoder><pattern>%msg%n</pattern></encoder>";

  private Configured configure(Kind kind) {
    String content =
        kind == Kind.WRAPPED
            ? "<appender name='FILE' class='ch.qos.logback.core.rolling.RollingFileAppender'>"
                + POLICIES
                + "</appender><appender name='IT' class='io.spillway.SpillwayAppender'>"
                + "<spillDirectory>DIR/spill</spillDirectory><appender-ref ref='FILE'/></appender>"
            : "<appender name='IT' class='io.spillway.SpillwayRollingFileAppender'>"
                + POLICIES
                + "</appender>";
    content += "<root level='INFO'><appender-ref ref='IT'/></root>";
    return new Configured(
        content.replace("DIR", directory.toString()).replace("MB MB", ROLLED_MB + "MB"));
  }

  /** The file is as large as it may get when the load comes. */
  @Both
  void aRotationThatCompressesIsInvisible(Kind kind) throws Exception {
    File log = directory.resolve("app.log").toFile();
    fill(log.toPath());
    Path archive = directory.resolve("app.1.log.gz");
    try (Probe warm = new Probe(kind, directory.resolve("warm")).start()) {
      warm.logger.info("#{}:{}.", 0, 0); // loads classes, which waits
      warm.awaitDelivered();
    }
    try (Configured configured = configure(kind)) {
      SpillwayMetrics metrics = Probe.metrics(configured.appender("IT"));
      List<String> waits;
      int[] next = new int[THREADS];
      long[] stalled = {0};
      try (Waits recording = new Waits()) {
        BooleanSupplier done =
            () -> {
              stalled[0] = Math.max(stalled[0], (long) metrics.value("StallNanos"));
              long length = log.length(); // Logback deletes it when it is compressed
              return Files.exists(archive) && length > 0 && length < ROLLED_MB << 19;
            };
        logUntil(done, (id, i) -> configured.logger.info("#{}:{}.", 1 + id, i), next);
        waits = recording.underSpillway();
      }
      Probe.await("delivered", () -> metrics.getPending() == 0);
      assertThat(stalled[0]).as("the rotation took its time").isGreaterThan(50_000_000L);
      assertUnseen(metrics, waits);
      configured.context.stop();
      List<String> lines = new ArrayList<>();
      try (BufferedReader rolled =
          new BufferedReader(
              new InputStreamReader(new GZIPInputStream(Files.newInputStream(archive))))) {
        rolled.lines().filter(line -> line.startsWith("#")).forEach(lines::add);
      }
      lines.addAll(Files.readAllLines(log.toPath()));
      SequenceCheck check = new SequenceCheck(lines).assertInOrderWithoutFragments();
      for (int id = 0; id < THREADS; id++) {
        check.assertComplete(String.valueOf(1 + id), next[id]);
      }
    }
  }

  /** What cannot be compressed fast: gzip sees no repetition that is so far away. */
  private static void fill(Path file) throws IOException {
    Random random = new Random(2);
    byte[] block = new byte[1 << 20];
    for (int i = 0; i < block.length; i++) {
      block[i] = (byte) (i % 100 == 99 ? '\n' : 'a' + random.nextInt(20));
    }
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int mb = 0; mb < ROLLED_MB; mb++) {
        out.write(block);
      }
    }
  }

  /** A thread of its own looks whether it is over. */
  private static void logUntil(
      BooleanSupplier over, BiConsumer<Integer, Integer> logging, int[] next) {
    AtomicBoolean done = new AtomicBoolean();
    Thread watching =
        new Thread(
            () -> {
              Probe.await("the end of the stall", over);
              done.set(true);
            });
    watching.start();
    Probe.inThreads(
        next.length,
        id -> {
          while (!done.get() && watching.isAlive()) {
            logging.accept(id, next[id]++);
            LockSupport.parkNanos(PAUSE_NANOS);
          }
        });
    assertThat(done).as("the stall has ended").isTrue();
  }

  /** Log and archives on a disk that hangs, the spill on another one. */
  @Both
  void aFrozenDiskIsInvisible(Kind kind) throws Exception {
    try (LoopDisk disk = new LoopDisk(directory);
        Probe probe = new Probe(kind, directory).width(600)) {
      probe.log(disk.directory().resolve("app.log"));
      probe.start();
      probe.log("0", 0, 1_000); // loads classes
      probe.awaitDelivered();
      SpillwayMetrics metrics = probe.metrics();
      int[] next = new int[THREADS];
      List<String> waits;
      disk.freeze();
      try (Waits recording = new Waits()) {
        logUntil(
            () ->
                metrics.getPending() > FROZEN_EVENTS
                    && (long) metrics.value("StallNanos") > 1_200_000_000L,
            (id, i) -> probe.log(String.valueOf(1 + id), i, i + 1),
            next);
        waits = recording.underSpillway();
      } finally {
        disk.thaw();
      }
      assertUnseen(metrics, waits);
      assertThat(metrics.getSpilled()).as("spilled").isPositive();
      SequenceCheck check = probe.assertLog();
      for (int id = 0; id < THREADS; id++) {
        check.assertComplete(String.valueOf(1 + id), next[id]);
      }
    }
  }

  private static void assertUnseen(SpillwayMetrics metrics, List<String> waits) {
    assertThat(waits.stream().limit(3).toList()).as(waits.size() + " waits").isEmpty();
    assertThat(metrics.getBlockedCalls()).isZero();
    assertThat(metrics.getDropped() + metrics.getLost()).isZero();
  }
}
