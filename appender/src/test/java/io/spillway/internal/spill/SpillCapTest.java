package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpillCapTest {

  private static final long CAP = 300_000;

  @TempDir(factory = InMemory.class)
  Path temp;

  /** Random appends, deliveries and re-opens against a model of the queue. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldStayUnderTheCapAndLoseNothing(long seed) throws Exception {
    Random random = new Random(seed);
    Path directory = temp.resolve("spill");
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    RecordingListener listener = new RecordingListener();
    Spill spill = SpillTesting.open(config, listener);
    int appended = 0;
    int delivered = 0;
    int full = 0;
    for (int step = 0; step < 1500; step++) {
      int choice = random.nextInt(100);
      boolean filling = step / 250 % 2 == 0;
      if (choice < (filling ? 90 : 50)) {
        byte[] payload = new byte[4 + random.nextInt(random.nextInt(8) == 0 ? 90_000 : 3_000)];
        ByteBuffer.wrap(payload).putInt(appended);
        switch (spill.append(SpillTesting.payload(payload, 1))) {
          case APPENDED -> appended++;
          case FULL -> full++;
          case FAILED -> throw new AssertionError();
        }
      } else if (choice < 98) {
        for (int i = random.nextInt(12); i > 0; i--) {
          SpillRecord record = spill.read();
          if (record == null) {
            break;
          }
          assertThat(ByteBuffer.wrap(record.payload()).getInt()).isEqualTo(delivered++);
          spill.beforeDelivery(record);
          spill.delivered(record);
        }
      } else {
        spill.close();
        spill = SpillTesting.open(config, listener);
      }
      assertThat(spill.isEmpty()).isEqualTo(delivered == appended);
      long onDisk = onDisk(directory);
      assertThat(onDisk).isLessThanOrEqualTo(CAP).isEqualTo(spill.bytes());
    }
    assertThat(full).isPositive();
    spill.close();
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.failures).isEmpty();
  }

  /** As those of a time when the spill was allowed to be larger. */
  @Test
  void shouldTakeMoreThoughCopiesOfDamagedSegmentsExceedTheCap() throws Exception {
    Path directory = Files.createDirectories(temp.resolve("spill"));
    int copy = 2 << 20;
    Files.write(directory.resolve("0000000000000010.seg.corrupt"), new byte[copy]);
    SpillConfig config = new SpillConfig(directory, copy / 2, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(config, new RecordingListener())) {
      SpillTesting.appendAll(spill, SpillTesting.texts(0, 3));
      assertThat(spill.bytes()).as("as it is on disk").isEqualTo(onDisk(directory));
      int taken = 3;
      while (SpillTesting.append(spill, "x".repeat(1_000)) == Spill.Append.APPENDED) {
        taken++;
      }
      assertThat(taken).isBetween(600, 800); // beside a quarter that is left for copies
    }
  }

  private static long onDisk(Path directory) throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, "*.seg*")) {
      for (Path path : stream) {
        bytes += Files.size(path);
      }
    }
    return bytes;
  }
}
