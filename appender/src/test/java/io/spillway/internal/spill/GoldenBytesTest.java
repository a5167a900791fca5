package io.spillway.internal.spill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.codec.GoldenEvents;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The files of format version 1 as they were once written, under {@code golden/1}: they are read,
 * and the writer writes the same, so that the two cannot drift together.
 *
 * <p>A version 2 gets files of its own beside them: {@code ./mvnw -pl appender test
 * -Dtest=GoldenBytesTest -Dspillway.test.golden.write=src/test/resources/golden/2}. Those of
 * version 1 are never written again.
 */
class GoldenBytesTest {
  private static final String VERSION = "/golden/1/";
  private static final String WRITE = System.getProperty("spillway.test.golden.write");
  private static final String SEGMENT = "0000000000000010.seg";
  private static final String DESCRIPTION = "description.txt";
  private static final String OWNER = "context=shop\nappender=AUDIT ж\n";
  private static final List<String> FILES = List.of(SEGMENT, Cursor.NAME, SpillSlot.OWNER);

  @TempDir Path temp;

  private static SpillConfig config(Path directory, SpillKind kind) {
    return new SpillConfig(directory, SpillTesting.CAP, kind, 0, OWNER);
  }

  private static Spill open(Path directory, SpillKind kind, SpillListener listener)
      throws IOException {
    return Spill.open(config(directory, kind), listener, new Disk(), () -> 0);
  }

  private static List<byte[]> payloads(SpillKind kind) {
    return kind == SpillKind.EVENTS
        ? List.of(
            GoldenEvents.encode(),
            GoldenEvents.encode(GoldenEvents.events()),
            GoldenEvents.encode(GoldenEvents.events()[1]))
        : List.of("first\n".getBytes(UTF_8), "ж 😀\nthird\n".getBytes(UTF_8), new byte[0]);
  }

  private static int events(SpillKind kind, int record) {
    return new int[][] {{0, 8, 1}, {1, 2, 0}}[kind.ordinal()][record];
  }

  /** Three records, the first of them delivered. */
  private Path written(SpillKind kind) throws IOException {
    Path directory = temp.resolve("written");
    try (Spill spill = open(directory, kind, new RecordingListener())) {
      for (int i = 0; i < 3; i++) {
        byte[] payload = payloads(kind).get(i);
        assertThat(spill.append(payload, 0, payload.length, events(kind, i)))
            .isEqualTo(Spill.Append.APPENDED);
      }
      SpillRecord first = spill.read();
      spill.beforeDelivery(first);
      spill.delivered(first);
    }
    if (WRITE != null) {
      Path to = Files.createDirectories(Path.of(WRITE, kind.name().toLowerCase()));
      for (String name : FILES) {
        Files.copy(directory.resolve(name), to.resolve(name));
      }
    }
    return directory;
  }

  private static byte[] golden(SpillKind kind, String name) throws IOException {
    return golden(kind.name().toLowerCase() + "/" + name);
  }

  private static byte[] golden(String name) throws IOException {
    if (WRITE != null) {
      return Files.readAllBytes(Path.of(WRITE, name));
    }
    try (InputStream in = GoldenBytesTest.class.getResourceAsStream(VERSION + name)) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldWriteAndReadTheGoldenFiles(SpillKind kind) throws Exception {
    Path written = written(kind);
    for (String name : List.of(Cursor.NAME, SpillSlot.OWNER)) {
      assertThat(Files.readAllBytes(written.resolve(name))).as(name).isEqualTo(golden(kind, name));
    }
    assertThat(withoutWhatDiffers(Files.readAllBytes(written.resolve(SEGMENT))))
        .isEqualTo(withoutWhatDiffers(golden(kind, SEGMENT)));

    Path directory = Files.createDirectory(temp.resolve("golden"));
    for (String name : FILES) {
      Files.write(directory.resolve(name), golden(kind, name));
    }
    RecordingListener listener = new RecordingListener();
    List<byte[]> read = new ArrayList<>();
    try (Spill spill = open(directory, kind, listener)) {
      for (SpillRecord record = spill.read(); record != null; record = spill.read()) {
        assertThat(record.events()).isEqualTo(events(kind, 1 + read.size()));
        assertThat(record.skip()).isZero();
        read.add(record.payload());
        spill.delivered(record);
      }
      assertThat(spill.directory()).as("its owner's").isEqualTo(directory.toRealPath());
    }
    assertThat(read).containsExactlyElementsOf(payloads(kind).subList(1, 3));
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.failures).isEmpty();
  }

  @Test
  void shouldReadTheEventsThatAreDescribed() throws Exception {
    byte[] payload =
        WRITE == null
            ? payload(golden(SpillKind.EVENTS, SEGMENT), 1)
            : payloads(SpillKind.EVENTS).get(1);
    String described = GoldenEvents.describe(GoldenEvents.decode(payload));
    if (WRITE != null) {
      Files.writeString(Path.of(WRITE, DESCRIPTION), described);
    }
    assertThat(described).isEqualTo(new String(golden(DESCRIPTION), UTF_8));
  }

  /** In the first segment of a run some fields are alike, so that no sample tells their places. */
  @Test
  void shouldHaveEachFieldOfTheSegmentHeaderInItsPlace() {
    SegmentHeader header =
        new SegmentHeader(SpillKind.BYTES, 0x11, 0x22, 0x44, 0x33, 0x55, 0x66, 0x77);
    assertThat(HexFormat.of().formatHex(header.encode(), 0, 68))
        .isEqualTo(
            "53504c4700010002"
                + "0000000000000011"
                + "0000000000000022"
                + "0000000000000044"
                + "0000000000000033"
                + "0000000000000055"
                + "0000000000000066"
                + "0000000000000077"
                + "00000000");
    assertThat(SegmentHeader.decode(header.encode(), 0x22)).isEqualTo(header);
  }

  private static byte[] payload(byte[] segment, int record) {
    long salt = SegmentHeader.decode(segment, SegmentFormat.NUMBER_STEP).salt();
    int at = SegmentFormat.SEGMENT_HEADER;
    for (int i = 0; i < record; i++) {
      at += SegmentFormat.RECORD_HEADER + RecordHeader.decode(segment, at, salt, at).length();
    }
    int start = at + SegmentFormat.RECORD_HEADER;
    return Arrays.copyOfRange(
        segment, start, start + RecordHeader.decode(segment, at, salt, at).length());
  }

  /**
   * The salt is random, the time of creation is the clock's, and each checksum of a segment depends
   * on one of them. Reading proves the checksums.
   */
  private static byte[] withoutWhatDiffers(byte[] segment) {
    byte[] bytes = segment.clone();
    long salt = SegmentHeader.decode(segment, SegmentFormat.NUMBER_STEP).salt();
    zero(bytes, 8, Long.BYTES);
    zero(bytes, 56, Long.BYTES);
    zero(bytes, 68, Integer.BYTES);
    for (int at = SegmentFormat.SEGMENT_HEADER; at < bytes.length; ) {
      int length = RecordHeader.decode(segment, at, salt, at).length();
      zero(bytes, at + 12, Integer.BYTES);
      zero(bytes, at + 28, Integer.BYTES);
      at += SegmentFormat.RECORD_HEADER + length;
    }
    return bytes;
  }

  private static void zero(byte[] bytes, int from, int length) {
    Arrays.fill(bytes, from, from + length, (byte) 0);
  }
}
