package io.spillway.internal.spill;

import io.spillway.internal.codec.CodecException;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One directory that the writer left, damaged somehow, then read by the shipped reader. */
final class SpillFuzzCase {

  private static final int SALT = 8;
  private static final int SEQUENCE = 24;
  private static final int[] RECORD_FIELDS = {0, 4, 8, 12, 16, 20, 24, 28};
  private static final int[] SEGMENT_FIELDS = {0, 4, 8, 16, 24, 32, 40, 48, 56, 64, 68};
  private static final int VERSION_FIELD = 4;
  private static final int[] CURSOR_FIELDS = {0, 4, 8, 16, 24, 32, 40};
  private static final long[] EXTREMES = {
    Long.MIN_VALUE,
    -1,
    0,
    1,
    Integer.MAX_VALUE,
    1L + Integer.MAX_VALUE,
    SegmentFormat.MAX_NUMBER - 1,
    SegmentFormat.MAX_NUMBER,
    Long.MAX_VALUE
  };

  /** So often in a row nothing comes, although something is said to wait. */
  private static final int IDLE = 1_000;

  private final Random random;
  private final SpillOriginal original;
  private final Path directory;
  private final Map<String, byte[]> files;
  private final Map<String, Long> sparse = new TreeMap<>();
  private final Set<String> renamedAside = new HashSet<>();
  private final List<String> story = new ArrayList<>();
  private final Map<ByteBuffer, Integer> indexes;
  private final int[] delivered;
  private final BitSet deliveredRecords = new BitSet();
  private final Listener listener = new Listener();
  private boolean forged; // a checksum fits what the writer did not write
  private boolean forgedCursor;
  private boolean cursorTouched; // what was delivered before may come again, in order
  private boolean mayRepeat;
  private int lastIndex = -1;
  private long clock;

  private static final class Listener extends SpillListener {
    private static final Pattern DOUBTFUL = Pattern.compile(" segments: (\\d+) events before ");

    long lost;
    long doubtful; // lost, or delivered before a cursor that was saved late
    boolean unknown;
    boolean leftAlone;
    final List<String> told = new ArrayList<>();

    @Override
    public void recordsLost(long events, Path segment, String why, boolean leftover) {
      told.add(events + " lost in " + segment.getFileName() + ", " + why);
      require(events > 0, "a loss of " + events);
      lost = Math.addExact(lost, events);
      unknown |= why.contains("unknown");
    }

    @Override
    public void leftoversFound(int segments, long bytes) {
      require(bytes >= 0, "leftovers of " + bytes + " bytes");
    }

    @Override
    public void onFailure(String operation, Path path, IOException cause) {
      told.add(operation + " " + path + ": " + cause);
    }

    @Override
    public void warning(String topic, String message) {
      told.add(message);
      leftAlone |= message.contains("another owner");
      Matcher older = DOUBTFUL.matcher(message);
      doubtful += older.find() ? Long.parseLong(older.group(1)) : 0;
    }

    @Override
    public void notice(String topic, String message) {
      told.add(message);
      leftAlone |= message.contains("left alone");
    }
  }

  SpillFuzzCase(long seed, List<SpillOriginal> originals, Path directory) {
    random = new Random(seed);
    random.nextInt(); // seeds in a row begin alike
    original = originals.get(random.nextInt(originals.size()));
    this.directory = directory;
    files = new TreeMap<>(original.files);
    indexes = original.indexes();
    delivered = new int[original.records.size()];
  }

  long lostEvents() {
    return listener.lost;
  }

  @Override
  public String toString() {
    return story + ", told: " + listener.told;
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  void run() throws IOException {
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      damage();
    }
    Files.createDirectory(directory);
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      Path path = directory.resolve(file.getKey());
      Files.write(path, file.getValue());
      if (sparse.containsKey(file.getKey())) {
        try (RandomAccessFile open = new RandomAccessFile(path.toFile(), "rw")) {
          open.setLength(Math.max(open.length(), sparse.get(file.getKey())));
        }
      }
    }
    boolean readAtOnce = random.nextBoolean();
    try (Spill spill = open()) {
      if (random.nextInt(3) == 0) {
        drain(spill, random.nextInt(10)); // the rest is the next one's
      }
    }
    try (Spill spill = open()) {
      drain(spill, Integer.MAX_VALUE);
      require(spill.isEmpty(), "not empty after all was read");
      require(spill.waitingBytes() == 0, "waiting " + spill.waitingBytes());
      require(spill.setAsideEvents() == 0, "set aside " + spill.setAsideEvents());
      goOn(spill, readAtOnce);
    }
    if (!readAtOnce) {
      try (Spill spill = open()) {
        readNew(spill);
      }
    }
    account();
  }

  private Spill open() throws IOException {
    return SpillTesting.open(
        original.config(directory), listener, new Disk(), () -> clock += 1_000);
  }

  /** What is spilled after all that comes back. */
  private void goOn(Spill spill, boolean readAtOnce) {
    for (int i = 0; i < 3; i++) {
      byte[] bytes = ("new " + i).getBytes(StandardCharsets.UTF_8);
      Spill.Append result = spill.append(SpillTesting.payload(bytes, 1));
      require(
          result == Spill.Append.APPENDED || result == Spill.Append.FULL && !sparse.isEmpty(),
          "append: " + result);
    }
    if (readAtOnce) {
      readNew(spill);
    }
  }

  private void readNew(Spill spill) {
    for (int i = 0; i < 3 && sparse.isEmpty(); i++) {
      SpillRecord record = null;
      for (int idle = 0; record == null && idle < IDLE; idle++) {
        record = spill.read();
        clock += TimeUnit.MILLISECONDS.toNanos(100);
      }
      require(record != null, "what was spilled later is gone");
      String text = new String(record.payload(), StandardCharsets.UTF_8);
      require(text.equals("new " + i) && record.skip() == 0, "instead of new " + i + ": " + text);
      spill.delivered(record);
    }
  }

  private void drain(Spill spill, int max) throws IOException {
    int idle = 0;
    int quiet = 0;
    for (int read = 0; read < max; ) {
      if (original.tagged && random.nextInt(20) == 0) {
        spill.evict(new Dropping());
      }
      SpillRecord record = spill.read();
      boolean aside = record == null && spill.isEmpty();
      if (aside) {
        record = spill.readSetAside();
      }
      if (record != null) {
        idle = 0;
        quiet = 0;
        read++;
        take(record, aside);
        spill.beforeDelivery(record);
        spill.delivered(record);
        continue;
      }
      spill.maintain();
      clock += TimeUnit.MILLISECONDS.toNanos(aside ? 31_000 : 300);
      if (aside && (++quiet > 20 || !hasAsides())) {
        return;
      }
      require(++idle < IDLE, "no end");
    }
  }

  /** What makes room is as good as delivered. */
  private final class Dropping extends SpillOriginal.Dropping {
    private final List<Integer> chosen = new ArrayList<>();

    @Override
    public void begin() {
      chosen.clear();
    }

    @Override
    public boolean drop(SpillRecord record) {
      Integer index = indexes.get(ByteBuffer.wrap(record.payload()));
      require(index != null, "a record that was never written, to be dropped");
      boolean drops = super.drop(record);
      if (drops) {
        chosen.add(index);
      }
      return drops;
    }

    @Override
    public void end(boolean leftover) {
      story.add("dropped " + chosen);
      for (int index : chosen) {
        require(
            mayRepeat || !deliveredRecords.get(index), index + " is dropped, and was delivered");
        deliveredRecords.set(index);
        delivered[index] = original.records.get(index).pending();
      }
    }
  }

  private boolean hasAsides() throws IOException {
    try (Stream<Path> paths = Files.list(directory)) {
      return paths.anyMatch(path -> path.toString().endsWith(".aside"));
    }
  }

  private void take(SpillRecord record, boolean aside) {
    Integer index = indexes.get(ByteBuffer.wrap(record.payload()));
    require(index != null, "a record that was never written");
    SpillOriginal.Written written = original.records.get(index);
    require(forged || record.events() == written.events(), "another number of events");
    if (original.kind == SpillKind.EVENTS) {
      try {
        require(
            EventCodec.decode(record.payload()).length == written.events(), "events in a payload");
      } catch (CodecException e) {
        throw new AssertionError(e);
      }
    }
    if (!mayRepeat) {
      boolean alsoInItsSegment = written.aside() && cursorTouched;
      require(alsoInItsSegment || !deliveredRecords.get(index), "record " + index + " comes twice");
      require(aside || written.aside() || index > lastIndex, index + " after " + lastIndex);
    }
    if (!mayRepeat && !cursorTouched) {
      require(written.pending() > 0, "record " + index + " had been delivered");
      require(record.events() - record.skip() <= written.pending(), "delivered events of " + index);
    }
    if (!aside && !written.aside()) {
      lastIndex = index;
    }
    deliveredRecords.set(index);
    int now =
        forged && record.skip() == 0
            ? written.pending()
            : Math.min(written.pending(), record.events() - record.skip());
    delivered[index] = Math.max(delivered[index], now);
  }

  private void account() {
    if (forgedCursor || listener.leftAlone) {
      return;
    }
    long missing = 0;
    for (int i = 0; i < delivered.length; i++) {
      SpillOriginal.Written written = original.records.get(i);
      missing += written.pending() - delivered[i];
      require(
          !isIntact(written) || delivered[i] == written.pending() || forged && listener.lost > 0,
          "record " + i + " is intact and was not delivered: " + delivered[i] + " of " + written);
    }
    // What a forged header says of its own events cannot be checked against anything.
    require(
        mayRepeat
            || forged
            || missing <= listener.lost + listener.doubtful + uncountable()
            || listener.unknown,
        missing
            + " missing, "
            + listener.lost
            + " told, uncountable "
            + uncountable()
            + ", the records: "
            + missingRecords());
    require(
        listener.lost <= missing + original.evicted + (cursorTouched ? deliveredBefore() : 0)
            || listener.unknown
            || forged
            || mayRepeat,
        missing + " missing, but told " + listener.lost);
  }

  /** Without a cursor they are lost if they cannot be read. */
  private long deliveredBefore() {
    long events = original.unlinked;
    for (SpillOriginal.Written written : original.records) {
      events += written.events() - written.pending();
    }
    return events;
  }

  private List<String> missingRecords() {
    List<String> missing = new ArrayList<>();
    for (int i = 0; i < delivered.length; i++) {
      SpillOriginal.Written written = original.records.get(i);
      if (delivered[i] < written.pending()) {
        missing.add(i + ": " + delivered[i] + " of " + written);
      }
    }
    return missing;
  }

  private boolean isIntact(SpillOriginal.Written written) {
    byte[] now = files.get(written.file());
    byte[] then = original.files.get(written.file());
    return now != null
        && now.length >= written.end()
        && Arrays.equals(
            now, 0, SegmentFormat.SEGMENT_HEADER, then, 0, SegmentFormat.SEGMENT_HEADER)
        && Arrays.equals(
            now, written.offset(), written.end(), then, written.offset(), written.end());
  }

  /**
   * Events at the end of a run that are gone as if they had never reached the disk, and without a
   * cursor the first ones.
   */
  private long uncountable() {
    long all = cursorTouched ? missingFirst() : 0;
    long suffix = 0;
    long torn = 0;
    for (int i = delivered.length - 1; i >= 0; i--) {
      SpillOriginal.Written written = original.records.get(i);
      if (written.aside()) {
        all += files.containsKey(written.file()) ? 0 : written.pending() - delivered[i];
        continue;
      }
      boolean lastOfRun =
          i == delivered.length - 1 || original.records.get(i + 1).run() != written.run();
      if (lastOfRun) {
        all += torn;
        suffix = 0;
        torn = 0;
      }
      if (suffix >= 0 && !deliveredRecords.get(i)) {
        suffix += written.pending();
        torn = looksTorn(written) ? suffix : torn;
      } else {
        suffix = -1;
      }
    }
    return all + torn;
  }

  private long missingFirst() {
    long events = 0;
    for (int i = 0; i < delivered.length; i++) {
      if (original.records.get(i).aside()) {
        continue; // not in the order of the others
      }
      if (deliveredRecords.get(i)) {
        break;
      }
      events += original.records.get(i).pending();
    }
    return events;
  }

  private boolean looksTorn(SpillOriginal.Written written) {
    byte[] now = files.get(written.file());
    if (renamedAside.contains(written.file()) || now == null || now.length < written.end()) {
      return true;
    }
    for (int i = 0; i < SegmentFormat.RECORD_HEADER; i++) {
      if (now[written.offset() + i] != 0) {
        return false;
      }
    }
    return true;
  }

  private void damage() {
    if (files.isEmpty()) {
      return;
    }
    String name = anyName();
    byte[] bytes = files.get(name);
    int kind = random.nextInt(18);
    story.add(kind + " " + name);
    cursorTouched |= name.equals(Cursor.NAME);
    switch (kind) {
      case 0 -> files.put(name, flipped(bytes));
      case 1 -> files.put(name, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
      case 2 -> files.put(name, zeroed(bytes));
      case 3 -> files.put(name, joined(bytes, bytes.length, garbage(), bytes.length));
      case 4 -> files.put(name, spliced(bytes));
      case 5, 6 -> extreme(name, bytes.clone(), false);
      case 7, 8 -> extreme(name, bytes.clone(), true);
      case 9 -> swap(name, anyName());
      case 10 -> repeat(name);
      case 11 -> files.remove(name);
      case 12 -> files.put(name, overwritten(bytes));
      case 13 -> {
        int from = random.nextInt(bytes.length + 1);
        int to = from + random.nextInt(Math.min(200, bytes.length + 1 - from));
        files.put(name, joined(bytes, from, new byte[0], to));
      }
      case 14 -> {
        int at = random.nextInt(bytes.length + 1);
        files.put(name, joined(bytes, at, garbage(), at));
      }
      case 15 -> {
        if (random.nextInt(10) == 0) {
          sparse.put(name, (50L + random.nextInt(200)) << 20);
        }
      }
      case 16 -> files.put(name, nested(name, bytes));
      default -> rename(name);
    }
  }

  private String anyName() {
    List<String> names = List.copyOf(files.keySet());
    return names.get(random.nextInt(names.size()));
  }

  private byte[] flipped(byte[] bytes) {
    byte[] flipped = bytes.clone();
    for (int i = random.nextInt(8); i >= 0 && bytes.length > 0; i--) {
      flipped[place(bytes)] ^= (byte) (1 << random.nextInt(8));
    }
    return flipped;
  }

  /** Headers are few among the bytes, so that they get their share. */
  private int place(byte[] bytes) {
    int bound = random.nextBoolean() ? Math.min(bytes.length, 200) : bytes.length;
    return random.nextInt(bound);
  }

  private byte[] zeroed(byte[] bytes) {
    byte[] zeroed = bytes.clone();
    int page = random.nextBoolean() ? 512 : 1;
    int from = random.nextInt(bytes.length + 1) / page * page;
    int to =
        random.nextBoolean()
            ? bytes.length
            : Math.min(bytes.length, from + (1 + random.nextInt(4)) * Math.max(8, page));
    Arrays.fill(zeroed, from, to, (byte) 0);
    return zeroed;
  }

  private byte[] garbage() {
    byte[] garbage = new byte[random.nextInt(random.nextInt(10) == 0 ? 200_000 : 300)];
    switch (random.nextInt(3)) {
      case 0 -> random.nextBytes(garbage);
      case 1 -> {
        byte[] magic = "SPLR".getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < garbage.length; i++) {
          garbage[i] = magic[i % magic.length];
        }
      }
      default -> {
        byte[] other = original.files.get(List.copyOf(original.files.keySet()).get(0));
        garbage = Arrays.copyOf(other, Math.min(garbage.length, other.length));
      }
    }
    return garbage;
  }

  private static byte[] joined(byte[] bytes, int to, byte[] inserted, int from) {
    byte[] joined = Arrays.copyOf(bytes, to + inserted.length + bytes.length - from);
    System.arraycopy(inserted, 0, joined, to, inserted.length);
    System.arraycopy(bytes, from, joined, to + inserted.length, bytes.length - from);
    return joined;
  }

  private byte[] spliced(byte[] bytes) {
    SpillOriginal.Written from = anyRecord();
    byte[] source = original.files.get(from.file());
    byte[] record = Arrays.copyOfRange(source, from.offset(), from.end());
    SpillOriginal.Written at = anyRecord();
    int to = Math.min(at.offset(), bytes.length);
    return joined(bytes, to, record, random.nextBoolean() ? to : Math.min(at.end(), bytes.length));
  }

  private SpillOriginal.Written anyRecord() {
    return original.records.get(random.nextInt(original.records.size()));
  }

  private byte[] overwritten(byte[] bytes) {
    byte[] overwritten = bytes.clone();
    int from = bytes.length == 0 ? 0 : place(bytes);
    byte[] garbage = garbage();
    System.arraycopy(garbage, 0, overwritten, from, Math.min(garbage.length, bytes.length - from));
    return overwritten;
  }

  /** A number that no writer writes, with its checksum as it was or right. */
  private void extreme(String name, byte[] bytes, boolean checksum) {
    long value =
        random.nextInt(4) == 0 ? random.nextLong() : EXTREMES[random.nextInt(EXTREMES.length)];
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (name.equals(Cursor.NAME)) {
      int slot = bytes.length < Cursor.FILE_BYTES ? 0 : random.nextInt(2) * Cursor.FILE_BYTES / 2;
      if (bytes.length >= Cursor.FILE_BYTES / 2) {
        put(buffer, slot + CURSOR_FIELDS[random.nextInt(CURSOR_FIELDS.length)], value, 60 + slot);
        if (checksum) {
          forged = true;
          forgedCursor = true;
          mayRepeat = true;
          buffer.putInt(slot + 60, SegmentFormat.crc(bytes, slot, 60));
        }
      }
    } else if (name.contains(SlotListing.SUFFIX) && bytes.length > SegmentFormat.SEGMENT_HEADER) {
      if (random.nextInt(3) == 0) {
        int field = SEGMENT_FIELDS[random.nextInt(SEGMENT_FIELDS.length)];
        story.add(value + " at " + field);
        put(buffer, field, value, 68);
        boolean later = buffer.getShort(VERSION_FIELD) > SegmentFormat.VERSION_TAGGED;
        if (checksum
            && field != VERSION_FIELD
            && !later) { // else it would wait for a later version, rightly
          forge();
          buffer.putInt(68, SegmentFormat.crc(bytes, 0, 68));
        }
      } else {
        extremeRecord(name, bytes, buffer, value, checksum);
      }
    }
    files.put(name, bytes);
  }

  private void extremeRecord(
      String name, byte[] bytes, ByteBuffer buffer, long value, boolean checksum) {
    List<SpillOriginal.Written> here =
        original.records.stream().filter(written -> written.file().equals(name)).toList();
    if (here.isEmpty()) {
      return;
    }
    int at = here.get(random.nextInt(here.size())).offset();
    if (bytes.length - at < SegmentFormat.RECORD_HEADER) {
      return;
    }
    int field = RECORD_FIELDS[random.nextInt(RECORD_FIELDS.length)];
    story.add(value + " at " + field + " of the record at " + at);
    put(buffer, at + field, value, at + 28);
    if (checksum) {
      forge();
      long salt = buffer.getLong(SALT);
      java.util.zip.CRC32C crc = SegmentFormat.salted(salt);
      crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, at));
      crc.update(bytes, at, 28);
      buffer.putInt(at + 28, (int) crc.getValue());
    }
  }

  /** Headers that fit, of records that do not, many of which claim the same bytes. */
  private byte[] nested(String name, byte[] bytes) {
    int room = bytes.length - SegmentFormat.SEGMENT_HEADER - SegmentFormat.RECORD_HEADER;
    if (!name.contains(SlotListing.SUFFIX) || room <= 0) {
      return bytes;
    }
    forge();
    byte[] nested = bytes.clone();
    ByteBuffer header = ByteBuffer.wrap(bytes);
    int at = SegmentFormat.SEGMENT_HEADER + random.nextInt(room);
    int headers = 1 + random.nextInt((bytes.length - at) / SegmentFormat.RECORD_HEADER);
    for (int i = 0; i < headers; i++, at += SegmentFormat.RECORD_HEADER) {
      long sequence = header.getLong(SEQUENCE) + random.nextInt(100);
      new SegmentFormat.RecordHeader(
              random.nextInt(bytes.length - at), random.nextInt(3), sequence, 0, 0)
          .encode(nested, at, header.getLong(SALT), at);
    }
    return nested;
  }

  private void forge() {
    forged = true;
    mayRepeat = true;
  }

  private void put(ByteBuffer buffer, int at, long value, int end) {
    if (random.nextBoolean() && at + Long.BYTES <= end) {
      buffer.putLong(at, value);
    } else {
      buffer.putInt(at, (int) value);
    }
  }

  private void swap(String first, String second) {
    story.add("with " + second);
    byte[] bytes = files.get(first);
    files.put(first, files.get(second));
    files.put(second, bytes);
    cursorTouched |= second.equals(Cursor.NAME);
    mayRepeat |= first.endsWith(".aside") || second.endsWith(".aside");
  }

  private void repeat(String name) {
    String[] names = {
      "0000000000000011.seg",
      "00000000000000f0.seg",
      "0000000000000001.seg",
      "0.seg",
      "3fffffffffffffff.seg",
      "1ffffffffffffff0.seg",
      "owner",
      "cursor",
      "1",
      "x.aside",
      "0000000000000030.seg.corrupt",
      "0000000000000030.seg.sync",
      "0000000000000030.seg.part",
      "0000000000000030.seg.48.0.aside",
      "0000000000000010.seg.fffffffffffffff.0.aside",
      "0000000000000020.seg.48.ffffffffffffffff.aside",
      "0000000000000020.seg.0.1.aside"
    };
    String copy = names[random.nextInt(names.length)];
    story.add("as " + copy);
    files.put(copy, files.get(name));
    mayRepeat = true;
  }

  /** As the reader does with a segment that cannot be read now. */
  private void rename(String name) {
    if (name.endsWith(SlotListing.SUFFIX)) {
      List<SpillOriginal.Written> here =
          original.records.stream()
              .filter(written -> written.file().equals(name) && written.pending() > 0)
              .toList();
      if (here.isEmpty() || here.get(0).pending() < here.get(0).events()) {
        return;
      }
      SpillOriginal.Written first = here.get(0);
      byte[] bytes = files.remove(name);
      renamedAside.add(name);
      files.put(String.format("%s.%x.%x.aside", name, first.offset(), first.sequence()), bytes);
    }
  }
}
