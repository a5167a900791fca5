package io.spillway.stress.calibrate;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a hurting appender writes at its end.
 *
 * @param times how often it hurt
 * @param seconds for how long, over all threads
 */
record Hurt(long times, double seconds) {
  static void write(Path file, long times, double seconds) throws IOException {
    new ObjectMapper().writeValue(file.toFile(), new Hurt(times, seconds));
  }
}
