package io.spillway.stress.services;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The settings of what a service does for a request, by name; each has a default. */
final class Work {

  private final Map<String, String> given;
  private final Set<String> known = new TreeSet<>(Set.of("lines", "lineBytes"));

  Work(Map<String, String> given) {
    this.given = given;
  }

  /** Returns the number of lines that each request logs. */
  int lines() {
    return number("lines", 1);
  }

  /** Returns a setting that is one of several words; the first is the default. */
  String word(String name, List<String> allowed) {
    String value = value(name, allowed.get(0));
    if (!allowed.contains(value)) {
      throw refused(name, value, "one of " + allowed);
    }
    return value;
  }

  /** Returns a setting that is a whole number, 0 or more. */
  int number(String name, int otherwise) {
    String value = value(name, Integer.toString(otherwise));
    if (!value.matches("\\d{1,9}")) {
      throw refused(name, value, "a whole number, 0 or more");
    }
    return Integer.parseInt(value);
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

  private String value(String name, String otherwise) {
    known.add(name);
    return given.getOrDefault(name, otherwise);
  }

  private static IllegalArgumentException refused(String name, String value, String allowed) {
    return new IllegalArgumentException(
        "work '" + name + "': '" + value + "'; allowed: " + allowed);
  }
}
