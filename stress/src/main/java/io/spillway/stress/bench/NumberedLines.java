package io.spillway.stress.bench;

import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.slf4j.Logger;

/**
 * Lines of one producer, numbered from 0, over archives {@code app.N.log.gz} and {@code app.log}.
 */
final class NumberedLines {
  private static final String MESSAGE =
      "order {} accepted, 3 items, customer 4711, trace {}, total 99.90";
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** About the length of a line. */
  static final int BYTES = 142;

  private static final Pattern NUMBER = Pattern.compile(" - order (\\d+) accepted.*99\\.90$");
  private static final int LAST_INDEX = 21;

  private NumberedLines() {}

  /** Logs one; the trace looks random, so that a line compresses about as well as in real life. */
  static void log(Logger logger, long number) {
    long trace = number * GOLDEN_RATIO;
    logger.info(MESSAGE, number, Long.toHexString(trace ^ (trace >>> 29)));
  }

  /** How many lines are not what comes next, and how many are missing at the end. */
  static long wrong(Path directory, long sent) throws IOException {
    long[] nextAndWrong = new long[2];
    for (int index = LAST_INDEX; index >= 1; index--) {
      Path archive = directory.resolve("app." + index + ".log.gz");
      if (Files.exists(archive)) {
        try (InputStream in = new GZIPInputStream(new FileInputStream(archive.toFile()), 1 << 16)) {
          count(in, nextAndWrong);
        }
      }
    }
    try (InputStream in = new FileInputStream(directory.resolve("app.log").toFile())) {
      count(in, nextAndWrong);
    }
    return nextAndWrong[1] + Math.abs(sent - nextAndWrong[0]);
  }

  private static void count(InputStream in, long[] nextAndWrong) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII), 1 << 16);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      Matcher number = NUMBER.matcher(line);
      if (!number.find() || Long.parseLong(number.group(1)) != nextAndWrong[0]++) {
        nextAndWrong[1]++;
      }
    }
  }
}
