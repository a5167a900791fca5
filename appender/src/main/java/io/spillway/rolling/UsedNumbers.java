package io.spillway.rolling;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The highest number used with each of the recent names, so that a clock that steps back and forth
 * meets no number twice, and mostly without listing a directory. Not thread-safe.
 */
final class UsedNumbers {
  private static final int REMEMBERED = 1024;

  private final Map<String, Integer> highest =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** Finds the highest number by looking. */
  interface Search {
    int highest() throws IOException;
  }

  UsedNumbers() {}

  /** Whether a name's numbers are known. */
  boolean knows(String name) {
    return highest.containsKey(name);
  }

  /** The highest number used, as far as is known. */
  int known(String name, int otherwise) {
    return highest.getOrDefault(name, otherwise);
  }

  /** The highest number used, by memory or else by search. */
  int highest(String name, Search search) throws IOException {
    Integer known = highest.get(name);
    if (known == null) {
      known = search.highest();
      highest.put(name, known);
    }
    return known;
  }

  /** A number was used. */
  void used(String name, int number) {
    highest.merge(name, number, Math::max);
  }

  /** Memory is not to be trusted here: somebody else used numbers, too. */
  void forget(String name) {
    highest.remove(name);
  }
}
