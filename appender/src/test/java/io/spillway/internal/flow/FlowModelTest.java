package io.spillway.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every interleaving of publish, take, read, deliver, throw, finish, spill, exit, stop and close,
 * as {@link Order} has them, over {@value #EVENTS} events in batches of {@value #BATCH}, and a kill
 * in each state. Each planted mistake has to be found.
 *
 * <p>Event number 2 has a caller that waits to be acknowledged.
 */
class FlowModelTest {
  private static final int EVENTS = 5;
  private static final int BATCH = 2;
  private static final int SLOTS = 3;
  private static final int WAITED_FOR = 2;

  private enum Mistake {
    NONE,
    /** A fenced batch is cleared although not all of it is done. */
    FINISH,
    /** Events of the ring enter an empty spill without the flight in front of them. */
    OVERTAKE,
    /** The stop does not fence the deliverer. */
    NO_FENCE,
    /** What the fenced deliverer has done is not marked at the end. */
    NO_MARK,
    /** The deliverer takes from the ring while the spill holds something. */
    RING_FIRST,
    /** A caller is acknowledged when its slot is released. */
    EARLY_RECEIPT,
    /** What was looked at is appended although the deliverer has moved meanwhile. */
    STALE_LOOK
  }

  private enum Step {
    IDLE,
    READ,
    LOOP,
    GIVE,
    GAVE,
    FINISH,
    DEAD
  }

  private record Rec(List<Integer> ids, int delivered) {
    List<Integer> rest() {
      return ids.subList(delivered, ids.size());
    }
  }

  private record Flight(List<Integer> ids, int done, boolean placed) {}

  /** What the spiller has looked at: the flight or a run of the ring. */
  private record Look(List<Integer> ids, boolean ofFlight) {}

  private record State(
      int next,
      List<Integer> ring,
      List<Rec> spill,
      Flight flight,
      Step step,
      Rec read,
      Look look,
      int stop, // 0 running, 1 sealed, 2 fenced
      boolean closed,
      List<Integer> sink,
      boolean acknowledged) {
    State published(List<Integer> to) {
      return new State(
          next + 1, to, spill, flight, step, read, look, stop, closed, sink, acknowledged);
    }

    State reads(Rec of) {
      return new State(
          next, ring, spill, flight, Step.READ, of, look, stop, closed, sink, acknowledged);
    }

    State gave(List<Integer> to) {
      return new State(
          next, ring, spill, flight, Step.GAVE, read, look, stop, closed, to, acknowledged);
    }

    State looks(Look at) {
      return new State(next, ring, spill, flight, step, read, at, stop, closed, sink, acknowledged);
    }

    State stops() {
      return new State(
          next, ring, spill, flight, step, read, look, stop + 1, closed, sink, acknowledged);
    }

    State closes(List<Rec> left) {
      return new State(next, ring, left, flight, step, read, look, stop, true, sink, acknowledged);
    }
  }

  private final List<State> successors = new ArrayList<>();
  private Mistake mistake = Mistake.NONE;
  private boolean always;

  private static <T> List<T> plus(List<T> list, T more) {
    List<T> all = new ArrayList<>(list);
    all.add(more);
    return List.copyOf(all);
  }

  private static <T> List<T> first(List<T> list) {
    return List.copyOf(list.subList(0, Math.min(BATCH, list.size())));
  }

  private static <T> List<T> behind(List<T> list) {
    return List.copyOf(list.subList(Math.min(BATCH, list.size()), list.size()));
  }

  private boolean acknowledges(List<Integer> ids) {
    return ids.contains(WAITED_FOR);
  }

  private void go(
      State s,
      List<Integer> ring,
      List<Rec> spill,
      Flight flight,
      Step step,
      boolean acknowledged) {
    successors.add(
        new State(
            s.next,
            ring,
            spill,
            flight,
            step,
            s.read,
            s.look,
            s.stop,
            s.closed,
            s.sink,
            s.acknowledged || acknowledged));
  }

  private void successors(State s) {
    successors.clear();
    if (s.stop == 0 && s.next < EVENTS && s.ring.size() < SLOTS) {
      successors.add(s.published(plus(s.ring, s.next)));
    }
    deliverer(s);
    spiller(s);
    stopper(s);
  }

  private void deliverer(State s) {
    boolean fenced = s.stop == 2 && mistake != Mistake.NO_FENCE;
    switch (s.step) {
      case IDLE -> {
        if (fenced) {
          go(s, s.ring, s.spill, s.flight, Step.DEAD, false);
        } else if (s.flight != null) {
          go(s, s.ring, s.spill, s.flight, Step.LOOP, false);
        } else if (!s.spill.isEmpty() && mistake != Mistake.RING_FIRST) {
          successors.add(s.reads(s.spill.get(0)));
        } else if (!s.ring.isEmpty() && !always) {
          List<Integer> ids = first(s.ring);
          boolean early = mistake == Mistake.EARLY_RECEIPT && acknowledges(ids);
          go(s, behind(s.ring), s.spill, new Flight(ids, 0, false), Step.LOOP, early);
        }
      }
      case READ -> { // outside the lock
        Flight taken = fenced ? null : new Flight(s.read.ids, s.read.delivered, true);
        go(s.reads(null), s.ring, s.spill, taken, fenced ? Step.IDLE : Step.LOOP, false);
      }
      case LOOP -> {
        boolean all = s.flight.done == s.flight.ids.size();
        go(s, s.ring, s.spill, s.flight, all || fenced ? Step.FINISH : Step.GIVE, false);
      }
      case GIVE -> {
        go(s, s.ring, s.spill, s.flight, Step.IDLE, false); // the sink throws
        successors.add(s.gave(plus(s.sink, s.flight.ids.get(s.flight.done))));
      }
      case GAVE ->
          go(
              s,
              s.ring,
              s.spill,
              new Flight(s.flight.ids, s.flight.done + 1, s.flight.placed),
              Step.LOOP,
              false);
      case FINISH -> finish(s);
      case DEAD -> {}
    }
  }

  private void finish(State s) {
    Flight flight = s.flight;
    boolean all = flight.done == flight.ids.size();
    List<Rec> spill = s.spill;
    if (flight.placed && !s.closed) {
      spill = new ArrayList<>(spill);
      spill.remove(0);
      if (!all) {
        spill.add(0, new Rec(flight.ids, flight.done));
      }
    }
    boolean clears = all || mistake == Mistake.FINISH;
    boolean acknowledged = all && acknowledges(flight.ids);
    go(s, s.ring, List.copyOf(spill), clears ? null : flight, Step.IDLE, acknowledged);
  }

  private boolean isFlightFirst(State s) {
    return s.flight != null
        && !s.flight.placed
        && s.flight.done < s.flight.ids.size()
        && s.spill.isEmpty()
        && mistake != Mistake.OVERTAKE;
  }

  /** At any time, since a stall is a matter of time: a look, then an append. */
  private void spiller(State s) {
    if (s.closed) {
      return;
    }
    boolean ofFlight = isFlightFirst(s);
    if (s.look == null) {
      List<Integer> ids = ofFlight ? s.flight.ids : first(s.ring);
      if (!ids.isEmpty()) {
        successors.add(s.looks(new Look(ids, ofFlight)));
      }
      return;
    }
    boolean moved =
        s.look.ofFlight
            ? !ofFlight || !s.flight.ids.equals(s.look.ids)
            : ofFlight || !startsWith(s.ring, s.look.ids);
    if (moved && mistake != Mistake.STALE_LOOK) {
      successors.add(s.looks(null));
    } else if (s.look.ofFlight) {
      if (s.flight != null) {
        go(
            s.looks(null),
            s.ring,
            plus(s.spill, new Rec(s.look.ids, s.flight.done)),
            new Flight(s.flight.ids, s.flight.done, true),
            s.step,
            acknowledges(s.look.ids));
      }
    } else {
      int released = Math.min(s.look.ids.size(), s.ring.size());
      go(
          s.looks(null),
          List.copyOf(s.ring.subList(released, s.ring.size())),
          plus(s.spill, new Rec(s.look.ids, 0)),
          s.flight,
          s.step,
          acknowledges(s.look.ids));
    }
  }

  private static boolean startsWith(List<Integer> ring, List<Integer> ids) {
    return ring.size() >= ids.size() && ring.subList(0, ids.size()).equals(ids);
  }

  private void stopper(State s) {
    if (s.stop < 2) {
      successors.add(s.stops());
    } else if (!s.closed && s.ring.isEmpty() && s.look == null && !isFlightFirst(s)) {
      List<Rec> spill = new ArrayList<>(s.spill);
      if (s.flight != null && s.flight.placed && mistake != Mistake.NO_MARK) {
        spill.set(0, new Rec(s.flight.ids, s.flight.done));
      }
      successors.add(s.closes(List.copyOf(spill)));
    }
  }

  /** Returns what is wrong in a state, also if the process is killed in it; null if nothing is. */
  private String violation(State s) {
    for (int i = 0; i < s.sink.size(); i++) {
      if (s.sink.get(i) != i) {
        return "the sink got " + s.sink;
      }
    }
    List<Integer> kept = new ArrayList<>();
    s.spill.forEach(record -> kept.addAll(record.rest()));
    for (int i = 1; i < kept.size(); i++) {
      if (kept.get(i) != kept.get(i - 1) + 1) {
        return "a restart delivers " + kept;
      }
    }
    List<Integer> missing = new ArrayList<>();
    for (int i = 0; i < s.next; i++) {
      if (!s.sink.contains(i) && !kept.contains(i)) {
        missing.add(i);
      }
    }
    if (s.acknowledged && missing.contains(WAITED_FOR)) {
      return "acknowledged and missing after a kill";
    }
    if (!s.closed) {
      missing.removeAll(s.ring);
      if (s.flight != null && !s.flight.placed) {
        missing.removeAll(s.flight.ids);
      }
      return missing.isEmpty() ? null : "lost " + missing;
    }
    boolean settled = s.step == Step.DEAD || s.step == Step.GIVE;
    if (settled && !missing.isEmpty()) {
      return "the stop lost " + missing;
    }
    long doubled = s.sink.stream().filter(kept::contains).count();
    return settled && doubled > (s.step == Step.GIVE ? 0 : 1) ? "doubled " + doubled : null;
  }

  /** Returns the first violation, with the states that lead to it; null if there is none. */
  private String explore() {
    State first =
        new State(0, List.of(), List.of(), null, Step.IDLE, null, null, 0, false, List.of(), false);
    Map<State, State> seen = new HashMap<>();
    Deque<State> rest = new ArrayDeque<>(List.of(first));
    seen.put(first, first);
    while (!rest.isEmpty()) {
      State s = rest.poll();
      String wrong = violation(s);
      if (wrong != null) {
        return wrong + " in " + s;
      }
      successors(s);
      for (State t : successors) {
        if (seen.putIfAbsent(t, s) == null) {
          rest.add(t);
        }
      }
    }
    states = seen.size();
    return null;
  }

  private int states;

  @Test
  void shouldKeepOrderInEveryInterleaving() {
    assertThat(explore()).isNull();
    assertThat(states).isGreaterThan(10_000);
  }

  @Test
  void shouldKeepOrderWhenEverythingIsSpilled() {
    always = true;
    assertThat(explore()).isNull();
    assertThat(states).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @EnumSource(value = Mistake.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldFindPlantedMistakes(Mistake planted) {
    mistake = planted;
    assertThat(explore()).as(planted.name()).isNotNull();
  }
}
