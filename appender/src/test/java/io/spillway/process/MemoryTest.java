package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Subject.Kind;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The heap is bounded: when everything is full, and at a start with a large backlog. */
@Timeout(1_800)
@Tag("slow")
class MemoryTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final long MIB = 1024 * 1024;
  private static final long SPILL_MIB = Long.getLong("spillway.test.spillMiB", FULL ? 1024 : 64);
  private static final long EVENT_BYTES = 1_000;
  private static final long LEFTOVER_EVENTS = SPILL_MIB * MIB * 3 / 2 / EVENT_BYTES;

  /** A wrapped event takes twice its text, which is in its arguments and its message. */
  private static final String ROOM_FOR_LEFTOVERS = 6 * SPILL_MIB + " MB";

  @TempDir Path directory;

  @ParameterizedTest
  @Tag("gate")
  @CsvSource({"WRAPPED, DROP", "WRAPPED, BLOCK", "OWN_FILE, DROP", "OWN_FILE, BLOCK"})
  void shouldMeetWhenFullInASmallHeapAndThenDeliverAllItAccepted(Kind kind, String whenFull)
      throws Exception {
    List<String> heap = List.of("-Xmx128m");
    try (Fork child =
        Fork.start(MemoryChild.class, heap, kind, directory, whenFull, SPILL_MIB + " MB")) {
      child.awaitEnd(0);

      assertThat(child.number("stopped")).isOne();
      assertThat(child.number("stuckdelivered")).as("before the gate opened").isZero();
      assertThat(child.number("spillbytes"))
          .isBetween((SPILL_MIB - 4) * MIB, (SPILL_MIB + 1) * MIB);
      assertThat(child.number("memorybytes")).isLessThanOrEqualTo(8 * MIB);
      long accepted = child.number("accepted");
      assertThat(child.number("delivered")).isEqualTo(accepted);
      assertThat(child.number("lost")).isZero();
      assertThat(child.number("logged")).isEqualTo(accepted + child.number("dropped"));
      assertThat(child.number("dropped")).isEqualTo(child.number("full"));
      if (whenFull.equals("DROP")) {
        assertThat(child.number("dropped")).isPositive();
        assertThat(child.number("blocked")).isZero();
      } else {
        assertThat(child.number("dropped")).isZero();
        assertThat(child.number("blocked")).isPositive();
      }
      assertLogFile(accepted);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("alone") // the long form measures the time of a start
  void shouldStartAtOnceAndInAFlatHeapWhateverTheBacklog(Kind kind) throws Exception {
    try (Fork child =
        Fork.start(
            MemoryChild.class,
            List.of("-Xmx128m"),
            kind,
            directory,
            "LEAVE",
            ROOM_FOR_LEFTOVERS,
            LEFTOVER_EVENTS)) {
      child.awaitEnd(0);
      assertThat(child.number("logged")).isEqualTo(LEFTOVER_EVENTS);
    }
    try (Fork child =
        Fork.start(
            MemoryChild.class,
            List.of("-Xmx64m"),
            kind,
            directory,
            "RECOVER",
            ROOM_FOR_LEFTOVERS)) {
      child.awaitEnd(0);

      assertThat(child.number("leftover")).isGreaterThan(LEFTOVER_EVENTS * EVENT_BYTES / 2);
      assertThat(child.number("startread"))
          .as("bytes read until started; classes are among them, the backlog is not")
          .isLessThan(LEFTOVER_EVENTS * EVENT_BYTES / 4);
      if (FULL) {
        assertThat(child.number("startmillis")).isLessThan(1_000);
      }
      assertThat(child.number("heap")).isLessThan(32 * MIB);
      assertThat(child.number("recovered")).isEqualTo(LEFTOVER_EVENTS);
      assertThat(child.number("stopped")).isOne();
    }
    assertLogFile(LEFTOVER_EVENTS);
    assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
  }

  private void assertLogFile(long events) throws Exception {
    long count = 0;
    long last = -1;
    try (BufferedReader reader = Files.newBufferedReader(directory.resolve("app.log"))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        long number = Long.parseLong(line.substring(0, line.indexOf(':')));
        assertThat(number).as("in order").isGreaterThan(last);
        last = number;
        count++;
      }
    }
    assertThat(count).isEqualTo(events);
    Files.delete(directory.resolve("app.log"));
  }
}
