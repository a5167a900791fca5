package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/**
 * Promise 9: a start is bounded in time and heap whatever the spill holds, and throws nothing. A
 * child leaves much in the spill, the next one starts over it in a small heap.
 */
class P09StartBoundedTest extends Promise {
  private static final int WIDTH = 1_000;
  private static final int EVENTS = // of 1 KB: 1 GB, or 64 MB
      FULL ? 1_000_000 : 64_000;
  private static final String SMALL_HEAP = FULL ? "-Xmx64m" : "-Xmx40m";
  private static final int RECORDS = 4 << 20; // what a start may read at most

  @Both
  void startsAtOnceInASmallHeapWhateverTheBacklog(Kind kind) {
    try (Fork leaving = Fork.start(Leaving.class, List.of(), kind, directory)) {
      leaving.awaitEnd(0);
      assertThat(leaving.number("left")).isEqualTo(EVENTS);
    }
    try (Fork starting = Fork.start(Starting.class, List.of(SMALL_HEAP), kind, directory)) {
      starting.awaitEnd(0);
      assertThat(starting.number("millis")).as("of the start").isLessThan(2_000);
      assertThat(starting.number("read")).as("bytes at the start").isLessThan(RECORDS);
      assertThat(starting.number("leftover")).isGreaterThanOrEqualTo((long) EVENTS * WIDTH);
      assertThat(starting.number("recovered")).isEqualTo(EVENTS);
      assertThat(starting.number("lost")).isZero();
    }
    assertThat(Probe.countLines(directory.resolve("app.log"))).isEqualTo(EVENTS);
  }

  /** Fills the spill over a sink that stands still, and stops. */
  public static final class Leaving {
    public static void main(String[] arguments) {
      Probe probe = new Probe(Kind.valueOf(arguments[0]), Path.of(arguments[1])).width(WIDTH);
      probe.settings.setMaxSpillSize("4 GB");
      probe.settings.setMaxFlushTime("100");
      probe.gate.shut();
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      for (int i = 0; i < EVENTS; i++) {
        while (metrics.getRingUsed() > metrics.getRingCapacity() * 7 / 8) {
          LockSupport.parkNanos(100_000);
        }
        probe.log("0", i, i + 1);
      }
      probe.stop();
      Probe.print("left", metrics.getAccepted() - metrics.getDelivered() - metrics.getLost());
      System.out.flush();
      Runtime.getRuntime().halt(0);
    }
  }

  /** Starts over that, and delivers it. */
  public static final class Starting {
    public static void main(String[] arguments) throws IOException {
      Kind kind = Kind.valueOf(arguments[0]);
      try (Probe warm = new Probe(kind, Path.of(arguments[1]).resolve("warm"))) {
        warm.start(); // loads classes
      }
      Probe probe = new Probe(kind, Path.of(arguments[1]));
      probe.gate.shut();
      long read = bytesRead();
      long began = System.nanoTime();
      probe.start();
      Probe.print("millis", (System.nanoTime() - began) / 1_000_000);
      Probe.print("read", bytesRead() - read);
      Probe.print("leftover", (long) probe.metrics().value("LeftoverBytes"));
      probe.gate.open();
      probe.awaitDelivered();
      Probe.print("recovered", (long) probe.metrics().value("Recovered"));
      Probe.print("lost", probe.metrics().getLost());
      probe.close();
    }

    /** By this process, from files and the page cache alike. */
    private static long bytesRead() throws IOException {
      String first = Files.readAllLines(Path.of("/proc/self/io")).get(0);
      return Long.parseLong(first.substring("rchar: ".length()));
    }
  }

  /** What is no segment, or looks like one, costs nobody a start or an event. */
  @Both
  void throwsNothingWhateverLiesInTheSpillDirectory(Kind kind) throws IOException {
    Path spill = Files.createDirectory(directory.resolve("spill"));
    Random random = new Random(9);
    String suffix = kind == Kind.WRAPPED ? "events" : "bytes";
    for (int i = 0; i < 20; i++) {
      byte[] noise = new byte[random.nextInt(100_000)];
      random.nextBytes(noise);
      Files.write(spill.resolve("1a2b3c-" + i + "." + suffix), noise);
    }
    Files.createFile(spill.resolve("0-0." + suffix));
    Files.createDirectory(spill.resolve("1a2b3c-99." + suffix));
    Files.createSymbolicLink(spill.resolve("1a2b3c-98." + suffix), Path.of("/dev/zero"));
    Files.writeString(spill.resolve("lock"), "somebody was here");
    try (RandomAccessFile sparse =
        new RandomAccessFile(spill.resolve("1a2b3c-97." + suffix).toFile(), "rw")) {
      sparse.setLength(1L << 40);
    }
    long began = System.nanoTime();
    try (Probe probe = new Probe(kind, directory).start()) {
      assertThat((System.nanoTime() - began) / 1_000_000).as("millis").isLessThan(5_000);
      probe.log("0", 0, 1_000);
      probe.awaitDelivered();
      assertThat(probe.lines()).hasSize(1_000);
      assertThat(probe.metrics().getLost()).as("of this run").isZero();
    }
  }
}
