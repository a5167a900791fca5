package io.spillway.stress.verify;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Cuts a stream into lines without copying each of them. */
final class Lines {

  private static final int START_BYTES = 1 << 16;

  /** Receives lines. */
  interface Consumer {
    /**
     * Takes {@code bytes[from, to)}, without the line end.
     *
     * @param ended whether a line end followed; false only for the last line of a stream
     */
    void line(byte[] bytes, int from, int to, boolean ended);
  }

  private Lines() {}

  /** Hands over every line; on an error, those before it. */
  static void read(InputStream in, Consumer consumer) throws IOException {
    byte[] buffer = new byte[START_BYTES];
    int kept = 0;
    try {
      while (true) {
        if (kept == buffer.length) {
          buffer = Arrays.copyOf(buffer, buffer.length * 2);
        }
        int count = in.read(buffer, kept, buffer.length - kept);
        if (count < 0) {
          break;
        }
        int end = kept + count;
        int consumed = lines(buffer, kept, end, consumer);
        System.arraycopy(buffer, consumed, buffer, 0, end - consumed);
        kept = end - consumed;
      }
    } finally {
      if (kept > 0) {
        consumer.line(buffer, 0, kept, false);
      }
    }
  }

  private static int lines(byte[] buffer, int from, int end, Consumer consumer) {
    int start = 0;
    for (int i = from; i < end; i++) {
      if (buffer[i] == '\n') {
        consumer.line(buffer, start, i, true);
        start = i + 1;
      }
    }
    return start;
  }
}
