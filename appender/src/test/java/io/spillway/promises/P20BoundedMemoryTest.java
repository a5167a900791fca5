package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Promise 20: the spill is bounded in bytes, the heap by slots and by the weight of heavy events.
 * The JVM of a child ends with an OutOfMemoryError.
 */
class P20BoundedMemoryTest extends Promise {
  private static final int MESSAGES = FULL ? 20_000 : 1_000;
  private static final int HEAVY = 100_000; // characters of a message
  private static final long CAP = 16 << 20;

  @ParameterizedTest
  @CsvSource({"WRAPPED, DROP", "FILE, DROP", "FILE, BLOCK"})
  void heavyEventsFitIntoASmallHeapWhileTheSinkIsStuck(Kind kind, String whenFull) {
    try (Fork child = Fork.start(Child.class, List.of("-Xmx64m"), kind, directory, whenFull)) {
      child.awaitEnd(0); // the exit code of an OutOfMemoryError is another one
      assertThat(child.number("attempted")).isEqualTo(MESSAGES);
      assertThat(child.number("accepted") + child.number("full")).isEqualTo(MESSAGES);
      assertThat(child.number("delivered")).isEqualTo(child.number("accepted"));
      if (whenFull.equals("DROP")) {
        assertThat(child.number("full")).as("more than there is room for").isPositive();
        assertThat(child.number("accepted") * HEAVY)
            .as("what the spill takes is accepted")
            .isGreaterThan(CAP / 2);
      } else {
        assertThat(child.number("blocked")).isPositive();
      }
    }
    assertThat(Probe.countLines(directory.resolve("app.log"))).isBetween(1L, (long) MESSAGES);
  }

  /** Logs heavy messages over a sink that is stuck until all room is used. */
  public static final class Child {
    public static void main(String[] arguments) throws InterruptedException {
      Probe probe = new Probe(Kind.valueOf(arguments[0]), Path.of(arguments[1]));
      boolean blocks = arguments[2].equals("BLOCK");
      probe.settings.setWhenFull(arguments[2]);
      probe.settings.setMaxSpillSize(String.valueOf(CAP));
      probe.gate.shut();
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      String tail = "x".repeat(HEAVY);
      Thread logging =
          new Thread(
              () -> {
                for (int i = 0; i < MESSAGES; i++) {
                  probe.logger.info(i + tail); // a String of its own each
                  if (!blocks) {
                    LockSupport.parkNanos(200_000);
                  }
                }
              });
      logging.start();
      if (blocks) {
        Probe.await("a waiting call", () -> metrics.getBlockedCalls() > 0);
        probe.gate.open();
      }
      logging.join();
      probe.gate.open();
      probe.awaitDelivered();
      Probe.print("attempted", MESSAGES);
      Probe.print("accepted", metrics.getAccepted());
      Probe.print("full", metrics.lossOf(LossCause.QUEUE_FULL));
      Probe.print("delivered", metrics.getDelivered());
      Probe.print("blocked", metrics.getBlockedCalls());
      probe.close();
    }
  }

  /** Bytes of the files, and the figure that tells of them. */
  @Both
  void theSpillStaysBelowItsLimit(Kind kind) {
    try (Probe probe = new Probe(kind, directory).width(1_000)) {
      probe.settings.setMaxSpillSize("4 MB");
      probe.settings.setWhenFull("DROP");
      probe.gate.shut();
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      long batch = 256 << 10; // a record more
      int logged = 0;
      long most = 0;
      while (metrics.getDropped() == 0 || most < 3 << 20) { // a full ring drops as well
        probe.log("0", logged, logged += 100);
        LockSupport.parkNanos(1_000_000); // the spiller encodes about as fast as one thread logs
        most = Math.max(most, (long) metrics.value("SpillBytes"));
      }
      assertThat(most).isBetween(1L, (4L << 20) + batch);
      assertThat(metrics.getSpillCapacityBytes()).isEqualTo(4 << 20);
      long onDisk =
          Probe.filesBelow(probe.spill()).stream().mapToLong(file -> file.toFile().length()).sum();
      assertThat(onDisk).isBetween(3L << 20, (4L << 20) + batch);
      assertThat(metrics.getRingUsed()).isLessThanOrEqualTo(metrics.getRingCapacity());
      probe.gate.open();
      probe.awaitDelivered();
    }
  }
}
