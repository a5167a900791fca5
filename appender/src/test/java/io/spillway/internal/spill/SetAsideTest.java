package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.append;
import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.config;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.open;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.text;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What cannot be read or delivered now holds up nobody, and is not lost. */
@Tag("shared")
class SetAsideTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path temp;
  private final AtomicLong clock = new AtomicLong();
  private final RecordingListener listener = new RecordingListener();

  private static List<String> deliverSetAside(Spill spill) {
    List<String> texts = new ArrayList<>();
    for (SpillRecord next = spill.readSetAside(); next != null; next = spill.readSetAside()) {
      texts.add(text(next));
      spill.delivered(next);
    }
    return texts;
  }

  private static List<Path> asides(Path directory) throws Exception {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(path -> path.toString().endsWith(".aside")).toList();
    }
  }

  private void failToDeliver(Spill spill, String expected) {
    for (int attempt = 0; attempt < 8; attempt++) {
      SpillRecord record = spill.read();
      assertThat(text(record)).as("attempt %d", attempt).isEqualTo(expected);
      spill.undelivered(record, record.skip());
      clock.addAndGet(SECOND / 4);
    }
  }

  @Test
  void shouldTryARecordAgainAndThenDeliverTheOthersWithoutLosingIt() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = Spill.open(config(directory), listener, new RealSpillFiles(), clock::get)) {
      appendAll(spill, texts(0, 10));
      assertThat(deliver(spill, 3)).isEqualTo(texts(0, 3));
      failToDeliver(spill, "event-3");
      assertThat(deliverAll(spill)).isEqualTo(texts(4, 10));
      assertThat(spill.isEmpty()).isTrue();
      assertThat(spill.pendingEvents()).isOne();
      assertThat(spill.setAsideEvents()).isOne();
      assertThat(spill.readSetAside()).as("not at once").isNull();
      clock.addAndGet(40 * SECOND);
      SpillRecord again = spill.readSetAside();
      assertThat(text(again)).isEqualTo("event-3");
      assertThat(again.leftover()).isFalse();
      spill.undelivered(again, 0);
      assertThat(spill.readSetAside()).isNull();
    }
    assertThat(asides(directory)).hasSize(1);
    try (Spill next = open(directory, listener)) {
      assertThat(deliverAll(next)).isEmpty();
      assertThat(deliverSetAside(next)).containsExactly("event-3");
      assertThat(next.bytes()).isZero();
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.warnings).hasSize(1);
  }

  @Test
  void shouldDeliverInThisRunWhatItSetAsideOnceThatWorks() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = Spill.open(config(directory), listener, new RealSpillFiles(), clock::get)) {
      appendAll(spill, texts(0, 2));
      failToDeliver(spill, "event-0");
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 2));
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("event-0");
      assertThat(spill.pendingEvents()).isZero();
      assertThat(spill.setAsideEvents()).isZero();
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldGoOnBehindALeftoverThatCannotBeReadAndReadItWhenItCan() throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig small = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0);
    String padding = "x".repeat(40_000);
    try (Spill spill = Spill.open(small, listener)) {
      for (int i = 0; i < 3; i++) {
        append(spill, i + padding);
      }
    }
    assertThat(segments(directory)).hasSize(3);
    FaultySpillFiles files = new FaultySpillFiles();
    try (Spill spill = Spill.open(small, listener, files, clock::get)) {
      files.unreadable = segments(directory).get(1).getFileName().toString();
      appendAll(spill, texts(0, 2));
      List<String> delivered = new ArrayList<>();
      for (int turn = 0; turn < 10; turn++) {
        deliverAll(spill).forEach(text -> delivered.add(text.replace(padding, "")));
        clock.addAndGet(SECOND / 4);
      }
      assertThat(delivered).containsExactly("0", "2", "event-0", "event-1");
      assertThat(spill.isEmpty()).isTrue();
      assertThat(asides(directory)).hasSize(1);
      files.heal();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("1" + padding);
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldNotSearchASparseLeftoverToItsEndBeforeAnythingElse() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    try (RandomAccessFile file = new RandomAccessFile(segments(directory).get(0).toFile(), "rw")) {
      file.setLength(20L << 30);
    }
    SpillConfig large = new SpillConfig(directory, 1 << 30, SpillKind.BYTES, 0);
    FaultySpillFiles files = new FaultySpillFiles();
    try (Spill spill = Spill.open(large, listener, files, clock::get)) {
      List<String> delivered = new ArrayList<>(deliverAll(spill));
      appendAll(spill, texts(3, 6));
      delivered.addAll(deliverAll(spill));
      assertThat(delivered).isEqualTo(texts(0, 6));
      assertThat(files.bytesRead).hasValueLessThan(100L << 20);
      assertThat(append(spill, "more")).isEqualTo(Spill.Append.APPENDED);
    }
    assertThat(listener.lost).hasValue(0);
  }
}
