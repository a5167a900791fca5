package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads lines "stream:number" where some may come twice: first occurrences must be in order, what
 * is missing and what comes again is counted.
 */
public final class SequenceCheck {
  private final Map<String, BitSet> seen = new TreeMap<>();
  private final Map<String, Integer> highest = new HashMap<>();
  private long duplicates;
  private long longestStepBack;
  private long inversions;
  private long fragments;

  public SequenceCheck(List<String> lines) {
    lines.forEach(this::add);
  }

  private void add(String line) {
    if (!line.matches("[a-z]?[0-9]+:[0-9]+\\.?")) {
      fragments++;
      return;
    }
    int colon = line.indexOf(':');
    String stream = line.substring(0, colon);
    int number = Integer.parseInt(line.substring(colon + 1).replace(".", ""));
    BitSet numbers = seen.computeIfAbsent(stream, s -> new BitSet());
    int last = highest.getOrDefault(stream, -1);
    if (numbers.get(number)) {
      duplicates++;
      longestStepBack = Math.max(longestStepBack, (long) last - number + 1);
    } else if (number < last) {
      inversions++;
    }
    numbers.set(number);
    highest.merge(stream, number, Math::max);
  }

  /** Fails unless a stream's numbers are 0 to count - 1, in order. */
  public SequenceCheck assertComplete(String stream, int count) {
    BitSet numbers = of(stream);
    assertThat(numbers.nextClearBit(0)).as("first missing of stream " + stream).isEqualTo(count);
    assertThat(numbers.cardinality()).as("events of stream " + stream).isEqualTo(count);
    return this;
  }

  public SequenceCheck assertInOrderWithoutFragments() {
    assertThat(inversions).as("out of order").isZero();
    assertThat(fragments).as("torn or foreign lines").isZero();
    return this;
  }

  /** The numbers of a stream. */
  public BitSet of(String stream) {
    return seen.getOrDefault(stream, new BitSet());
  }

  public long duplicates() {
    return duplicates;
  }

  /** How far back the deepest repetition went. */
  public long longestStepBack() {
    return longestStepBack;
  }

  public long inversions() {
    return inversions;
  }

  /** Lines that are not of the form. */
  public long fragments() {
    return fragments;
  }
}
