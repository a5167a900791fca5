package io.spillway.survival;

import ch.qos.logback.core.status.Status;
import io.spillway.internal.disk.Owners;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Shortage;
import io.spillway.testkit.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Memory is short while an appender starts that earlier runs have left events for. It starts, or
 * says that it does not, and is as if it had not tried. Then all of them come, before new ones.
 */
final class ShortStart {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  /** So long a start tries to give back what it has taken: ten seconds of the fast clock. */
  private static final long GIVES_UP_NANOS = TimeUnit.SECONDS.toNanos(10) / Shortage.SPEED;

  private static final int NEW = 50;

  /** Where the leftovers of a scenario are; made once. */
  private static final Map<ShortageChild.Scenario, Path> LEFT =
      new EnumMap<>(ShortageChild.Scenario.class);

  private final ShortageChild.Case of;
  private final Path directory;
  private final List<String> takenBefore = taken(); // by cases that have not given it back
  private volatile Throwable thrown;
  private volatile long startNanos;

  ShortStart(ShortageChild.Case of, Path directory) {
    this.of = of;
    this.directory = directory;
  }

  void run() throws IOException, InterruptedException {
    Path left = LEFT.get(of.scenario);
    if (left == null) {
      left = Files.createTempDirectory(directory.toAbsolutePath().getParent(), "left");
      leave(left);
      LEFT.put(of.scenario, left);
    }
    if (Files.exists(directory)) {
      ShortageChild.Case.delete(directory);
    }
    copy(left.resolve("copy"), directory);
    int old = 2 * of.scenario.events;
    try (Subject subject = of.scenario.subject(directory)) {
      of.begin();
      start(subject);
      if (thrown != null || !subject.appender().isStarted()) {
        Shortage.end();
        if (hasGivenUp()) {
          return;
        }
        checkRefused(subject);
        subject.start();
      } else {
        subject.logger.addAppender(subject.appender());
        of.onThread(subject, old, old + NEW);
        Shortage.end();
      }
      of.onThread(subject, old + NEW, old + 2 * NEW);
      check(subject, old);
    }
    of.checkNothingLeft(directory);
    of.wrongIf(!isFree(), "not given back: " + takenSince());
  }

  /** Two runs with a sink that takes nothing, or little: several segments, and a cursor in one. */
  private void leave(Path in) throws IOException {
    List<Subject> stuck = new ArrayList<>();
    for (int run = 0; run < 2; run++) {
      Subject subject = of.scenario.subject(in);
      stuck.add(subject);
      subject.settings().setMaxFlushTime("100 milliseconds");
      subject.gate.shut();
      subject.start();
      if (run == 1) {
        subject.gate.letThrough(of.scenario.kind == Subject.Kind.WRAPPED ? 100 : 1);
      }
      for (int i = run * of.scenario.events; i < (run + 1) * of.scenario.events; i++) {
        of.scenario.log(subject, i);
      }
      await(subject.gate::isHolding, "the sink is stuck");
      subject.appender().stop();
      of.wrongIf(subject.metrics().getLost() > 0, "lost before");
    }
    copy(in, in.resolveSibling(in.getFileName() + ".copy"));
    stuck.forEach(Subject::close); // not before: a sink that is let go writes what it has
    ShortageChild.Case.delete(in);
    Files.createDirectories(in);
    Files.move(in.resolveSibling(in.getFileName() + ".copy"), in.resolve("copy"));
    Files.delete(in.resolve("copy/spill/owner")); // of another directory
    try (Stream<Path> files = Files.list(in.resolve("copy/spill"))) {
      long segments = files.filter(file -> file.toString().endsWith(".seg")).count();
      int lines = Files.readAllLines(in.resolve("copy/app.log")).size();
      System.out.println("left " + of.scenario + " " + segments + " segments, " + lines + " lines");
      of.wrongIf(segments < 2 || lines == 0 || lines > 1_000, segments + " segments, " + lines);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each).toString()));
      }
    }
  }

  private void start(Subject subject) throws InterruptedException {
    Thread thread =
        new Thread(
            () -> {
              long begun = System.nanoTime();
              try {
                subject.appender().start();
              } catch (Throwable t) {
                thrown = t;
              }
              startNanos = System.nanoTime() - begun;
            },
            "app-start");
    thread.setDaemon(true);
    thread.start();
    thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
    of.wrongIf(thread.isAlive(), "start() does not return: " + List.of(thread.getStackTrace()));
  }

  private void checkRefused(Subject subject) {
    boolean said =
        subject.context().getStatusManager().getCopyOfStatusList().stream()
            .anyMatch(status -> status.getLevel() == Status.ERROR);
    of.wrongIf(thrown == null && !said, "not started, without a word");
    of.wrongIf(thrown != null && !(thrown instanceof OutOfMemoryError), "threw " + thrown);
    of.wrongIf(subject.appender().isStarted(), "started, and threw " + thrown);
    of.wrongIf(!isFree(), "not given back by a start that failed: " + takenSince());
  }

  /** Memory was short for longer than a start can wait: what it has taken stays so. */
  private boolean hasGivenUp() {
    boolean given = startNanos >= GIVES_UP_NANOS && !isFree();
    if (given) {
      System.out.println("given up " + of.scenario + " " + takenSince());
    }
    return given;
  }

  private boolean isFree() {
    return await(
        () -> {
          if (of.isBehindAnOpen()) {
            System.gc(); // nobody else can give back what was opened and not stored yet
          }
          return takenSince().isEmpty();
        },
        null);
  }

  private List<String> takenSince() {
    List<String> taken = taken();
    taken.removeAll(takenBefore);
    return taken;
  }

  private static List<String> taken() {
    List<String> taken = new ArrayList<>();
    Owners.all(Owners.Owned.class).forEach(owned -> taken.add(owned.toString()));
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("spillway-d")
          || thread.getName().endsWith("-sync")
          || thread.getName().startsWith("spillway-stop")) {
        taken.add(thread.getName());
      }
    }
    try (Stream<Path> open = Files.list(OPEN_FILES)) {
      for (Path each : open.toList()) {
        try {
          String file = Files.readSymbolicLink(each).toString();
          if (file.contains("/spill/")) {
            taken.add(file);
          }
        } catch (IOException closed) {
          Thread.onSpinWait();
        }
      }
    } catch (IOException e) {
      taken.add(e.toString());
    }
    return taken;
  }

  private boolean await(BooleanSupplier condition, String what) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        of.wrongIf(what != null, "not in time: " + what);
        return false;
      }
      LockSupport.parkNanos(500_000);
    }
    return true;
  }

  private void check(Subject subject, int old) {
    SpillwayMetrics metrics = subject.metrics();
    await(() -> subject.isDelivered(java.time.Duration.ZERO), "delivered");
    Numbers found = Numbers.of(subject.lines());
    of.wrongIf(found.twice() > 0, found.twice() + " twice");
    of.wrongIf(found.disorder() > 0, found.disorder() + " out of order");
    BitSet missing = new BitSet();
    missing.set(0, old);
    missing.andNot(found.seen());
    long failed = metrics.lossOf(LossCause.SINK_FAILED); // those that the nested appender was at
    of.wrongIf(
        missing.cardinality() > failed,
        missing.cardinality() + " leftovers missing from " + missing.nextSetBit(0));
    of.wrongIf(metrics.lossOf(LossCause.SPILL_DAMAGED) > 0, "damaged");
    long unlogged = 0;
    for (int i = old; i < old + 2 * NEW; i++) {
      unlogged += of.hasReturned(i) && !found.seen().get(i) ? 1 : 0;
    }
    of.wrongIf(
        unlogged > metrics.getLost() + metrics.getDropped(), unlogged + " new ones are missing");
    of.wrongIf(failed > of.most(), "sink failed " + metrics.getLossByCause());
    long rest = metrics.getAccepted() - metrics.getDelivered(); // of the lost, some were left
    of.wrongIf(
        rest < 0 || rest > metrics.getLost(),
        metrics.getAccepted() + " accepted, delivered " + metrics.getDelivered());
  }
}
