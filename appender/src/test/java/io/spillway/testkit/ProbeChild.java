package io.spillway.testkit;

import io.spillway.SpillwaySettings;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Probe.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that logs one stream until a file {@code end} is there, and prints its figures all the
 * time. Then it delivers everything and stops.
 */
public final class ProbeChild {
  private ProbeChild() {}

  /** What the sink does. */
  public enum Sink {
    OPEN,
    STALLING,
    SHUT
  }

  public static Fork fork(Kind kind, Path directory, Sink sink, int stream, String... settings) {
    String all = String.join(" ", settings);
    return Fork.start(ProbeChild.class, List.of(), kind, directory, sink, stream, all);
  }

  /** Lets it end. */
  public static void end(Fork child, Path directory) {
    Shell.run("touch", directory.resolve("end"));
    child.awaitEnd(0);
  }

  public static void main(String[] arguments) throws ReflectiveOperationException {
    Kind kind = Kind.valueOf(arguments[0]);
    Path directory = Path.of(arguments[1]);
    Sink sink = Sink.valueOf(arguments[2]);
    Probe probe = new Probe(kind, directory).width(200);
    for (String setting : arguments[4].isEmpty() ? new String[0] : arguments[4].split(" ")) {
      SpillwaySettings.class
          .getMethod("set" + setting.split("=")[0], String.class)
          .invoke(probe.settings, setting.split("=")[1]);
    }
    Random random = new Random(Long.parseLong(arguments[3]));
    AtomicBoolean ending = new AtomicBoolean();
    if (sink == Sink.STALLING) {
      int passes = kind == Kind.WRAPPED ? 2_000 : 20; // events, or batches
      probe.gate.onPass(
          () -> {
            boolean stalls = !ending.get() && random.nextInt(passes) == 0;
            LockSupport.parkNanos(stalls ? random.nextInt(200_000_000) : 0);
          });
    } else if (sink == Sink.SHUT) {
      probe.gate.shut();
    }
    probe.start();
    SpillwayMetrics metrics = probe.metrics();
    int logged = 0;
    while (!Files.exists(directory.resolve("end"))) {
      if (metrics.getPending() < 50_000) {
        probe.log(arguments[3], logged, logged += 100);
      }
      print(metrics);
      LockSupport.parkNanos(1_000_000);
    }
    ending.set(true);
    probe.gate.open();
    probe.awaitDelivered();
    print(metrics);
    probe.close();
  }

  private static void print(SpillwayMetrics metrics) {
    long accepted = metrics.getAccepted(); // before what is in the ring: a lower bound
    Probe.print("accepted", accepted);
    Probe.print("drained", accepted - metrics.getRingUsed());
    Probe.print("spilled", metrics.getSpilled());
    Probe.print("delivered", metrics.getDelivered());
    Probe.print("sinkfailures", (long) metrics.value("SinkFailures"));
    Probe.print("spillfailures", (long) metrics.value("SpillFailures"));
    Probe.print("missing", metrics.getDropped() + metrics.getLost());
  }
}
