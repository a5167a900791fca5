package io.spillway.stress.watch;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Adds up who waits where. Written by the thread that reads events and the one that takes dumps;
 * one lock, since each of them comes by once a second with all it has.
 */
final class Tally {

  private static final Comparator<WatchFigures.Group> COSTLIEST =
      Comparator.comparingDouble(WatchFigures.Group::threadSeconds).reversed();

  private final long beginNanos;
  private final Map<Place.Key, Group> groups = new HashMap<>();
  private final Samples samples = new Samples();
  private final Map<Thread.State, Integer> states = new EnumMap<>(Thread.State.class);
  private long endNanos = Long.MAX_VALUE;
  private boolean complete = true;

  /** Counts what happens from the given moment on, in nanoseconds since the epoch. */
  Tally(long beginNanos) {
    this.beginNanos = beginNanos;
  }

  /** A wait that the flight recorder tells of; counted as far as it lies within the watch. */
  synchronized void waited(long thread, Located where, long start, long end) {
    long from = Math.max(start, beginNanos);
    long to = Math.min(end, endNanos);
    if (to > from) {
      group(where).waited(thread, where, from, to);
      samples.cover(thread, start, end);
    }
  }

  /** A dump of all threads. */
  synchronized void dumped(ThreadSampler.Dump dump) {
    samples.dump(dump.fromNanos(), dump.toNanos());
    states.clear();
    groups.values().forEach(Group::clearNow);
    Map<String, ThreadSample> owners = owners(dump.threads());
    for (ThreadSample thread : dump.threads()) {
      states.merge(thread.state(), 1, Integer::sum);
      if (thread.waiting()) {
        Located where = Located.of(thread.stack(), thread.blocked());
        group(where).seen(thread.id(), where, holder(owners.get(thread.waitsFor())));
        samples.add(thread.id(), where.place().key());
      }
    }
  }

  /** The watch is over; what is told later counts up to this moment. */
  synchronized void end(long nanos) {
    endNanos = nanos;
  }

  /** The flight recorder, or the way from it, has lost something. */
  synchronized void dataLost() {
    complete = false;
  }

  synchronized boolean complete() {
    return complete;
  }

  /** Threads by state in the last dump. */
  synchronized Map<Thread.State, Integer> states() {
    return new EnumMap<>(states);
  }

  /** Places where threads are held up, the costliest first. */
  List<WatchFigures.Group> heldUp(long nowNanos) {
    return figures(nowNanos).stream().filter(group -> !group.idle()).toList();
  }

  /** Every place, the costliest first; a wait that has not ended counts up to the given moment. */
  synchronized List<WatchFigures.Group> figures(long nowNanos) {
    Map<Place.Key, Group.Sampled> left = samples.left(Math.min(nowNanos, endNanos));
    List<WatchFigures.Group> figures = new ArrayList<>();
    groups.forEach(
        (key, group) -> figures.add(group.figures(left.getOrDefault(key, Group.Sampled.NONE))));
    figures.sort(COSTLIEST);
    return figures;
  }

  private Group group(Located where) {
    return groups.computeIfAbsent(where.place().key(), k -> new Group(beginNanos));
  }

  private static Map<String, ThreadSample> owners(List<ThreadSample> threads) {
    Map<String, ThreadSample> owners = new HashMap<>();
    for (ThreadSample thread : threads) {
      thread.owns().forEach(monitor -> owners.put(monitor, thread));
    }
    return owners;
  }

  private static String holder(ThreadSample owner) {
    return owner == null
        ? null
        : (owner.name().isEmpty() ? "thread #" + owner.id() : owner.name())
            + " in "
            + WaitRule.nearest(owner.stack());
  }
}
