package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks messages "thread:number": all there, once, in order for each thread. */
public final class Ledger {
  private Ledger() {}

  /** Fails unless each thread's messages are 0, 1, ... in order, {@code perThread} of them. */
  public static void assertComplete(List<String> messages, int threads, int perThread) {
    Map<String, Integer> next = new HashMap<>();
    long inversions = 0;
    long gaps = 0;
    for (String message : messages) {
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
    }
    assertThat(messages).as("events delivered").hasSize(threads * perThread);
    assertThat(inversions).as("duplicated or out of order").isZero();
    assertThat(gaps).as("lost or out of order").isZero();
    assertThat(next).as("threads").hasSize(threads);
  }
}
