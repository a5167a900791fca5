package io.spillway.internal.spill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/** What the tests of the spill share. A record's payload is the numbers of its events. */
final class Spills {
  static final long CAP = 64 << 20; // segments of 4 MB
  static final int MEGABYTE = 1 << 20;
  private static final byte FILLER = '.';

  private Spills() {}

  static SpillConfig config(Path directory) {
    return config(directory, CAP);
  }

  static SpillConfig config(Path directory, long cap) {
    return new SpillConfig(directory, cap, SpillConfig.Kind.BYTES, 0, null);
  }

  static Spill open(Path directory, SpillListener listener) {
    return open(config(directory), new FaultyFiles(), listener);
  }

  static Spill open(SpillConfig config, SpillFiles files, SpillListener listener) {
    Spill spill = new Spill(config, files, listener, () -> true);
    assertThat(spill.open()).as("open").isTrue();
    return spill;
  }

  /** Events {@code from} to {@code to - 1} as one record, of at least so many bytes. */
  static byte[] payload(int from, int to, int atLeast) {
    StringBuilder text = new StringBuilder();
    for (int i = from; i < to; i++) {
      text.append(i).append(' ');
    }
    byte[] numbers = text.toString().getBytes(UTF_8);
    byte[] bytes = Arrays.copyOf(numbers, Math.max(numbers.length, atLeast));
    Arrays.fill(bytes, numbers.length, bytes.length, FILLER);
    return bytes;
  }

  static Spill.Place append(Spill spill, int from, int to, int atLeast) {
    byte[] bytes = payload(from, to, atLeast);
    return spill.append(bytes, bytes.length, to - from);
  }

  /** One event a record. */
  static void appendAll(Spill spill, int from, int to) {
    for (int i = from; i < to; i++) {
      assertThat(append(spill, i, i + 1, 0)).as("event " + i).isNotNull();
    }
  }

  static List<Integer> numbers(Spill.Payload payload) {
    List<Integer> numbers = new ArrayList<>();
    int end = payload.length;
    while (end > 0 && payload.bytes[end - 1] == FILLER) {
      end--;
    }
    String text = new String(payload.bytes, 0, end, UTF_8);
    for (String number : text.strip().split(" ")) {
      numbers.add(Integer.valueOf(number));
    }
    assertThat(numbers).as("events of " + text).hasSize(payload.events);
    return numbers.subList(payload.done, numbers.size());
  }

  /** Delivers up to so many records, passing what is damaged. */
  static List<Integer> deliver(Spill spill, int records) {
    List<Integer> delivered = new ArrayList<>();
    Spill.Payload payload = new Spill.Payload();
    int failures = 0;
    for (int i = 0; i < records; i++) {
      Spill.Place place = spill.first();
      if (place == null) {
        break;
      }
      switch (spill.read(place, payload)) {
        case OK -> {
          delivered.addAll(numbers(payload));
          spill.mark(place, payload.events);
        }
        case DAMAGED -> spill.pass(place, null);
        default -> {
          if (++failures > 100) {
            return delivered;
          }
        }
      }
    }
    return delivered;
  }

  static List<Integer> deliverAll(Spill spill) {
    return deliver(spill, Integer.MAX_VALUE);
  }

  static List<Integer> range(int from, int to) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = from; i < to; i++) {
      numbers.add(i);
    }
    return numbers;
  }

  static List<Path> segments(Path directory) {
    return files(directory, "*.{events,bytes}");
  }

  static List<Path> files(Path directory, String glob) {
    TreeSet<Path> paths = new TreeSet<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, glob)) {
      stream.forEach(paths::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return List.copyOf(paths);
  }

  /** A copy without the lock: what a killed process leaves. */
  static Path copy(Path from, Path to) {
    try {
      Files.createDirectories(to);
      for (Path path : segments(from)) {
        Files.copy(path, to.resolve(path.getFileName()));
      }
      return to;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
