package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.rolling.RollingRig.Host;
import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the clock does, nothing is overwritten or out of order, and rollover goes on. */
@Tag("slow")
@Timeout(600)
class ClockStepsTest {
  private static final int JUMPS =
      Integer.getInteger(
          "spillway.test.jumps", Boolean.getBoolean("spillway.test.full") ? 100_000 : 10_000);
  private static final long HOUR = 3_600_000;
  private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
  private static final Pattern NAME =
      Pattern.compile("app\\.(\\d{4}-\\d\\d-\\d\\d)_(\\d\\d)(?:\\.(\\d+))?\\.log(?:\\.(\\d+))?");

  @TempDir(factory = InMemory.class)
  Path directory;

  private long now;
  private int logged;
  private TimeBasedRollingPolicy<ILoggingEvent> policy;
  private RollingRig rig;

  @ParameterizedTest(name = "%i {0}, <file> {1}")
  @Tag("gate")
  @CsvSource({"false, true", "false, false", "true, true", "true, false"})
  void shouldNeverOverwriteOrReorderWhenTheClockJumpsByUpToAnHour(boolean sized, boolean withFile)
      throws IOException {
    Random random = new Random(sized ? 7 : 8);
    now = Instant.parse("2026-03-28T12:00:00Z").toEpochMilli();
    String pattern = sized ? "app.%d{yyyy-MM-dd_HH, UTC}.%i.log" : "app.%d{yyyy-MM-dd_HH, UTC}.log";
    start(pattern, sized, withFile);
    for (int jump = 0; jump < JUMPS; jump++) {
      now += random.nextLong(-HOUR, HOUR + 1);
      log();
      if (random.nextInt(2_000) == 0) {
        rig.close(); // what was remembered is forgotten
        if (withFile) {
          Files.setLastModifiedTime(directory.resolve("logs/app.log"), FileTime.fromMillis(now));
          now += random.nextLong(-HOUR, HOUR + 1);
        }
        start(pattern, sized, withFile);
      }
    }
    rig.close();
    Map<String, List<Integer>> files = assertEveryEventOnce();
    assertThat(files).as("files").hasSizeGreaterThan(sized || withFile ? JUMPS / 50 : JUMPS / 500);
    assertPeriods();
    if (sized || withFile) { // else the file of a period is written on when it is entered again
      assertAscending(files);
    }
  }

  @Test
  @Tag("gate")
  void shouldRollOverOnceAnHourWhenClocksAreSet() {
    assertThat(hoursOf(ZonedDateTime.of(2026, 3, 29, 0, 0, 0, 0, BERLIN)))
        .containsExactly("00", "01", "03", "04", "05", "06");
    assertThat(hoursOf(ZonedDateTime.of(2026, 10, 25, 0, 0, 0, 0, BERLIN)))
        .containsExactly("00", "01", "02", "03", "04");
  }

  private TreeSet<String> hoursOf(ZonedDateTime from) {
    now = from.toInstant().toEpochMilli();
    start("app.%d{yyyy-MM-dd_HH, Europe/Berlin}.log", false, false);
    for (int i = 0; i < 36; i++) {
      log();
      now += HOUR / 6;
    }
    rig.close();
    TreeSet<String> hours = new TreeSet<>();
    for (String name : assertEveryEventOnce().keySet()) {
      Matcher matcher = NAME.matcher(name);
      assertThat(matcher.matches()).as(name).isTrue();
      if (name.contains(from.toLocalDate().toString())) {
        hours.add(matcher.group(2));
      }
    }
    return hours;
  }

  /** On Lord Howe Island half an hour comes twice, so that one hour's name does, too. */
  @Test
  void shouldKeepOneFileForAnHourThatIsContinuedWhenClocksAreSet() {
    now = Instant.parse("2026-04-04T13:00:00Z").toEpochMilli();
    start("app.%d{yyyy-MM-dd_HH, Australia/Lord_Howe}.log", false, true);
    for (int i = 0; i < 5 * 12; i++) {
      log();
      now += HOUR / 12;
    }
    rig.close();
    assertThat(assertEveryEventOnce().keySet())
        .containsExactly(
            "app.2026-04-05_00.log",
            "app.2026-04-05_01.log",
            "app.2026-04-05_02.log",
            "app.2026-04-05_03.log",
            "app.log");
  }

  @Test
  void shouldRollOverTwiceADayAtMostWhateverTheLengthOfHalfDays() {
    now = ZonedDateTime.of(2026, 10, 24, 0, 0, 0, 0, BERLIN).toInstant().toEpochMilli();
    start("app.%d{yyyy-MM-dd_a, Europe/Berlin}.log", false, true);
    for (int i = 0; i < 4 * 24 * 6; i++) {
      log();
      now += HOUR / 6;
    }
    rig.close();
    assertThat(assertEveryEventOnce().keySet())
        .as("one morning has thirteen hours; Logback 1.5 rolls such names over once a day")
        .hasSizeBetween(4, 8)
        .allMatch(name -> name.equals("app.log") || name.matches("app\\.[-\\d]+_(AM|PM)\\.log"));
  }

  /** As of a damaged inode: the calendar ends before, and whatever comes then is no period. */
  @ParameterizedTest
  @Tag("gate")
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // it would not end
  @ValueSource(
      strings = {"yyyy-MM", "yyyy-MM-dd", "yyyy-MM-dd_a", "yyyy-MM-dd_HH", "yyyy-MM-dd_HH-mm-ss"})
  void shouldBeginWithAFileOfAnyTime(String datePattern) {
    now = Instant.parse("2026-03-28T12:00:00Z").toEpochMilli();
    Periods.Watch watch =
        new Periods.Watch(new Periods(datePattern, ZoneOffset.UTC), Instant::toString);
    watch.begin(Long.MAX_VALUE, now);
    assertThat(watch.current().date()).as("too far ahead").isEqualTo(Instant.ofEpochMilli(now));
    assertThat(watch.isOver(now)).isFalse();

    watch.begin(Long.MIN_VALUE, now);
    assertThat(watch.isOver(now)).isTrue();
  }

  @Test
  void shouldKnowTheLeapDay() {
    now = Instant.parse("2028-02-27T12:00:00Z").toEpochMilli();
    start("app.%d{yyyy-MM-dd, UTC}.log", false, false);
    for (int i = 0; i < 10; i++) {
      log();
      now += 12 * HOUR;
    }
    rig.close();
    assertThat(assertEveryEventOnce().keySet())
        .containsExactly(
            "app.2028-02-27.log",
            "app.2028-02-28.log",
            "app.2028-02-29.log",
            "app.2028-03-01.log",
            "app.2028-03-02.log",
            "app.2028-03-03.log");
  }

  @ParameterizedTest(name = "%i {0}")
  @Tag("gate")
  @CsvSource({"false", "true"})
  void shouldRollOnWhenTheClockLeapsByYearsAndReturns(boolean sized) {
    now = Instant.parse("2026-05-01T10:00:00Z").toEpochMilli();
    start("app.%d{yyyy-MM-dd_HH, UTC}" + (sized ? ".%i" : "") + ".log", sized, true);
    Duration years = Duration.ofDays(3_653);
    for (int i = 0; i < 3; i++) {
      log();
      now += years.toMillis();
      log();
      now -= years.toMillis();
    }
    log();
    now += HOUR;
    log();
    rig.close();
    List<String> names = new ArrayList<>(assertEveryEventOnce().keySet());
    assertThat(names)
        .containsExactlyInAnyOrderElementsOf(
            sized
                ? List.of(
                    "app.2026-05-01_10.0.log",
                    "app.2026-05-01_10.1.log",
                    "app.2026-05-01_10.2.log",
                    "app.2026-05-01_10.3.log",
                    "app.2036-05-01_10.0.log",
                    "app.2036-05-01_10.1.log",
                    "app.2036-05-01_10.2.log",
                    "app.log")
                : List.of(
                    "app.2026-05-01_10.log",
                    "app.2026-05-01_10.log.1",
                    "app.2026-05-01_10.log.2",
                    "app.2026-05-01_10.log.3",
                    "app.2036-05-01_10.log",
                    "app.2036-05-01_10.log.1",
                    "app.2036-05-01_10.log.2",
                    "app.log"));
  }

  private void start(String pattern, boolean sized, boolean withFile) {
    if (sized) {
      SizeAndTimeBasedRollingPolicy<ILoggingEvent> both = new SizeAndTimeBasedRollingPolicy<>();
      both.setMaxFileSize("300");
      policy = both;
    } else {
      policy = new TimeBasedRollingPolicy<>();
    }
    policy.clock = () -> now;
    Path logs = directory.resolve("logs");
    policy.setFileNamePattern(logs.resolve(pattern).toString());
    Path file = withFile ? logs.resolve("app.log") : null;
    rig = new RollingRig(Host.STOCK, file).with(policy, policy).start();
  }

  private void log() {
    rig.log(logged++ + " " + LocalDateTime.ofEpochSecond(now / 1000, 0, ZoneOffset.UTC));
  }

  /** The numbers of the events in each file. */
  private Map<String, List<Integer>> assertEveryEventOnce() {
    Map<String, List<Integer>> files = new TreeMap<>();
    List<Integer> all = new ArrayList<>();
    Tree.of(directory.resolve("logs"))
        .forEach(
            (name, content) -> {
              List<Integer> numbers =
                  content.lines().map(line -> Integer.valueOf(line.split(" ")[0])).toList();
              files.put(name, numbers);
              all.addAll(numbers);
              assertThat(numbers).as(name).isSorted();
            });
    assertThat(all).as("events").hasSize(logged).doesNotHaveDuplicates();
    return files;
  }

  /**
   * No event is in the file of an hour that is over, or of one that is more than an hour ahead; a
   * restart knows the hour of the last event only, which may be another by one.
   */
  private void assertPeriods() {
    Tree.of(directory.resolve("logs"))
        .forEach(
            (name, content) -> {
              Matcher matcher = NAME.matcher(name);
              if (matcher.matches()) {
                LocalDateTime start =
                    LocalDateTime.parse(matcher.group(1) + "T" + matcher.group(2) + ":00:00");
                content
                    .lines()
                    .map(line -> LocalDateTime.parse(line.split(" ")[1]))
                    .forEach(
                        time ->
                            assertThat(time)
                                .as(name)
                                .isBetween(start.minusHours(2), start.plusHours(2)));
              }
            });
  }

  /** Of the files of one hour, a higher number means later events. */
  private static void assertAscending(Map<String, List<Integer>> files) {
    Map<String, TreeMap<Integer, List<Integer>>> hours = new TreeMap<>();
    files.forEach(
        (name, events) -> {
          Matcher matcher = NAME.matcher(name);
          if (matcher.matches()) {
            String number = matcher.group(3) == null ? matcher.group(4) : matcher.group(3);
            hours
                .computeIfAbsent(matcher.group(1) + matcher.group(2), hour -> new TreeMap<>())
                .put(number == null ? 0 : Integer.parseInt(number), events);
          }
        });
    hours.forEach(
        (hour, numbers) -> {
          List<Integer> inOrder = new ArrayList<>();
          numbers.values().forEach(inOrder::addAll);
          assertThat(inOrder).as(hour).isSorted();
        });
  }
}
