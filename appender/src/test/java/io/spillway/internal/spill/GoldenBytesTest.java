package io.spillway.internal.spill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.codec.GoldenEvents;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.sink.Tally;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The files of each format version as they were once written, under {@code golden}: they are read,
 * and the writer writes the same, so that the two cannot drift together. Version 2 is written when
 * events may make room.
 *
 * <p>A version 3 gets files of its own beside them. Those of a version are never written again.
 */
class GoldenBytesTest {
  private static final String VERSION = "/golden/1/";
  private static final String VERSION_2 = "/golden/2/";
  private static final String SEGMENT = "0000000000000010.seg";
  private static final String ONE_MARKER =
      "one-marker.seg"; // for what made room; now there are two
  private static final String DESCRIPTION = "description.txt";
  private static final String OWNER = "context=shop\nappender=AUDIT ж\n";
  private static final List<String> FILES = List.of(SEGMENT, Cursor.NAME, SpillSlot.OWNER);

  @TempDir Path temp;

  private static SpillConfig config(Path directory, SpillKind kind) {
    return new SpillConfig(directory, SpillTesting.CAP, kind, 0, OWNER, false);
  }

  private static Spill open(Path directory, SpillKind kind, SpillListener listener)
      throws IOException {
    return SpillTesting.open(config(directory, kind), listener, new Disk(), () -> 0);
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
        assertThat(spill.append(SpillTesting.payload(payload, events(kind, i))))
            .isEqualTo(Spill.Append.APPENDED);
      }
      SpillRecord first = spill.read();
      spill.beforeDelivery(first);
      spill.delivered(first);
    }
    return directory;
  }

  private static byte[] golden(SpillKind kind, String name) throws IOException {
    return golden(VERSION + kind.name().toLowerCase() + "/" + name);
  }

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = GoldenBytesTest.class.getResourceAsStream(name)) {
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
    byte[] payload = payload(golden(SpillKind.EVENTS, SEGMENT), 1);
    String described = GoldenEvents.describe(GoldenEvents.decode(payload));
    assertThat(described).isEqualTo(new String(golden(VERSION + DESCRIPTION), UTF_8));
  }

  /** Levels and age of some events, behind their text. */
  private static Spill.Payload tallied(String text, int... levels) {
    Tally tally = new Tally(1_700_000_000_123L, levels);
    byte[] bytes = text.getBytes(UTF_8);
    byte[] both = tally.behind(bytes, bytes.length);
    return new Spill.Payload(both, 0, both.length, IntStream.of(levels).sum(), Tally.BYTES);
  }

  private static final class DropSecond implements Spill.Evictor {
    @Override
    public void begin() {}

    @Override
    public boolean drop(SpillRecord record) {
      return record.events() == 3;
    }

    @Override
    public void end(boolean leftover) {}
  }

  /** Three records, of which the second has made room and the first is delivered. */
  @Test
  void shouldWriteAndReadTheGoldenFilesOfVersion2() throws Exception {
    List<Spill.Payload> payloads =
        List.of(
            tallied("first\nж 😀\n", 0, 1, 1, 0, 0),
            tallied("a\nb\nc\n", 1, 1, 1, 0, 0),
            tallied("warning\n", 0, 0, 0, 1, 0));
    Path written = temp.resolve("written");
    SpillConfig tagged =
        new SpillConfig(written, SpillTesting.CAP, SpillKind.BYTES, 0, OWNER, true);
    try (Spill spill = SpillTesting.open(tagged, new RecordingListener(), new Disk(), () -> 0)) {
      for (Spill.Payload payload : payloads) {
        assertThat(spill.append(payload)).isEqualTo(Spill.Append.APPENDED);
      }
      assertThat(spill.evict(new DropSecond())).isTrue();
      SpillRecord first = spill.read();
      spill.beforeDelivery(first);
      spill.delivered(first);
    }
    assertThat(Files.readAllBytes(written.resolve(Cursor.NAME)))
        .isEqualTo(golden(VERSION_2 + Cursor.NAME));
    assertThat(withoutWhatDiffers(Files.readAllBytes(written.resolve(SEGMENT))))
        .isEqualTo(withoutWhatDiffers(golden(VERSION_2 + SEGMENT)));
    readVersion2(SEGMENT);
    readVersion2(ONE_MARKER);
  }

  private void readVersion2(String segment) throws IOException {
    Path directory = Files.createDirectory(temp.resolve("golden-" + segment));
    Files.write(directory.resolve(SEGMENT), golden(VERSION_2 + segment));
    Files.write(directory.resolve(Cursor.NAME), golden(VERSION_2 + Cursor.NAME));
    RecordingListener listener = new RecordingListener();
    try (Spill spill = open(directory, SpillKind.BYTES, listener)) {
      SpillRecord last = spill.read();
      assertThat(last.events()).isEqualTo(1);
      assertThat(last.tag()).isEqualTo(Tally.BYTES);
      assertThat(last.payload()).startsWith("warning\n".getBytes(UTF_8));
      Tally tally = Tally.read(last.payload(), 1);
      assertThat(tally.newestMillis()).isEqualTo(1_700_000_000_123L);
      assertThat(tally.levels()).containsExactly(0, 0, 0, 1, 0);
      spill.delivered(last);
      assertThat(spill.read()).isNull();
    }
    assertThat(listener.lost).hasValue(0);
  }

  /** In the first segment of a run some fields are alike, so that no sample tells their places. */
  @Test
  void shouldHaveEachFieldOfTheSegmentHeaderInItsPlace() {
    SegmentHeader header =
        new SegmentHeader(SpillKind.BYTES, 0x11, 0x22, 0x44, 0x33, 0x55, 0x66, 0x77, 0, false);
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
