package io.spillway.stress.calibrate;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLongArray;

/** Records what the calibration appender does on purpose; lock-free, for any thread. */
final class Injected {

  private final AtomicLongArray counts = new AtomicLongArray(Fault.values().length);
  private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();

  /**
   * One wait of a calling thread.
   *
   * @param kind the way of waiting
   * @param startEpochNanos its start, in nanoseconds since 1970
   * @param nanos its length
   */
  record Wait(Fault kind, long startEpochNanos, long nanos) {}

  /** The report that is written at the end. */
  record Report(Map<Fault, Long> counts, List<Wait> waits) {}

  void count(Fault fault) {
    counts.incrementAndGet(fault.ordinal());
  }

  /** Records a wait of the calling thread that ends now. */
  void waited(Fault kind, long nanos) {
    Instant end = Instant.now();
    long endEpochNanos = end.getEpochSecond() * 1_000_000_000 + end.getNano();
    count(kind);
    waits.add(new Wait(kind, endEpochNanos - nanos, nanos));
  }

  void write(Path file) throws IOException {
    Map<Fault, Long> byFault = new EnumMap<>(Fault.class);
    for (Fault fault : Fault.values()) {
      byFault.put(fault, counts.get(fault.ordinal()));
    }
    new ObjectMapper().writeValue(file.toFile(), new Report(byFault, List.copyOf(waits)));
  }

  /** The faults, each with its slot in every round of 100 events. */
  enum Fault {
    /** The calling thread parks. */
    PARK(10),
    /** The calling thread sleeps. */
    SLEEP(20),
    /** The event is discarded. */
    DROP(30),
    /** The calling thread waits on a monitor that no thread notifies, until its timeout. */
    MONITOR_WAIT(40),
    /** The event is passed on twice. */
    DUPLICATE(50),
    /** The calling thread enters a monitor that another thread holds. */
    MONITOR_ENTER(60),
    /** The event is passed on after the next one of its thread. */
    SWAP(70),
    /** The event is passed on with the second half of its message missing. */
    TEAR(90);

    private final int slot;

    Fault(int slot) {
      this.slot = slot;
    }

    /** Returns the slot of this fault in each round, 0 to 99. */
    int slot() {
      return slot;
    }
  }
}
