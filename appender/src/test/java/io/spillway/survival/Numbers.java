package io.spillway.survival;

import java.util.BitSet;
import java.util.List;

/**
 * What the lines "#number:..." of a log say of its events.
 *
 * @param seen which are there
 * @param lines how many there are
 * @param twice how many are there once more
 * @param disorder how many stand behind a later one
 */
record Numbers(BitSet seen, int lines, int twice, int disorder) {
  static Numbers of(List<String> lines) {
    BitSet seen = new BitSet();
    int last = -1;
    int twice = 0;
    int disorder = 0;
    for (String line : lines) {
      int number = Integer.parseInt(line.substring(1, line.indexOf(':')));
      twice += seen.get(number) ? 1 : 0;
      disorder += number < last ? 1 : 0;
      last = number;
      seen.set(number);
    }
    return new Numbers(seen, lines.size(), twice, disorder);
  }
}
