package io.spillway.stress.watch;

import io.spillway.stress.record.SecondSums;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All waits at one place: those the flight recorder told of, and what dumps add to them. */
final class Group {

  private static final long SECOND = 1_000_000_000L;
  private static final double NANOS = 1e9;
  private static final int STACK_FRAMES = 30;

  private final long beginNanos;
  private final Map<String, Long> nanosByCall = new HashMap<>();
  private final Map<String, Located> exampleByCall = new HashMap<>();
  private final Set<Long> threads = new HashSet<>();
  private final Concurrency concurrency = new Concurrency();
  private final SecondSums bySecond = new SecondSums();
  private final Map<String, Integer> holders = new HashMap<>();
  private long waits;
  private long totalNanos;
  private long maxNanos;
  private int threadsNow;
  private int mostInDump;

  Group(long beginNanos) {
    this.beginNanos = beginNanos;
  }

  /** A wait that has ended. */
  void waited(long thread, Located where, long start, long end) {
    threads.add(thread);
    called(where, end - start);
    concurrency.add(start, end);
    waits++;
    totalNanos += end - start;
    maxNanos = Math.max(maxNanos, end - start);
    bySecond.add(start - beginNanos, end - start);
  }

  /** A new dump begins. */
  void clearNow() {
    threadsNow = 0;
  }

  /** A dump shows a thread here. */
  void seen(long thread, Located where, String holder) {
    threads.add(thread);
    called(where, SECOND);
    threadsNow++;
    mostInDump = Math.max(mostInDump, threadsNow);
    if (holder != null) {
      holders.merge(holder, 1, Integer::sum);
    }
  }

  /** A dump stands for about a second. */
  private void called(Located where, long nanos) {
    nanosByCall.merge(where.place().call(), nanos, Long::sum);
    exampleByCall.putIfAbsent(where.place().call(), where);
  }

  /** The figures, with the waits that only dumps have shown. */
  WatchFigures.Group figures(Sampled sampled) {
    Located example = exampleByCall.get(most(nanosByCall));
    SecondSums seconds = new SecondSums(bySecond);
    for (Sampled.Stretch stretch : sampled.stretches()) {
      seconds.add(stretch.fromNanos() - beginNanos, stretch.nanos());
    }
    return new WatchFigures.Group(
        example.place().reason().name(),
        example.place().frame(),
        example.place().call(),
        threads.size(),
        Math.max(concurrency.most(), mostInDump),
        threadsNow,
        waits,
        (totalNanos + sampled.nanos()) / NANOS,
        sampled.nanos() / NANOS,
        Math.max(maxNanos, sampled.longestNanos()) / NANOS,
        most(holders),
        example.stack().stream().limit(STACK_FRAMES).map(Frame::toString).toList(),
        seconds.seconds());
  }

  private static <N extends Comparable<N>> String most(Map<String, N> counts) {
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  /** What dumps add to a group. */
  record Sampled(long nanos, long longestNanos, List<Stretch> stretches) {

    static final Sampled NONE = new Sampled(0, 0, List.of());

    /** An unbroken row of dumps that show one thread at one place. */
    record Stretch(long fromNanos, long nanos) {}
  }
}
