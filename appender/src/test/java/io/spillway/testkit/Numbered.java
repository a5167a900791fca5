package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

/**
 * Messages that are known to the last character, so that a torn line cannot pass for a whole one.
 */
public final class Numbered {
  private static final String FILLER = "abcdefghijklmnopqrstuvwxyz".repeat(8);

  private Numbered() {}

  /** Message of a number: 30 to 130 characters. */
  public static String message(int number) {
    return "event " + number + " " + FILLER.substring(0, 16 + number * 7 % 101) + " end";
  }

  /** All lines of a text; whatever follows the last line feed, too. */
  public static List<String> lines(String text) {
    List<String> lines = new ArrayList<>(List.of(text.split("\n", -1)));
    if (lines.get(lines.size() - 1).isEmpty()) {
      lines.remove(lines.size() - 1);
    }
    return lines;
  }

  /**
   * Fails unless the lines are the messages from (inclusive) to (exclusive), whole, once, in order.
   */
  public static void assertWhole(List<String> lines, int from, int to) {
    int common = Math.min(lines.size(), to - from);
    for (int i = 0; i < common; i++) {
      if (!lines.get(i).equals(message(from + i))) {
        assertThat(lines.get(i))
            .as("line " + i + " of " + lines.size())
            .isEqualTo(message(from + i));
      }
    }
    assertThat(lines.size()).as("lines").isEqualTo(to - from);
  }
}
