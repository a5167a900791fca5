package io.spillway.stress.services;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;

/** The settings of what a service does for a request, by name; each has a default. */
final class Work {

  private final Map<String, String> given;
  private final Set<String> known = new TreeSet<>(Set.of("lines", "lineBytes"));

  Work(Map<String, String> given) {
    this.given = given;
  }

  /** Returns a setting that is one of several words; the first is the default. */
  String word(String name, List<String> allowed) {
    return value(name, allowed.get(0), String.join("|", allowed));
  }

  /** Returns a setting that is a whole number, 0 or more. */
  int number(String name, int otherwise) {
    return Integer.parseInt(value(name, Integer.toString(otherwise), "\\d{1,9}"));
  }

  /** Refuses settings that the service has not read; call it after all reads. */
  void requireKnown() {
    for (String name : given.keySet()) {
      if (!known.contains(name)) {
        throw new IllegalArgumentException(
            "there is no work '" + name + "'; allowed here: " + known);
      }
    }
  }

  private String value(String name, String otherwise, String allowed) {
    known.add(name);
    String value = given.getOrDefault(name, otherwise);
    if (!value.matches(allowed)) {
      throw new IllegalArgumentException(
          "work '" + name + "': '" + value + "'; allowed: " + allowed);
    }
    return value;
  }

  /** Blocks the calling thread as a call of another service or a store would. */
  static void block(int micros) {
    long end = System.nanoTime() + micros * 1_000L;
    for (long left = micros * 1_000L; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
