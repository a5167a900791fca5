package io.spillway.internal.spill;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Remembers what it was told. */
final class Listened extends SpillListener {
  final AtomicLong lost = new AtomicLong();
  final AtomicLong lostLeftovers = new AtomicLong();
  final AtomicLong evicted = new AtomicLong();
  final List<String> losses = new CopyOnWriteArrayList<>();
  final List<String> failures = new CopyOnWriteArrayList<>();
  final List<String> recoveries = new CopyOnWriteArrayList<>();
  final List<String> warnings = new CopyOnWriteArrayList<>();

  @Override
  public void recordsLost(long events, Path segment, String why, boolean leftover) {
    losses.add(why);
    lost.addAndGet(events);
    lostLeftovers.addAndGet(leftover ? events : 0);
  }

  @Override
  public void evicted(long events, boolean leftover) {
    evicted.addAndGet(events);
  }

  @Override
  public void failed(String operation, Path path, IOException cause) {
    failures.add(operation);
  }

  @Override
  public void succeeded(String operation) {
    if (failures.contains(operation) && !recoveries.contains(operation)) {
      recoveries.add(operation);
    }
  }

  @Override
  public void warning(String topic, String message) {
    warnings.add(topic + ": " + message);
  }
}
