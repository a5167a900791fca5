package io.spillway.stress.watch;

import java.util.Arrays;
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
  private final Map<String, Integer> holders = new HashMap<>();
  private long waits;
  private long totalNanos;
  private long maxNanos;
  private long[] nanosBySecond = new long[0];
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
    nanosBySecond = spread(nanosBySecond, start - beginNanos, end - start);
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
    long[] seconds = Arrays.copyOf(nanosBySecond, nanosBySecond.length);
    for (Sampled.Stretch stretch : sampled.stretches()) {
      seconds = spread(seconds, stretch.fromNanos() - beginNanos, stretch.nanos());
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
        Arrays.stream(seconds).mapToObj(nanos -> nanos / NANOS).toList());
  }

  private static <N extends Comparable<N>> String most(Map<String, N> counts) {
    return counts.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  /** Shares one wait among the seconds it touches. */
  private static long[] spread(long[] seconds, long from, long nanos) {
    long[] shared = seconds;
    long at = from;
    long rest = nanos;
    while (rest > 0) {
      int second = Math.toIntExact(at / SECOND);
      long here = Math.min(rest, (second + 1L) * SECOND - at);
      if (second >= shared.length) {
        shared = Arrays.copyOf(shared, second + 1);
      }
      shared[second] += here;
      at += here;
      rest -= here;
    }
    return shared;
  }

  /** What dumps add to a group. */
  record Sampled(long nanos, long longestNanos, List<Stretch> stretches) {

    static final Sampled NONE = new Sampled(0, 0, List.of());

    /** An unbroken row of dumps that show one thread at one place. */
    record Stretch(long fromNanos, long nanos) {}
  }
}
