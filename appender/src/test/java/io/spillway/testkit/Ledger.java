package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks messages "thread:number" as they come: all there, once, in order for each thread. */
public final class Ledger {
  private final Map<String, Integer> next = new HashMap<>();
  private long count;
  private long inversions;
  private long gaps;

  /** Takes the next one. */
  public synchronized void add(String message) {
    int colon = message.indexOf(':');
    String thread = message.substring(0, colon);
    int number = Integer.parseInt(message.substring(colon + 1).trim());
    int expected = next.getOrDefault(thread, 0);
    if (number < expected) {
      inversions++;
    } else if (number > expected) {
      gaps++;
    }
    next.put(thread, number + 1);
    count++;
  }

  /** Fails unless each thread's messages were 0, 1, ... in order, {@code perThread} of them. */
  public synchronized void assertComplete(int threads, int perThread) {
    assertThat(count).as("events delivered").isEqualTo((long) threads * perThread);
    assertThat(inversions).as("duplicated or out of order").isZero();
    assertThat(gaps).as("lost or out of order").isZero();
    assertThat(next).as("threads").hasSize(threads);
  }

  /** The same of messages that were kept. */
  public static void assertComplete(List<String> messages, int threads, int perThread) {
    Ledger ledger = new Ledger();
    messages.forEach(ledger::add);
    ledger.assertComplete(threads, perThread);
  }
}
