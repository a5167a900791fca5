package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads lines "#stream:number." where some may come twice: first occurrences must be in order, what
 * is missing and what comes again is counted. Both ends of a line are marked, so that a beginning
 * of a line on its own (a fragment) and one with another line glued to it can be told apart.
 */
public final class SequenceCheck {
  private static final Pattern WHOLE = Pattern.compile("#[0-9]+:[0-9]+\\.");
  private static final Pattern FRAGMENT = Pattern.compile("(#([0-9]+(:[0-9]*)?)?)?");

  private final Map<String, BitSet> seen = new TreeMap<>();
  private final Map<String, Integer> highest = new HashMap<>();
  private long duplicates;
  private long longestStepBack;
  private long inversions;
  private long fragments;
  private long glued;
  private long interleaved;
  private String newestStream = "";

  public SequenceCheck(List<String> lines) {
    lines.forEach(this::add);
  }

  /** Reads a file, however large. */
  public SequenceCheck(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      lines.forEach(this::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void add(String line) {
    if (!WHOLE.matcher(line).matches()) {
      if (FRAGMENT.matcher(line).matches()) {
        fragments++;
      } else {
        glued++;
      }
      return;
    }
    int colon = line.indexOf(':');
    String stream = line.substring(1, colon);
    int number = Integer.parseInt(line.substring(colon + 1, line.length() - 1));
    if (!seen.containsKey(stream)) {
      newestStream = stream;
    }
    BitSet numbers = seen.computeIfAbsent(stream, s -> new BitSet());
    if (!stream.equals(newestStream) && !numbers.get(number)) {
      interleaved++;
    }
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
    assertThat(fragments + glued).as("torn or foreign lines").isZero();
    return this;
  }

  public SequenceCheck assertNoDuplicates() {
    assertThat(duplicates).as("duplicates").isZero();
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

  /** Lines that hold more than one, or anything else. */
  public long glued() {
    return glued;
  }

  /** New events of a stream after the first of a later stream. */
  public long interleaved() {
    return interleaved;
  }

  /** Beginnings of a line on their own. */
  public long fragments() {
    return fragments;
  }
}
