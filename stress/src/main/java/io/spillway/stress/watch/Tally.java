package io.spillway.stress.watch;

import io.spillway.stress.record.Overlaps;
import io.spillway.stress.record.SecondSums;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Adds up waits by place. The thread that reads events and the thread that takes dumps write to it,
 * under one lock, as each of them comes once a second with a batch.
 */
final class Tally {

  /** Places where threads sleep come last, as nothing holds those threads up. */
  private static final Comparator<WatchFigures.Group> COSTLIEST =
      Comparator.comparing(WatchFigures.Group::sleeps)
          .thenComparing(WatchFigures.Group::threadSeconds, Comparator.reverseOrder());

  /** The most threads counted at one place, as there may be millions of virtual threads. */
  static final int MOST_THREADS = 1 << 16;

  private final long beginNanos;
  private final Map<Place.Key, Group> groups = new HashMap<>();
  private final Samples samples = new Samples();
  private final Map<Thread.State, Integer> states = new EnumMap<>(Thread.State.class);
  private Map<Long, Place.Key> inSystemCall = new HashMap<>(); // in the last dump
  private long endNanos = Long.MAX_VALUE;
  private boolean complete = true;

  /** Creates a tally that counts from the given moment on, in nanoseconds since the epoch. */
  Tally(long beginNanos) {
    this.beginNanos = beginNanos;
  }

  /** Adds a wait of the flight recorder; only the part of it within the watch counts. */
  synchronized void waited(long thread, Place where, long start, long end) {
    long from = Math.max(start, beginNanos);
    long to = Math.min(end, endNanos);
    if (to > from) {
      group(where).waited(thread, where, from, to);
      samples.cover(thread, start, end);
    }
  }

  /** Adds a dump of all threads. */
  synchronized void dumped(ThreadDumps.Dump dump) {
    samples.dump(dump.fromNanos(), dump.toNanos());
    states.clear();
    groups.values().forEach(Group::clearNow);
    Map<String, ThreadDumps.Sample> owners = owners(dump.threads());
    Map<Long, Place.Key> before = inSystemCall;
    inSystemCall = new HashMap<>();
    for (ThreadDumps.Sample thread : dump.threads()) {
      states.merge(thread.state(), 1, Integer::sum);
      if (thread.waiting()) {
        Place where = WaitRule.place(thread.stack(), thread.blocked());
        group(where).seen(thread.id(), where, holder(owners.get(thread.waitsFor())));
        samples.add(thread.id(), where.key());
      } else if (WaitRule.inSystemCall(thread.stack())) {
        Place where = WaitRule.systemCall(thread.stack());
        inSystemCall.put(thread.id(), where.key());
        if (!WaitRule.isBrief(thread.stack()) || where.key().equals(before.get(thread.id()))) {
          group(where).seen(thread.id(), where, null);
          samples.add(thread.id(), where.key());
        }
      }
    }
  }

  /** Ends the watch; waits that are added later count up to this moment. */
  synchronized void end(long nanos) {
    endNanos = nanos;
  }

  /** Notes that events were lost, by the flight recorder or on the way from it. */
  synchronized void dataLost() {
    complete = false;
  }

  synchronized boolean complete() {
    return complete;
  }

  /** Returns the number of threads by state in the last dump. */
  synchronized Map<Thread.State, Integer> states() {
    return new EnumMap<>(states);
  }

  /** Returns places where threads are held up, the costliest first, those with sleepers last. */
  List<WatchFigures.Group> heldUp(long nowNanos) {
    return figures(nowNanos).stream().filter(group -> !group.idle()).toList();
  }

  /** Returns every place, the costliest first; a wait in progress counts up to the given moment. */
  synchronized List<WatchFigures.Group> figures(long nowNanos) {
    Map<Place.Key, Samples.Left> left = samples.left(Math.min(nowNanos, endNanos));
    List<WatchFigures.Group> figures = new ArrayList<>();
    groups.forEach(
        (key, group) -> figures.add(group.figures(left.getOrDefault(key, Samples.Left.NONE))));
    figures.sort(COSTLIEST);
    return figures;
  }

  private Group group(Place where) {
    return groups.computeIfAbsent(where.key(), k -> new Group(beginNanos));
  }

  private static Map<String, ThreadDumps.Sample> owners(List<ThreadDumps.Sample> threads) {
    Map<String, ThreadDumps.Sample> owners = new HashMap<>();
    for (ThreadDumps.Sample thread : threads) {
      thread.owns().forEach(monitor -> owners.put(monitor, thread));
    }
    return owners;
  }

  private static String holder(ThreadDumps.Sample owner) {
    return owner == null
        ? null
        : (owner.name().isEmpty() ? "thread #" + owner.id() : owner.name())
            + " in "
            + WaitRule.nearest(owner.stack());
  }

  /** All waits at one place: those of the flight recorder, and those that only dumps show. */
  private static final class Group {

    private static final long SECOND = 1_000_000_000L;
    private static final double NANOS = 1e9;
    private static final int STACK_FRAMES = 30;
    private static final int KEPT_WAITS = 1 << 18;

    private final long beginNanos;
    private final Map<String, Long> nanosByCall = new HashMap<>();
    private final Map<String, Place> exampleByCall = new HashMap<>();
    private final Set<Long> threads = new HashSet<>();
    private final Overlaps overlaps = new Overlaps(KEPT_WAITS);
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

    /** Adds a wait that has ended. */
    void waited(long thread, Place where, long start, long end) {
      by(thread);
      called(where, end - start);
      overlaps.add(start, end);
      waits++;
      totalNanos += end - start;
      maxNanos = Math.max(maxNanos, end - start);
      bySecond.add(start - beginNanos, end - start);
    }

    /** Clears the count of the last dump, as a new dump begins. */
    void clearNow() {
      threadsNow = 0;
    }

    /** Adds a thread that the current dump shows at this place. */
    void seen(long thread, Place where, String holder) {
      by(thread);
      called(where, SECOND);
      threadsNow++;
      mostInDump = Math.max(mostInDump, threadsNow);
      if (holder != null) {
        holders.merge(holder, 1, Integer::sum);
      }
    }

    private void by(long thread) {
      if (threads.size() < MOST_THREADS) {
        threads.add(thread);
      }
    }

    /** Adds to the time of a JDK method; a sighting in a dump counts as about a second. */
    private void called(Place where, long nanos) {
      nanosByCall.merge(where.call(), nanos, Long::sum);
      exampleByCall.putIfAbsent(where.call(), where);
    }

    /** Returns the figures, with the given waits that only dumps have shown. */
    WatchFigures.Group figures(Samples.Left sampled) {
      Place example = exampleByCall.get(most(nanosByCall));
      SecondSums seconds = new SecondSums(bySecond);
      for (Samples.Stretch stretch : sampled.stretches()) {
        seconds.add(stretch.fromNanos() - beginNanos, stretch.nanos());
      }
      return new WatchFigures.Group(
          example.reason().name(),
          example.frame(),
          example.call(),
          threads.size(),
          Math.max(overlaps.most(), mostInDump),
          threadsNow,
          waits,
          (totalNanos + sampled.nanos()) / NANOS,
          sampled.nanos() / NANOS,
          Math.max(maxNanos, sampled.longestNanos()) / NANOS,
          most(holders),
          example.stack().stream().limit(STACK_FRAMES).map(Place.Frame::toString).toList(),
          seconds.seconds());
    }

    private static <N extends Comparable<N>> String most(Map<String, N> counts) {
      return counts.entrySet().stream()
          .max(Map.Entry.comparingByValue())
          .map(Map.Entry::getKey)
          .orElse(null);
    }
  }
}
