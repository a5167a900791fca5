package io.spillway.stress.calibrate;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/** The amounts by which the calibration appender has misbehaved, counted as it does so. */
final class Injected {

  private final AtomicLongArray counts = new AtomicLongArray(Fault.values().length);
  private final AtomicLong parkedNanos = new AtomicLong();

  void count(Fault fault) {
    counts.incrementAndGet(fault.ordinal());
  }

  void parked(long nanos) {
    parkedNanos.addAndGet(nanos);
  }

  String toJson() {
    StringBuilder json = new StringBuilder("{");
    for (Fault fault : Fault.values()) {
      String key = fault.name().toLowerCase(Locale.ROOT);
      json.append('"').append(key).append("\": ").append(counts.get(fault.ordinal())).append(", ");
    }
    return json.append("\"parkedNanos\": ").append(parkedNanos.get()).append("}\n").toString();
  }
}
