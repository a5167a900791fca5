package io.spillway.internal.spill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A segment of version 1 as it was once written, under {@code golden/segment}: it is read, and the
 * writer writes the same, so that the two cannot drift together. It is never written again.
 */
class SpillGoldenTest {
  private static final String NAME = "000001-000000.bytes";
  private static final String[] RECORDS = {"first\n", "ж 😀\nthird\n", "fourth\n"};
  private static final int[] EVENTS = {1, 2, 1};

  @TempDir Path temp;

  private static byte[] golden() throws IOException {
    try (InputStream in = SpillGoldenTest.class.getResourceAsStream("/golden/segment/1/" + NAME)) {
      return in.readAllBytes();
    }
  }

  /** The first record and an event of the second are delivered. */
  @Test
  void shouldWriteTheGoldenBytes() throws IOException {
    Path directory = temp.resolve("spill");
    try (Spill spill = Spills.open(directory, new Listened())) {
      for (int i = 0; i < RECORDS.length; i++) {
        byte[] bytes = RECORDS[i].getBytes(UTF_8);
        spill.append(bytes, bytes.length, EVENTS[i]);
      }
      Spill.Payload payload = new Spill.Payload();
      for (int i = 0; i < 2; i++) {
        Spill.Place place = spill.first();
        assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.OK);
        spill.mark(place, 1);
      }
    }
    assertThat(directory.resolve(NAME)).hasBinaryContent(golden());
  }

  @Test
  void shouldReadTheGoldenBytes() throws IOException {
    Path directory = Files.createDirectory(temp.resolve("spill"));
    Files.write(directory.resolve(NAME), golden());
    Listened listener = new Listened();
    try (Spill spill = Spills.open(directory, listener)) {
      assertThat(spill.events()).isEqualTo(2);
      Spill.Payload payload = new Spill.Payload();
      for (int i = 1; i < RECORDS.length; i++) {
        Spill.Place place = spill.first();
        assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.OK);
        assertThat(new String(payload.bytes, 0, payload.length, UTF_8)).isEqualTo(RECORDS[i]);
        assertThat(payload.events).isEqualTo(EVENTS[i]);
        assertThat(payload.done).isEqualTo(i == 1 ? 1 : 0);
        assertThat(payload.leftover).isTrue();
        spill.mark(place, payload.events);
      }
      assertThat(spill.first()).isNull();
    }
    assertThat(listener.losses).isEmpty();
    assertThat(directory).doesNotExist();
  }

  /** By the offsets of the package description alone. */
  @Test
  void shouldBeAsThePackageDescribes() throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(golden());
    assertThat(new String(bytes.array(), 0, 4, UTF_8)).isEqualTo("SPWS");
    assertThat(bytes.getInt(4)).as("version").isOne();
    assertThat(bytes.getLong(8)).as("run").isOne();
    assertThat(bytes.getLong(16)).as("first sequence").isZero();
    assertThat(bytes.getLong(24)).as("created").isEqualTo(1_764_000_000_000L);
    assertThat(bytes.getInt(32)).isEqualTo(crc(bytes, 0, 32));
    int first = RECORDS[0].getBytes(UTF_8).length;
    assertThat(bytes.getInt(48)).as("mark").isEqualTo(64 + 24 + first);
    assertThat(bytes.getInt(52)).as("delivered of the next").isOne();
    assertThat(bytes.getInt(56)).as("events before it").isOne();
    assertThat(bytes.getInt(60)).isEqualTo(crc(bytes, 48, 12));
    int at = 64;
    long sequence = 0;
    for (int i = 0; i < RECORDS.length; i++) {
      byte[] payload = RECORDS[i].getBytes(UTF_8);
      assertThat(bytes.getInt(at)).isEqualTo(payload.length);
      assertThat(bytes.getInt(at + 4)).isEqualTo(EVENTS[i]);
      assertThat(bytes.getLong(at + 8)).isEqualTo(sequence);
      assertThat(bytes.getInt(at + 16)).isEqualTo(crc(ByteBuffer.wrap(payload), 0, payload.length));
      assertThat(bytes.getInt(at + 20)).isEqualTo(saltedCrc(bytes, at));
      at += 24 + payload.length;
      sequence += EVENTS[i];
    }
    assertThat(bytes.getInt(at)).as("seal").isEqualTo(-1);
    assertThat(bytes.getInt(at + 4)).isEqualTo(4);
    assertThat(bytes.getLong(at + 8)).isEqualTo(4);
    assertThat(bytes.getInt(at + 20)).isEqualTo(saltedCrc(bytes, at));
    assertThat(bytes.capacity()).isEqualTo(at + 24);
  }

  private static int crc(ByteBuffer bytes, int from, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), from, length);
    return (int) crc.getValue();
  }

  private static int saltedCrc(ByteBuffer bytes, int at) {
    CRC32C crc = new CRC32C();
    crc.update(bytes.array(), 32, 4);
    crc.update(bytes.array(), at, 20);
    return (int) crc.getValue();
  }
}
