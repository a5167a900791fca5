package io.spillway.jmh;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Text that compresses about as well as a service's log: words repeat, identifiers do not. */
public final class LogText {
  private static final int LINE_BYTES = 160;

  private LogText() {}

  /** Returns text of the given length in bytes; equal for equal lengths. */
  public static byte[] bytes(int length) {
    SplittableRandom random = new SplittableRandom(1);
    StringBuilder text = new StringBuilder(length + LINE_BYTES);
    for (int number = 0; text.length() < length; number++) {
      text.append("2026-11-21 12:00:")
          .append(10 + number / 5000 % 50)
          .append(',')
          .append(100 + number / 5 % 900)
          .append(" [worker-")
          .append(random.nextInt(8))
          .append("] INFO  i.s.jmh.Service - order ")
          .append(number)
          .append(" accepted, 3 items, customer ")
          .append(random.nextInt(10_000))
          .append(", trace ")
          .append(Long.toHexString(random.nextLong()))
          .append(", total 99.90\n");
    }
    return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), length);
  }
}
