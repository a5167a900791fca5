package io.spillway.stress.services;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The settings of what a service does for a request, by name; each has a default. */
final class Work {

  private final Map<String, String> given = new HashMap<>();
  private final Map<String, String> known = new HashMap<>();

  private Work() {}

  /** Parses settings of the form {@code name=value}. */
  static Work of(List<String> settings) {
    Work work = new Work();
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      work.given.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return work;
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
    try {
      int number = Integer.parseInt(value);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      throw refused(name, value, "a whole number, 0 or more");
    }
    throw refused(name, value, "a whole number, 0 or more");
  }

  /** Refuses settings that the service has not read; call it after all reads. */
  void requireKnown() {
    for (String name : given.keySet()) {
      if (!known.containsKey(name)) {
        throw new IllegalArgumentException(
            "there is no work '" + name + "'; allowed here: " + new TreeSet<>(known.keySet()));
      }
    }
  }

  private String value(String name, String otherwise) {
    known.put(name, otherwise);
    return given.getOrDefault(name, otherwise);
  }

  private static IllegalArgumentException refused(String name, String value, String allowed) {
    return new IllegalArgumentException(
        "work '" + name + "': '" + value + "'; allowed: " + allowed);
  }
}
