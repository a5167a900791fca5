package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.Acknowledgement;
import io.spillway.testkit.Probe.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A process that logs from several threads over a sink that stalls at times, and tells of each log
 * call that has returned whether it was acknowledged.
 */
public final class AcknowledgedChild {
  private static final int THREADS = 8;

  private AcknowledgedChild() {}

  /** An event of which the process has told. */
  public record Told(String stream, int number) {}

  public static Fork fork(Kind kind, Path directory, String acknowledge, String timeout, int run) {
    return Fork.start(
        AcknowledgedChild.class, List.of(), kind, directory, acknowledge, timeout, run);
  }

  /** What it has told so far with this word; the end of a line shows that the line is whole. */
  public static List<Told> told(Fork child, String word) {
    return Stream.of(child.output().toArray(String[]::new))
        .filter(line -> line.startsWith(word) && line.endsWith(" ."))
        .map(line -> line.split(" "))
        .map(words -> new Told(words[1], Integer.parseInt(words[2])))
        .toList();
  }

  /** Fails unless the next start has all of these events in the log, and in order. */
  public static void assertNoneMissing(List<Told> told, Kind kind, Path directory) {
    try (Probe next = new Probe(kind, directory).start()) {
      next.awaitDelivered();
      SequenceCheck check = new SequenceCheck(next.logFile());
      assertThat(told.stream().filter(event -> !check.of(event.stream).get(event.number)))
          .as("acknowledged and lost, of " + told.size())
          .isEmpty();
      assertThat(check.inversions()).as("out of order").isZero();
    }
  }

  public static void main(String[] arguments) {
    Probe probe = new Probe(Kind.valueOf(arguments[0]), Path.of(arguments[1]));
    probe.settings.setAcknowledge(arguments[2]);
    probe.settings.setAcknowledgeTimeout(arguments[3]);
    Random random = new Random(7);
    probe.gate.onPass(
        () -> LockSupport.parkNanos(random.nextInt(200) == 0 ? random.nextInt(50_000_000) : 0));
    probe.start();
    for (int thread = 0; thread < THREADS; thread++) {
      String stream = String.valueOf(Integer.parseInt(arguments[4]) * THREADS + thread);
      new Thread(() -> log(probe, stream)).start();
    }
  }

  private static void log(Probe probe, String stream) {
    for (int number = 0; ; number++) {
      long received = Acknowledgement.received();
      probe.log(stream, number, number + 1);
      boolean acknowledged = Acknowledgement.received() > received;
      System.out.println(
          (acknowledged ? "acknowledged " : "missed ") + stream + " " + number + " .");
    }
  }
}
