package io.spillway.stress.verify;

import java.nio.charset.StandardCharsets;

/**
 * Generates the lines that fill the active file before a trial: numbered, about as long as events,
 * and about as compressible as real logs (8 to 12 to 1 by gzip). Lines are patched copies of a few
 * templates, because generating a gigabyte must not take longer than writing it.
 */
public final class PrefillLines {

  private static final String NUMBER = "000000000000";
  private static final String HEAD =
      "2026-01-01 00:00:00,000 [prefill] INFO  " + LogLine.LOGGER + " - prefill " + NUMBER;
  private static final long MILLIS_A_DAY = 86_400_000L;

  private final byte[][] templates = new byte[8][];
  private long line;

  /** Creates a generator that starts at line 0. */
  public PrefillLines() {
    for (int i = 0; i < templates.length; i++) {
      String text = HEAD + " order 000000 " + LogLine.action(i) + " in 0000 us\n";
      templates[i] = text.getBytes(StandardCharsets.US_ASCII);
    }
  }

  /** Appends as many whole lines as fit; returns the position after the last of them. */
  public int fill(byte[] target, int from, int to) {
    int at = from;
    while (true) {
      long mixed = LogLine.mix(line);
      byte[] template = templates[(int) (mixed >>> 60) & 7];
      if (to - at < template.length) {
        return at;
      }
      System.arraycopy(template, 0, target, at, template.length);
      patchTime(target, at);
      digits(target, at + HEAD.length() - NUMBER.length(), NUMBER.length(), line);
      digits(
          target, at + HEAD.length() + " order ".length(), 6, 100_000 + (mixed >>> 20) % 900_000);
      digits(target, at + template.length - 8, 4, 1000 + (mixed >>> 8) % 4000);
      at += template.length;
      line++;
    }
  }

  /** Returns the number of lines generated so far. */
  public long lines() {
    return line;
  }

  /** Writes the time of a line. Five lines share a millisecond, and times wrap at midnight. */
  private void patchTime(byte[] target, int at) {
    long millis = line / 5 % MILLIS_A_DAY;
    digits(target, at + 11, 2, millis / 3_600_000);
    digits(target, at + 14, 2, millis / 60_000 % 60);
    digits(target, at + 17, 2, millis / 1000 % 60);
    digits(target, at + 20, 3, millis % 1000);
  }

  private static void digits(byte[] target, int at, int count, long value) {
    long rest = value;
    for (int i = at + count - 1; i >= at; i--) {
      target[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
