package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/** What the tests of this package share, and a spill on a disk that fails for those of others. */
public final class SpillTesting {

  static final long CAP = 64L << 20;

  private SpillTesting() {}

  static SpillConfig config(Path directory) {
    return new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
  }

  static Spill open(Path directory, SpillListener listener) throws IOException {
    return open(config(directory), listener, new Disk(), System::nanoTime);
  }

  /** As in the library, but on this disk. */
  public static Spill open(SpillConfig config, Disk files) throws IOException {
    return open(config, new SpillListener() {}, files, System::nanoTime);
  }

  /** As the library opens it; its destination needs no forcing. */
  public static Spill open(SpillConfig config, SpillListener listener) throws IOException {
    Spill spill = Spill.of(config, listener, () -> true);
    spill.open();
    return spill;
  }

  static Spill open(SpillConfig config, SpillListener listener, Disk files, LongSupplier nanoClock)
      throws IOException {
    return open(config, listener, () -> true, files, nanoClock);
  }

  /** The numbers of a directory that has none begin at 0, not with the time. */
  static Spill open(
      SpillConfig config,
      SpillListener listener,
      BooleanSupplier destination,
      Disk files,
      LongSupplier nanoClock)
      throws IOException {
    Spill spill = new Spill(config, listener, destination, files, nanoClock);
    spill.open();
    return spill;
  }

  /** All of it, without a tag. */
  static Spill.Payload payload(byte[] bytes, int events) {
    return new Spill.Payload(bytes, 0, bytes.length, events, 0);
  }

  static Spill.Append append(Spill spill, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return spill.append(payload(bytes, 1));
  }

  static void appendAll(Spill spill, List<String> texts) {
    for (String text : texts) {
      if (append(spill, text) != Spill.Append.APPENDED) {
        throw new AssertionError("not appended: " + text);
      }
    }
  }

  /** Records of so many bytes, each of which is so many events. */
  static void appendLarge(Spill spill, int records, int bytes, int events) {
    byte[] payload = new byte[bytes];
    for (int i = 0; i < records; i++) {
      assertThat(spill.append(new Spill.Payload(payload, 0, bytes, events, 0)))
          .isEqualTo(Spill.Append.APPENDED);
    }
  }

  static List<String> texts(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "event-" + i).toList();
  }

  static String text(SpillRecord record) {
    return new String(record.payload(), StandardCharsets.UTF_8);
  }

  /** Reads and delivers up to {@code max} records. */
  static List<String> deliver(Spill spill, int max) {
    List<String> texts = new ArrayList<>();
    while (texts.size() < max) {
      SpillRecord record = spill.read();
      if (record == null) {
        break;
      }
      spill.beforeDelivery(record);
      texts.add(text(record));
      spill.delivered(record);
    }
    return texts;
  }

  static List<String> deliverAll(Spill spill) {
    return deliver(spill, Integer.MAX_VALUE);
  }

  static List<String> reopenAndDeliver(Path directory, SpillListener listener) throws IOException {
    try (Spill spill = open(directory, listener)) {
      return deliverAll(spill);
    }
  }

  static List<Path> segments(Path directory) throws IOException {
    TreeSet<Path> paths = new TreeSet<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, "*.seg")) {
      stream.forEach(paths::add);
    }
    return List.copyOf(paths);
  }

  /** A copy without the lock: what a killed process leaves behind. */
  static void copyAsAfterKill(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(from)) {
      for (Path path : stream) {
        if (!path.getFileName().toString().equals(SpillSlot.LOCK)) {
          Files.copy(path, to.resolve(path.getFileName()));
        }
      }
    }
  }
}
