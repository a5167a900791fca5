package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Fork;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Probe;
import java.io.File;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Promise 8: with {@code spillSync} a synced event survives a power cut, also after it was
 * delivered. Log, archives and spill are on an ext4 whose power is cut; the witness is this
 * process.
 */
class P08PowerCutTest extends Promise {
  private static final int CUTS = FULL ? 100 : 2;
  private static final Pattern EVENT = Pattern.compile("#(\\d+):(\\d+)\\.");
  private static final String ROLLING =
      "<rollingPolicy class='io.spillway.rolling.FixedWindowRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%i.log.gz</fileNamePattern><maxIndex>200</maxIndex>"
          + "</rollingPolicy><triggeringPolicy class='"
          + "io.spillway.rolling.SizeBasedTriggeringPolicy'><maxFileSize>50KB</maxFileSize>"
          + "</triggeringPolicy>";

  private long synced;

  private static Configured configure(Path directory) {
    return new Configured(
        Configured.SPILLWAY,
        directory,
        "<file>DIR/app.log</file><spillMode>ALWAYS</spillMode>"
            + "<spillSync>20 milliseconds</spillSync><maxSpillSize>4MB</maxSpillSize>"
            + ROLLING
            + "<encoder><pattern>%msg%n</pattern></encoder>");
  }

  @Test
  void keepsEverySyncedEvent() {
    Random random = new Random(7);
    try (LoopDisk disk = new LoopDisk(directory)) {
      for (int cut = 0; cut < CUTS; cut++) {
        cutOnce(disk, cut, random);
      }
    }
    System.out.printf("power cuts: %d, %d synced%n", CUTS, synced);
  }

  private void cutOnce(LoopDisk disk, int cut, Random random) {
    int events;
    try (Fork child = Fork.start(Child.class, List.of(), disk.directory(), cut)) {
      child.awaitAtLeast("synced", 1 + random.nextInt(5_000));
      child.awaitAtLeast("delivered", random.nextInt(5_000));
      LockSupport.parkNanos(random.nextInt(100_000_000));
      events = (int) child.number("synced"); // before the cut
      disk.cutPower();
      child.kill();
    }
    synced += events;
    disk.mountAgain();
    try (Configured next = configure(disk.directory())) {
      next.awaitDelivered();
      SpillwayMetrics metrics = ((SpillwayRollingFileAppender<?>) next.file()).getMetrics();
      assertThat(metrics.getLost())
          .as("a record that was not synced may be half there")
          .isEqualTo(metrics.lossOf(LossCause.SPILL_DAMAGED));
      Probe.await("all archived", () -> (long) metrics.value("ArchiveBacklogFiles") == 0);
    }
    BitSet found = new BitSet();
    Configured.contents(disk.directory()).entrySet().stream()
        .filter(file -> file.getKey().matches("app.*\\.log(\\.gz)?"))
        .flatMap(file -> file.getValue().lines())
        .map(EVENT::matcher)
        .filter(Matcher::matches)
        .filter(event -> event.group(1).equals(String.valueOf(cut)))
        .forEach(event -> found.set(Integer.parseInt(event.group(2))));
    assertThat(found.nextClearBit(0))
        .as("first missing of " + events + " synced, cut " + cut)
        .isGreaterThanOrEqualTo(events);
    Stream.of(disk.directory().toFile().listFiles((d, name) -> name.startsWith("app.")))
        .filter(File::isFile)
        .forEach(File::delete);
  }

  /** Logs for ever, and tells what is synced. */
  public static final class Child {
    public static void main(String[] arguments) {
      Configured configured = configure(Path.of(arguments[0]));
      SpillwayMetrics metrics = ((SpillwayRollingFileAppender<?>) configured.file()).getMetrics();
      Thread producer =
          new Thread(
              () -> {
                for (int number = 0; ; number++) {
                  configured.logger.info("#{}:{}.", arguments[1], number);
                  if (number % 50 == 0) {
                    LockSupport.parkNanos(1_000_000);
                  }
                }
              });
      producer.setDaemon(true);
      producer.start();
      while (true) {
        Probe.print("synced", (long) metrics.value("Synced"));
        Probe.print("delivered", metrics.getDelivered());
        LockSupport.parkNanos(1_000_000);
      }
    }
  }
}
