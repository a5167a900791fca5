package io.spillway.internal.spill;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the writer left in a directory: the files, and where in them each record is. The shapes
 * differ in the kind, the size of records, the number of runs, and in what was delivered, handed
 * over at a stop, set aside, or dropped to make room.
 */
final class SpillOriginal {

  static final String OWNER = "the fuzzer's appender\n";
  private static final int SHAPES = 16;
  private static final int TAGGED = 12; // from this shape on
  private static final int KEPT = 1;
  static final int DROPPABLE = 2;
  private static final long CAP = 1 << 20;

  /**
   * A record.
   *
   * @param file where it is
   * @param aside whether that is a file set aside
   * @param run the sequence number that its run began with
   * @param offset of its header
   * @param pending events that were not delivered; 0 if the cursor is behind it
   */
  record Written(
      String file,
      boolean aside,
      long run,
      int offset,
      byte[] payload,
      int events,
      int pending,
      long sequence) {
    int end() {
      return offset + SegmentFormat.RECORD_HEADER + payload.length;
    }
  }

  final SpillKind kind;
  final boolean tagged;
  long evicted; // events
  long unlinked; // events that were delivered since the older of the cursor's two entries
  final Map<String, byte[]> files = new TreeMap<>();
  final List<Written> records = new ArrayList<>();
  private final Random random;
  private int made;
  private long clock;

  private SpillOriginal(Path directory, int shape) throws IOException {
    random = new Random(shape);
    kind = shape % 3 == 2 ? SpillKind.EVENTS : SpillKind.BYTES;
    tagged = shape >= TAGGED;
    for (int run = 0; run <= shape % 4; run++) {
      run(directory, shape);
    }
    try (Stream<Path> paths = Files.list(directory)) {
      for (Path path : paths.toList()) {
        if (Files.isRegularFile(path) && !path.endsWith(SpillSlot.LOCK)) {
          files.put(path.getFileName().toString(), Files.readAllBytes(path));
        }
      }
    }
    locate(directory);
  }

  static List<SpillOriginal> all(Path directory) throws IOException {
    List<SpillOriginal> all = new ArrayList<>();
    for (int shape = 0; shape < SHAPES; shape++) {
      Path place = directory.resolve("original");
      all.add(new SpillOriginal(place, shape));
      SpillFuzzChild.remove(place);
    }
    return all;
  }

  SpillConfig config(Path directory) {
    return new SpillConfig(directory, CAP, kind, 0, OWNER, tagged);
  }

  /** Drops what may be dropped. */
  static class Dropping implements Spill.Evictor {
    @Override
    public void begin() {}

    @Override
    public boolean drop(SpillRecord record) {
      return record.tag() == DROPPABLE;
    }

    @Override
    public void end(boolean leftover) {}
  }

  private void run(Path directory, int shape) throws IOException {
    try (Spill spill =
        SpillTesting.open(
            config(directory), new SpillListener() {}, new Disk(), () -> clock += 1_000)) {
      int count = 4 + random.nextInt(shape % 2 == 0 ? 40 : 12);
      for (int i = 0; i < count; i++) {
        Spill.Payload next = payload(shape % 2 == 0 ? 3_000 : 40_000);
        if (spill.append(next) != Spill.Append.APPENDED) {
          break;
        }
      }
      for (int i = tagged ? random.nextInt(4) : 0; i > 0; i--) {
        spill.evict(new Dropping());
      }
      // Nothing before what is handed over: where to go on behind that is told there alone.
      for (int i = tagged && shape % 5 == 2 ? 0 : random.nextInt(3); i > 0; i--) {
        SpillRecord record = spill.read();
        if (record == null) {
          return;
        }
        spill.beforeDelivery(record);
        spill.delivered(record);
      }
      if (shape % 5 == 3) {
        setOneAside(spill);
      }
      if (shape % 5 == 1) {
        SpillRecord record = spill.read();
        if (record == null) {
          return;
        }
        spill.beforeDelivery(record);
        spill.deliveredPart(record, Math.max(record.skip(), record.events() / 2));
      }
      if (shape % 5 == 2) {
        spill.prepend(List.of(payload(500), payload(5_000)));
      }
    }
  }

  private void setOneAside(Spill spill) {
    for (int attempt = 0; attempt < 20; attempt++) {
      clock += 500_000_000;
      SpillRecord record = spill.read();
      if (attempt < 10) {
        spill.undelivered(record, record.skip());
      } else {
        spill.beforeDelivery(record);
        spill.delivered(record);
        return;
      }
    }
  }

  private Spill.Payload payload(int maxBytes) {
    int events = 1 + random.nextInt(5);
    byte[] bytes = kind == SpillKind.EVENTS ? run(events, maxBytes) : text(maxBytes);
    int tag = !tagged ? 0 : random.nextInt(3) == 0 ? KEPT : DROPPABLE;
    return new Spill.Payload(bytes, 0, bytes.length, events, tag);
  }

  private byte[] text(int maxBytes) {
    byte[] filler = new byte[random.nextInt(maxBytes)];
    random.nextBytes(filler);
    byte[] name = ("record " + made++ + ": ").getBytes(StandardCharsets.UTF_8);
    byte[] bytes = Arrays.copyOf(name, name.length + filler.length);
    System.arraycopy(filler, 0, bytes, name.length, filler.length);
    return bytes;
  }

  private byte[] run(int count, int maxBytes) {
    ILoggingEvent[] events = new ILoggingEvent[count];
    for (int i = 0; i < count; i++) {
      LoggingEvent event = new LoggingEvent();
      event.setLevel(Level.INFO);
      event.setLoggerName("fuzz");
      event.setThreadName("main");
      event.setMessage("event " + made++ + " {} " + "ж".repeat(random.nextInt(maxBytes / 10)));
      event.setArgumentArray(new Object[] {i, "text", 1.5, null});
      event.setMDCPropertyMap(Map.of("key", "value"));
      event.setTimeStamp(made);
      if (random.nextInt(3) == 0) {
        event.setThrowableProxy(new ThrowableProxy(new IOException("disk", new Error("cause"))));
      }
      events[i] = event;
    }
    EventCodec codec = new EventCodec();
    codec.encode(events, 0, count, EventCodec.Foreign.UNWATCHED, (index, cause) -> {});
    return Arrays.copyOf(codec.buffer(), codec.length());
  }

  private void locate(Path directory) throws IOException {
    Files.createDirectories(directory);
    Cursor.Position position = Cursor.peek(new Disk(), directory);
    for (String name : files.keySet()) {
      if (name.endsWith(SlotListing.SUFFIX) || name.endsWith(".aside")) {
        locate(name, position);
      }
    }
    long first = position == null ? 0 : position.sequence();
    for (Written written : records) {
      first = written.aside() ? first : Math.min(first, written.sequence());
    }
    unlinked = Math.max(0, first - olderSequence(directory, first));
  }

  /** Where one goes on without the newer entry. */
  private long olderSequence(Path directory, long none) throws IOException {
    byte[] cursor = files.get(Cursor.NAME);
    long older = none;
    for (int slot = 0; cursor != null && slot < cursor.length; slot += Cursor.FILE_BYTES / 2) {
      byte[] without = cursor.clone();
      Arrays.fill(without, slot, Math.min(without.length, slot + Cursor.FILE_BYTES / 2), (byte) 0);
      Files.write(directory.resolve(Cursor.NAME), without);
      Cursor.Position position = Cursor.peek(new Disk(), directory);
      older = position == null ? older : Math.min(older, position.sequence());
    }
    return older;
  }

  private void locate(String name, Cursor.Position position) {
    byte[] bytes = files.get(name);
    long number = Long.parseLong(name.substring(0, 16), 16);
    SegmentHeader header = SegmentHeader.decode(bytes, number);
    boolean aside = name.endsWith(".aside");
    int at = SegmentFormat.SEGMENT_HEADER;
    while (at < bytes.length) {
      RecordHeader record = RecordHeader.decode(bytes, at, header.salt(), at);
      int start = at + SegmentFormat.RECORD_HEADER;
      if (record.isEvicted()) {
        evicted += record.events();
        at = start;
        continue;
      }
      long done = 0;
      if (!aside
          && (position.segment() > number
              || position.segment() == number && position.offset() > at)) {
        done = record.events();
      } else if (!aside && position.segment() == number && position.offset() == at) {
        done = position.sequence() - record.sequence();
      } else if (aside) {
        done = Long.parseLong(name.split("\\.")[3], 16) - record.sequence();
      }
      records.add(
          new Written(
              name,
              aside,
              header.runSequence(),
              at,
              Arrays.copyOfRange(bytes, start, start + record.length()),
              record.events(),
              (int) (record.events() - done),
              record.sequence()));
      at = start + record.length();
    }
  }

  /** By what they hold, which differs for each. */
  Map<ByteBuffer, Integer> indexes() {
    Map<ByteBuffer, Integer> indexes = new java.util.HashMap<>();
    for (int i = 0; i < records.size(); i++) {
      indexes.put(ByteBuffer.wrap(records.get(i).payload()), i);
    }
    return indexes;
  }
}
