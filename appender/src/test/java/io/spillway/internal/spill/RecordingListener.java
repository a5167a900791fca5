package io.spillway.internal.spill;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** Remembers what it was told. */
final class RecordingListener extends SpillListener {

  final AtomicLong lost = new AtomicLong();
  final AtomicLong lostLeftovers = new AtomicLong();
  final AtomicLong leftoverBytes = new AtomicLong();
  final List<String> losses = new CopyOnWriteArrayList<>();
  final List<String> failures = new CopyOnWriteArrayList<>();
  final List<String> recoveries = new CopyOnWriteArrayList<>();
  final List<String> recreations = new CopyOnWriteArrayList<>();
  final List<String> warnings = new CopyOnWriteArrayList<>();
  final List<String> notices = new CopyOnWriteArrayList<>();
  final List<String> told = new CopyOnWriteArrayList<>(); // recoveries and warnings, in order

  @Override
  public void leftoversFound(int segments, long bytes) {
    leftoverBytes.addAndGet(bytes);
  }

  @Override
  public void recordsLost(long events, Path segment, String why, boolean leftover) {
    losses.add(segment.getFileName() + " " + why);
    lost.addAndGet(events);
    lostLeftovers.addAndGet(leftover ? events : 0);
    if (outOfMemoryAtLosses > 0) {
      outOfMemoryAtLosses--;
      throw new OutOfMemoryError("injected behind a loss that is counted");
    }
  }

  @Override
  public void onFailure(String operation, Path path, IOException cause) {
    failures.add(operation);
  }

  @Override
  public void onRecovery(String operation) {
    recoveries.add(operation);
    told.add("recovered: " + operation);
  }

  @Override
  public void onRecreation(String topic, String message) {
    recreations.add(message);
  }

  volatile boolean outOfMemory; // at the next warning
  int outOfMemoryAtLosses; // how many of the next ones

  @Override
  public void warning(String topic, String message) {
    if (outOfMemory) {
      outOfMemory = false;
      throw new OutOfMemoryError("injected into a warning");
    }
    warnings.add(message);
    told.add("warning: " + message);
  }

  @Override
  public void notice(String topic, String message) {
    notices.add(message);
  }
}
