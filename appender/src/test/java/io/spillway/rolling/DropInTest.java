package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.util.FileSize;
import io.spillway.testkit.Configured;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Probe;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The same settings, events and clock through Logback's appender and policies, through Logback's
 * appender with ours, and through ours with ours: the same names with the same contents.
 */
@Timeout(120)
class DropInTest {
  /** Whose classes run. */
  enum Side {
    STOCK(Configured.STOCK, "ch.qos.logback.core.rolling."),
    POLICIES(Configured.STOCK, "io.spillway.rolling."),
    SPILLWAY(Configured.SPILLWAY, "io.spillway.rolling.");

    private final String appender;
    private final String policies;

    Side(String appender, String policies) {
      this.appender = appender;
      this.policies = policies;
    }
  }

  @TempDir(factory = InMemory.class)
  Path directory;

  private String settings;
  private Consumer<Path> prepared = logs -> {};
  private Run run;

  @AfterEach
  void letGo() {
    if (run != null) {
      run.configured.close();
    }
  }

  private static final List<String> FORMATS = List.of(".gz", ".zip", ".xz");

  /** One side's life. */
  private final class Run {
    final Side side;
    final Path logs;
    private Configured configured;
    private long now = System.currentTimeMillis();

    Run(Side side) {
      this.side = side;
      logs = directory.resolve(side.name());
      try {
        Files.createDirectories(logs);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      prepared.accept(logs);
      start();
    }

    void start() {
      String spill =
          side == Side.SPILLWAY ? "<spillDirectory>" + directory + "/spill</spillDirectory>" : "";
      configured =
          new Configured(
              side.appender,
              logs,
              settings.replace("POLICIES.", side.policies)
                  + spill
                  + "<encoder><pattern>%msg%n</pattern></encoder>");
      configured.file();
    }

    void log(String... messages) {
      for (String message : messages) {
        configured.logAndAwait(message);
        if (side == Side.STOCK) {
          configured.awaitIdle(); // its clean would not see an archive that is not there yet
        }
      }
    }

    void later(Duration duration) {
      now += duration.toMillis();
      Object policy = ((RollingFileAppender<?>) configured.file()).getRollingPolicy();
      ((ch.qos.logback.core.rolling.TimeBasedRollingPolicy<?>) policy)
          .getTimeBasedFileNamingAndTriggeringPolicy()
          .setCurrentTime(now);
    }

    void restart() {
      configured.close();
      start();
    }

    Map<String, String> contents() {
      return Configured.contents(logs);
    }
  }

  /**
   * Runs the script on each side, and compares what is there in the end. Each side begins at the
   * real time, so that all begin in one minute: no pattern here has a shorter period.
   */
  private void assertSame(Consumer<Run> script) {
    Path root = directory;
    for (int attempt = 0; !isSameInOneMinute(script); attempt++) {
      assertThat(attempt).as("attempts, none of them within one minute").isLessThan(5);
      directory = root.resolve("again" + attempt);
    }
  }

  /** Whether that was within one minute; if not, then it has not been compared. */
  private boolean isSameInOneMinute(Consumer<Run> script) {
    long minute = minute();
    Map<String, String> expected = null;
    for (Side side : Side.values()) {
      run = new Run(side);
      script.accept(run);
      if (minute() != minute) {
        run.configured.close();
        return false;
      }
      if (side == Side.STOCK) {
        run.configured.awaitIdle(); // a stop waits for the last job only
        run.configured.close();
        Probe.await(
            "Logback's archives",
            () -> isSettled(Settled.contents(run.logs)),
            () -> Settled.contents(run.logs));
        expected = run.contents();
        assertThat(expected).isNotEmpty();
      } else {
        Map<String, String> stock = expected;
        Probe.await(
            "the same as Logback's on " + side,
            () -> Settled.contents(run.logs).equals(stock),
            () -> stock + "\nbut " + Settled.contents(run.logs) + run.configured.statuses());
        assertThat(run.configured.file().isStarted()).isTrue();
        run.configured.close();
        assertThat(run.contents()).isEqualTo(stock);
      }
    }
    return true;
  }

  private static long minute() {
    return System.currentTimeMillis() / 60_000;
  }

  /** Without {@code <file>} Logback compresses beside the rolled file, then deletes that. */
  private static boolean isSettled(Map<String, String> contents) {
    return contents.keySet().stream()
        .noneMatch(
            name ->
                name.equals("moved")
                    || name.endsWith(".tmp")
                    || FORMATS.stream().anyMatch(suffix -> contents.containsKey(name + suffix)));
  }

  /** Contents while a compressor may still be at work. */
  private static final class Settled {
    static Map<String, String> contents(Path logs) {
      try {
        return Configured.contents(logs);
      } catch (UncheckedIOException | AssertionError moved) { // an archive may have no entry yet
        return Map.of("moved", String.valueOf(moved));
      }
    }
  }

  private static boolean hasClass(String name) {
    try {
      Class.forName("ch.qos.logback.core.rolling." + name);
      return true;
    } catch (ClassNotFoundException absent) {
      return false;
    }
  }

  private static String window(String settings) {
    return "<file>DIR/app.log</file><rollingPolicy class='POLICIES.FixedWindowRollingPolicy'>"
        + settings
        + "</rollingPolicy><triggeringPolicy class='POLICIES.SizeBasedTriggeringPolicy'>"
        + "<maxFileSize>10</maxFileSize><checkIncrement>0</checkIncrement></triggeringPolicy>";
  }

  private static String pattern(String pattern) {
    return "<fileNamePattern>DIR/" + pattern + "</fileNamePattern>";
  }

  private static String timed(String settings) {
    return "<rollingPolicy class='POLICIES.TimeBasedRollingPolicy'>"
        + settings
        + "</rollingPolicy>";
  }

  private static String sized(String settings) {
    return "<rollingPolicy class='POLICIES.SizeAndTimeBasedRollingPolicy'>"
        + settings
        + "</rollingPolicy>";
  }

  private static final String FILE = "<file>DIR/app.log</file>";

  private static void write(Path file, String content) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String daysAgo(int days) {
    return LocalDate.now(ZoneId.systemDefault()).minusDays(days).toString();
  }

  private static void eightEvents(Run run) {
    for (int i = 1; i <= 8; i++) {
      run.log("event number " + i);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "app.%i.log | <maxIndex>3</maxIndex>",
        "app.%i.log.gz | <minIndex>0</minIndex><maxIndex>3</maxIndex>",
        "old/app.%i.log.gz | <maxIndex>30</maxIndex>",
        "app.%i.log.gz | <minIndex>5</minIndex><maxIndex>4</maxIndex>",
        "app.%i.log.gz | <minIndex>-1</minIndex><maxIndex>2</maxIndex>",
        "app.%i.log.GZ | <maxIndex>3</maxIndex>",
        "app.%i.log.bz2 | <maxIndex>3</maxIndex>",
        "app.%i.log.xz | <maxIndex>3</maxIndex>",
        "%i/app.log.gz | <maxIndex>3</maxIndex>",
      })
  void shouldShiftAFixedWindowAlike(String pattern, String settings) {
    assumeThat(pattern.endsWith(".xz") && !hasClass("helper.XZCompressionStrategy"))
        .as("Logback before 1.5.18 knows no xz")
        .isFalse();
    this.settings = window(pattern(pattern) + settings);
    assertSame(DropInTest::eightEvents);
  }

  @Test
  void shouldNameTheEntryOfAZipAlike() throws IOException {
    settings = window(pattern("app.%i.log.zip") + "<maxIndex>2</maxIndex>");
    assertSame(DropInTest::eightEvents);
    for (Side side : Side.values()) {
      Path zip = directory.resolve(side.name()).resolve("app.1.log.zip");
      try (InputStream in = Files.newInputStream(zip);
          ZipInputStream entries = new ZipInputStream(in)) {
        assertThat(entries.getNextEntry().getName())
            .as(side.name())
            .matches("app\\." + LocalDate.now(ZoneId.systemDefault()) + "_\\d{4}\\.log");
      }
    }
  }

  @Test
  void shouldNotRenumberAWindowWithGapsAtStart() {
    prepared =
        logs -> {
          write(logs.resolve("app.2.log"), "two\n");
          write(logs.resolve("app.5.log"), "five\n");
        };
    settings = window(pattern("app.%i.log"));
    assertSame(run -> run.log("one"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".gz"})
  void shouldArchiveWhatALinkOfTheFileStandsFor(String suffix) {
    prepared =
        logs -> {
          try {
            Path target = directory.resolve("target-" + logs.getFileName());
            Files.createDirectories(target);
            Files.createSymbolicLink(logs.resolve("app.log"), target.resolve("real.log"));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        };
    settings = FILE + sized(pattern("app.%d.%i.log" + suffix) + "<maxFileSize>10</maxFileSize>");
    assertSame(run -> run.log("event number 1", "event number 2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"app.%d.log", "app.%d.log.gz", "%d{yyyy/MM, aux}/app.%d.log.gz"})
  void shouldRollDailyAndKeepOldArchivesAlike(String pattern) {
    prepared =
        logs -> {
          write(logs.resolve("app." + daysAgo(10) + ".log"), "10\n");
          write(logs.resolve("app." + daysAgo(45) + ".log"), "45\n");
          write(logs.resolve("app." + daysAgo(400) + ".log"), "400\n");
        };
    settings = FILE + timed(pattern(pattern) + "<maxHistory>3</maxHistory>");
    if (pattern.endsWith(".gz")) {
      prepared = logs -> {};
    }
    assertSame(
        run -> {
          for (int day = 1; day <= 6; day++) {
            run.log("day " + day);
            run.later(Duration.ofDays(1));
          }
          run.log("last");
        });
  }

  @ParameterizedTest
  @CsvSource({"true, 1", "false, 1", "true, 0", "false, 0"})
  void shouldCleanAtStartWhatLogbackCleans(boolean onStart, int rollovers) {
    int[] ages = {1, 2, 3, 4, 5, 34, 35, 36, 37, 38, 60, 400};
    prepared =
        logs -> {
          for (int age : ages) {
            write(logs.resolve("app." + daysAgo(age) + ".0.log"), age + "\n");
          }
        };
    settings =
        FILE
            + sized(
                pattern("app.%d.%i.log")
                    + ("<maxHistory>3</maxHistory><maxFileSize>1MB</maxFileSize>")
                    + ("<cleanHistoryOnStart>" + onStart + "</cleanHistoryOnStart>"));
    assertSame(
        run -> {
          if (onStart) { // in the background; else it would see the time of the rollover
            Path expired = run.logs.resolve("app." + daysAgo(5) + ".0.log");
            Probe.await("cleaned", () -> !Files.exists(expired), run.configured::statuses);
          }
          run.log("first");
          for (int i = 0; i < rollovers; i++) {
            run.later(Duration.ofDays(1));
            run.log("next");
          }
        });
  }

  @Test
  void shouldCapTheTotalAlike() {
    prepared =
        logs -> {
          for (int age = 1; age < 8; age++) {
            write(logs.resolve("app." + daysAgo(age) + ".0.log"), "x".repeat(400));
          }
        };
    settings =
        FILE
            + sized(
                pattern("app.%d.%i.log")
                    + "<maxHistory>20</maxHistory><maxFileSize>1KB</maxFileSize>"
                    + "<totalSizeCap>1100</totalSizeCap>");
    assertSame(
        run -> {
          run.log("first");
          run.later(Duration.ofDays(1));
          run.log("next");
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SizeAndTimeBasedFNATP",
        "SizeAndTimeBasedFileNamingAndTriggeringPolicy",
      })
  void shouldTakeLogbacksNestedPolicyOfSizes(String nested) {
    assumeThat(hasClass(nested)).as("this Logback has " + nested).isTrue();
    settings =
        FILE
            + timed(
                "<timeBasedFileNamingAndTriggeringPolicy class='ch.qos.logback.core.rolling."
                    + nested
                    + "'><maxFileSize>20</maxFileSize></timeBasedFileNamingAndTriggeringPolicy>"
                    + pattern("app.%d.%i.log.gz"));
    assertSame(
        run -> {
          eightEvents(run);
          run.later(Duration.ofDays(1));
          eightEvents(run);
        });
  }

  @Test
  void shouldTakeLogbacksNestedPolicyOfTimes() {
    settings =
        FILE
            + timed(
                "<timeBasedFileNamingAndTriggeringPolicy class='ch.qos.logback.core.rolling."
                    + "DefaultTimeBasedFileNamingAndTriggeringPolicy'/>"
                    + pattern("app.%d.log.gz"));
    assertSame(
        run -> {
          eightEvents(run);
          run.later(Duration.ofDays(1));
          run.log("next");
        });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "%d/%i/app.log.gz | <file>DIR/app.log</file>",
        "%d/%i/app.log | <file>DIR/app.log</file>",
        "app-%d{yyyy-MM-dd}.%i.log.gz | <file>DIR/app.log</file>",
        "app-%d{yyyy-MM-dd}.%i.log |",
        "%d{yyyy/MM/dd}/app.%i.log.zip |",
      })
  void shouldNumberTheFilesOfAPeriodAlike(String pattern, String file) {
    settings =
        (file == null ? "" : file) + sized(pattern(pattern) + "<maxFileSize>20</maxFileSize>");
    assertSame(
        run -> {
          eightEvents(run);
          run.later(Duration.ofDays(1));
          run.log("next");
        });
  }

  /** The index before the date, and periods that are many more than are kept. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "%i.%d{yyyy-MM-dd_HH-mm}.log.gz",
        "app.%i.%d{yyyy-MM-dd_HH-mm}.log.gz",
        "app.%d{yyyy-MM-dd_HH-mm}.%i.log.gz"
      })
  void shouldExpireAlikeAfterAJumpOfTheClock(String pattern) {
    settings =
        FILE + sized(pattern(pattern) + "<maxHistory>1</maxHistory><maxFileSize>20</maxFileSize>");
    assertSame(
        run -> {
          run.later(Duration.ZERO);
          eightEvents(run);
          run.later(Duration.ofHours(12));
          eightEvents(run);
        });
  }

  @Test
  void shouldStartAndWriteWithAFileInPlaceOfTheArchives() throws IOException {
    prepared = logs -> write(logs.resolve("old"), "a file\n");
    settings = window(pattern("old/app.%i.log.gz"));
    for (Side side : Side.values()) {
      run = new Run(side);
      run.log("event number 1");
      if (side != Side.STOCK) {
        assertThat(run.configured.context.getStatusManager().getCopyOfStatusList())
            .noneMatch(
                status -> status.getEffectiveLevel() == ch.qos.logback.core.status.Status.ERROR);
        run.log("event number 2");
        assertThat(run.contents()).containsEntry("app.log", "event number 1\nevent number 2\n");
        Files.delete(run.logs.resolve("old"));
        Probe.await(
            "archived",
            () -> {
              run.log("more");
              return Files.exists(run.logs.resolve("old/app.1.log.gz"));
            },
            () -> run.configured.statuses());
      }
      run.configured.close();
    }
  }

  /** Which name the file has meanwhile is up to Logback's version. */
  @ParameterizedTest
  @ValueSource(strings = {"app.%d.%i.log.gz", "%d/app.%i.log.gz"})
  void shouldArchiveWhatLogbackWasCompressingWhenItWasKilled(String pattern) throws IOException {
    Path log = directory.resolve("app.log");
    String names = directory.resolve(pattern).toString();
    try (RollingRig stock = new RollingRig(RollingRig.Host.STOCK, log)) {
      var theirs = new ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy<ILoggingEvent>();
      theirs.setContext(stock.context);
      theirs.setFileNamePattern(names);
      theirs.setMaxFileSize(FileSize.valueOf("1GB"));
      stock.with(theirs, theirs).start();
      stock.log("rolled over");
      stock.context.kill();
      theirs
          .getTimeBasedFileNamingAndTriggeringPolicy()
          .setCurrentTime(System.currentTimeMillis() + Duration.ofDays(1).toMillis());
      stock.log("active");
    }
    Path left = left(log);
    Matcher date = Pattern.compile("\\d{4}-\\d\\d-\\d\\d").matcher(left.toString());
    assertThat(date.find()).as(left.toString()).isTrue();
    Path archive = Path.of(names.replace("%d", date.group()).replace("%i", "0"));
    try (OutputStream cut = new GZIPOutputStream(Files.newOutputStream(archive))) {
      cut.write("rolled over\n".getBytes(StandardCharsets.ISO_8859_1));
    }
    try (FileChannel cut = FileChannel.open(archive, StandardOpenOption.WRITE)) {
      cut.truncate(15);
    }
    try (RollingRig rig = new RollingRig(RollingRig.Host.STOCK, log)) {
      var ours = new SizeAndTimeBasedRollingPolicy<ILoggingEvent>();
      ours.setFileNamePattern(names);
      ours.setMaxFileSize(FileSize.valueOf("1GB"));
      rig.with(ours, ours).start();
      rig.awaitArchived();
    }
    assertThat(Configured.contents(directory))
        .isEqualTo(
            Map.of("app.log", "active\n", directory.relativize(archive) + "", "rolled over\n"));
  }

  private static Path left(Path log) throws IOException {
    try (Stream<Path> files = Files.walk(log.getParent())) {
      return files
          .filter(file -> Files.isRegularFile(file) && !file.equals(log))
          .findAny()
          .orElseThrow();
    }
  }
}
