package io.spillway.stress.calibrate;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The report of an appender that delays the application on purpose.
 *
 * @param times the number of delays
 * @param seconds their sum over all threads
 */
record Hurt(long times, double seconds) {
  static void write(Path file, long times, double seconds) throws IOException {
    new ObjectMapper().writeValue(file.toFile(), new Hurt(times, seconds));
  }
}
