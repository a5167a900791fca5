package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.SequenceCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Promise 21: {@code stop()} is bounded; stop and reconfiguration lose nothing if the spill has
 * room, with any burst. {@link P21ExitTest} has the exit of the JVM.
 */
class P21StopTest extends Promise {
  private static final int STOPS = FULL ? 200 : 8;
  private static final int THREADS = 4;

  /** A stuck sink costs maxFlushTime; what it has not taken comes at the next start. */
  @Both
  void isBoundedWithAStuckSinkAndLeavesTheRestToTheNextStart(Kind kind) {
    Probe stuck = new Probe(kind, directory);
    stuck.settings.setMaxFlushTime("300");
    stuck.gate.shut();
    stuck.start();
    stuck.log("0", 0, 40_000);
    long began = System.nanoTime();
    stuck.stop();
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
    assertThat(stuck.metrics().getLost() + stuck.metrics().getDropped()).isZero();
    stuck.close();
    try (Probe next = new Probe(kind, directory).start()) {
      next.log("1", 0, 100);
      SequenceCheck check = next.assertLog("0", 40_000, "1", 100);
      assertThat(check.duplicates()).isLessThanOrEqualTo(512);
    }
    assertThat(directory.resolve("spill").toFile().list()).as("left").isNullOrEmpty();
  }

  /**
   * Stops under load, some with a stuck sink, and under interrupts: each call is accepted and
   * saved, or counted as dropped.
   */
  @Both
  void aStormOfStopsUnderLoadLosesNothing(Kind kind) throws Exception {
    Random random = new Random(7);
    AtomicBoolean over = new AtomicBoolean();
    Thread storm = new Thread(() -> interruptAll(over), "storm");
    storm.start();
    long accepted = 0;
    for (int stop = 0; stop < STOPS; stop++) {
      Probe probe = new Probe(kind, directory);
      probe.settings.setMaxFlushTime(String.valueOf(1 + random.nextInt(30)));
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      AtomicLong attempts = new AtomicLong();
      AtomicBoolean done = new AtomicBoolean();
      int load = random.nextInt(2_000);
      int first = stop * THREADS;
      Thread stopping =
          new Thread(
              () -> {
                Probe.await("load", () -> metrics.getAccepted() > load);
                probe.appender().stop();
                done.set(true);
              });
      stopping.start();
      if (stop % 3 == 0) {
        probe.gate.shut();
      }
      Probe.inThreads(
          THREADS,
          id -> {
            for (int i = 0; !done.get(); i++) {
              probe.log(String.valueOf(first + id), i, i + 1);
              attempts.incrementAndGet();
              LockSupport.parkNanos(10_000);
            }
          });
      stopping.join();
      assertThat(metrics.getAccepted() + metrics.lossOf(LossCause.STOPPED))
          .as("the rest met Logback's own check of a stopped appender")
          .isLessThanOrEqualTo(attempts.get());
      assertThat(metrics.getLost()).as(() -> "lost, " + probe.statuses()).isZero();
      accepted += metrics.getAccepted();
      probe.close();
    }
    over.set(true);
    storm.join();
    try (Probe last = new Probe(kind, directory).start()) {
      SequenceCheck check = last.assertLog();
      assertThat(last.lines().size() - check.duplicates()).as("delivered").isEqualTo(accepted);
      assertThat(check.duplicates()).as("of fenced sinks").isLessThanOrEqualTo(STOPS * 512L);
    }
  }

  private static void interruptAll(AtomicBoolean done) {
    while (!done.get()) {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread.getName().startsWith("spillway-")) {
          thread.interrupt();
        }
      }
      LockSupport.parkNanos(500_000);
    }
  }

  private static final String FRAME =
      """
      <configuration scan="true" scanPeriod="50 milliseconds">
        <appender name="FILE" class="ch.qos.logback.core.FileAppender">
          <file>DIR/wrapped.log</file><encoder><pattern>%msg%n</pattern></encoder>
        </appender>
        <appender name="WRAPPED" class="io.spillway.SpillwayAppender">
          <spillDirectory>DIR/spill1</spillDirectory><appender-ref ref="FILE"/>
        </appender>
        <appender name="OWN" class="io.spillway.SpillwayRollingFileAppender">
          <file>DIR/own.log</file><encoder><pattern>%msg%n</pattern></encoder>
          <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
            <fileNamePattern>DIR/own.%d{yyyy-MM}.log</fileNamePattern>
          </rollingPolicy>
        </appender>
        <root level="INFO"><appender-ref ref="WRAPPED"/><appender-ref ref="OWN"/></root>
      </configuration>
      """;

  /**
   * Logback's own scan finds a changed file: the next appender goes on where the last one ended.
   */
  @ParameterizedTest
  @CsvSource({"WRAPPED, wrapped.log", "OWN, own.log"})
  void aReconfigurationByScanLosesNothingAccepted(String name, String log) throws Exception {
    LoggerContext context = Probe.newContext();
    Path file = directory.resolve("logback.xml");
    String xml = FRAME.replace("DIR", directory.toString());
    Files.writeString(file, xml);
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(file.toFile());
    List<SpillwayMetrics> used = new ArrayList<>(List.of(current(context, name)));
    AtomicBoolean done = new AtomicBoolean();
    Thread changing =
        new Thread(
            () -> {
              try {
                for (int change = 1; change <= 3; change++) {
                  SpillwayMetrics old = used.get(used.size() - 1);
                  Probe.await(
                      "load",
                      () -> {
                        addAgain(context.getLogger("ROOT"), name);
                        return old.getAccepted() > 1_000;
                      });
                  change(file, xml + "<!-- " + change + " -->", change);
                  Probe.await("changed", () -> !isOld(current(context, name), old));
                  used.add(current(context, name));
                }
              } finally {
                done.set(true);
              }
            });
    changing.start();
    Probe.inThreads(
        4,
        id -> {
          for (int i = 0; !done.get(); i++) {
            context.getLogger("test").info("#{}:{}.", id, i);
            LockSupport.parkNanos(10_000);
          }
        });
    context.stop();
    new SequenceCheck(directory.resolve(log)).assertInOrderWithoutFragments().assertNoDuplicates();
    assertThat(used).hasSize(4).allMatch(metrics -> metrics.getLost() == 0);
    assertThat(Probe.countLines(directory.resolve(log)))
        .isEqualTo(used.stream().mapToLong(SpillwayMetrics::getAccepted).sum());
  }

  private static SpillwayMetrics current(LoggerContext context, String name) {
    Appender<ILoggingEvent> appender = context.getLogger("ROOT").getAppender(name);
    boolean isThere = appender != null && appender.isStarted(); // or it is between two
    return isThere ? Probe.metrics(appender) : null;
  }

  /** Logback's list of appenders, when read while one is added, may go on without it. */
  private static void addAgain(Logger root, String name) {
    root.addAppender(root.getAppender(name));
  }

  private static boolean isOld(SpillwayMetrics now, SpillwayMetrics old) {
    return now == null || now == old;
  }

  /** At once: a scan between text and time would find two changes. */
  private static void change(Path file, String xml, int change) {
    try {
      Path next = Files.writeString(file.resolveSibling("next.xml"), xml);
      Files.setLastModifiedTime(next, FileTime.from(Instant.now().plusSeconds(5L * change)));
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
