package io.spillway.survival;

import ch.qos.logback.core.status.Status;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Shortage;
import io.spillway.testkit.Subject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Memory is short while the JVM exits and nobody has stopped the appender: its exit hook runs, and
 * others log meanwhile and afterwards. What the sink has not got comes with the next start.
 */
final class ShortExit {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long TELLING_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int FIRST = 20;
  private static final int MORE = 50;

  private final ShortageChild.Case of;
  private final Path directory;

  ShortExit(ShortageChild.Case of, Path directory) {
    this.of = of;
    this.directory = directory;
  }

  void run() throws Exception {
    Files.createDirectories(directory);
    int before = of.scenario.events;
    try (Subject subject = of.scenario.subject(directory)) {
      boolean stuck = of.scenario.name().contains("STUCK");
      subject.settings().setMaxFlushTime(stuck ? "100 milliseconds" : "10 minutes");
      subject.start();
      of.log(subject, 0, FIRST);
      subject.awaitDelivered();
      if (stuck) {
        subject.gate.shut();
      }
      of.log(subject, FIRST, before);
      while (stuck
          && !subject.gate.isHolding()) { // else what is logged last may be the first there
        LockSupport.parkNanos(100_000);
      }
      of.begin();
      Thread exit = ExitHooks.of(subject.appender());
      Thread hook = new Thread(exit, "spillway-exit-hook");
      Thread other = new Thread(() -> of.log(subject, before, before + MORE), "app-1");
      for (Thread each : List.of(hook, other)) {
        each.setDaemon(true);
        each.start();
      }
      for (Thread each : List.of(hook, other)) {
        each.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
        of.wrongIf(each.isAlive(), each + " does not return: " + List.of(each.getStackTrace()));
      }
      Shortage.end();
      of.onThread(subject, before + MORE, before + 2 * MORE);
      of.awaitEndings();
      subject.appender().stop();
      check(subject, before + 2 * MORE);
    }
    of.checkNothingLeft(directory);
  }

  private static boolean isAllThere(SpillwayMetrics metrics, Subject next) {
    long lost = metrics.getLost() + next.metrics().getLost();
    return next.lines().size() + lost >= metrics.getAccepted();
  }

  private static boolean hasGivenUp(Subject subject) {
    return told(subject).stream()
        .anyMatch(status -> status.getMessage().contains("too little memory"));
  }

  private static List<Status> told(Subject by) {
    return by.context().getStatusManager().getCopyOfStatusList();
  }

  private static String number(String line) {
    return line.substring(1, line.indexOf(':'));
  }

  private void check(Subject subject, int logged) {
    SpillwayMetrics metrics = subject.metrics();
    try (Subject next = of.scenario.subject(directory)) {
      next.start();
      long start = System.nanoTime();
      while (!(next.isDelivered(Duration.ZERO) && isAllThere(metrics, next)) // what was set aside
          && System.nanoTime() - start < PATIENCE_NANOS) {
        LockSupport.parkNanos(500_000);
      }
      long lost = metrics.getLost() + next.metrics().getLost();
      Numbers found = Numbers.of(next.lines());
      boolean closed = metrics.lossOf(LossCause.STOPPED) > 0;
      long telling = System.nanoTime();
      while (closed && !hasGivenUp(subject) && System.nanoTime() - telling < TELLING_NANOS) {
        LockSupport.parkNanos(500_000); // another thread tells it
      }
      of.wrongIf(
          closed && !hasGivenUp(subject) && !of.hasBeenShortIn("reportShortage"),
          "the gate is closed, " + told(subject));
      of.wrongIf(
          found.twice() > 0,
          found.twice()
              + " twice, "
              + told(subject)
              + told(next)
              + next.lines().stream().map(ShortExit::number).toList());
      of.wrongIf(found.disorder() > of.most(), found.disorder() + " out of order");
      of.wrongIf(
          metrics.getAccepted() != found.seen().cardinality() + lost,
          metrics.getAccepted()
              + " accepted, "
              + found.seen().cardinality()
              + " in the file, lost "
              + metrics.getLossByCause()
              + next.metrics().getLossByCause());
      long missing = 0;
      for (int i = 0; i < logged; i++) {
        missing += of.hasReturned(i) && !found.seen().get(i) ? 1 : 0;
      }
      of.wrongIf(missing > lost + metrics.getDropped(), missing + " missing");
      of.wrongIf(lost > of.most(), "lost " + metrics.getLossByCause());
      of.wrongIf(metrics.lossOf(LossCause.SPILL_DAMAGED) > 0, "damaged");
    }
  }
}
