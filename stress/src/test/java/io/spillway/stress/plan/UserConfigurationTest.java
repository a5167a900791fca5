package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.sandbox.Findings;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.example.HostileAppender;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Other people's configurations, looked at by forked JVMs. */
@Tag("slow")
class UserConfigurationTest {
  private static final Path STRANGERS = Path.of("src/test/resources/strangers").toAbsolutePath();

  @TempDir Path directory;
  private Path home;

  @BeforeEach
  void makeHome() throws IOException {
    home = Files.createDirectory(directory.resolve("home"));
  }

  private UserConfiguration.Sandboxed look(
      Path configuration, Map<String, String> properties, String appender)
      throws IOException, InterruptedException {
    return request(configuration, properties, appender).look(1);
  }

  private UserConfiguration request(
      Path configuration, Map<String, String> properties, String appender) {
    return new UserConfiguration(
        configuration,
        home,
        List.of(),
        properties,
        LogLine.LOGGER,
        0,
        appender,
        0,
        50_000_000,
        SmallRun.NO_SURROUNDINGS);
  }

  /** A file that rolls over by the clock, in a layout. */
  private static String file(String name, String layout, String filter) {
    return rolling(
        name,
        "<rollingPolicy class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
            + "<fileNamePattern>"
            + name
            + ".%d.gz</fileNamePattern></rollingPolicy>"
            + filter,
        layout);
  }

  private static String rolling(String name, String policies, String layout) {
    return "<appender name='"
        + name
        + "' class='ch.qos.logback.core.rolling.RollingFileAppender'><file>"
        + name
        + ".log</file>"
        + policies
        + "<encoder><pattern>"
        + layout
        + "</pattern></encoder></appender>";
  }

  private static String root(String... appenders) {
    return Stream.of(appenders)
        .map(name -> "<appender-ref ref='" + name + "'/>")
        .collect(Collectors.joining("", "<root level='INFO'>", "</root>"));
  }

  private Path write(String body) throws IOException {
    return Files.writeString(
        directory.resolve("own.xml"), "<configuration>" + body + "</configuration>");
  }

  @ParameterizedTest
  @CsvSource({
    "manual-size-and-time.xml, ROLLING, SIZE, 104857600",
    "manual-fixed-window.xml, FILE, SIZE, 5242880",
    "manual-async-time-based.xml, FILE, CLOCK, 50000000",
    "json-audit.xml, AUDIT, SIZE, 20971520",
  })
  void shouldRunAsItIsAndTouchNothing(
      String name, String appender, Findings.Trigger trigger, long size) throws Exception {
    UserConfiguration.Sandboxed found =
        look(STRANGERS.resolve(name), Map.of("LOG_HOME", home + "/var"), null);

    assertThat(found.file().appender()).isEqualTo(appender);
    assertThat(found.file().trigger()).isEqualTo(trigger);
    assertThat(found.sizeBytes()).isEqualTo(size);
    assertThat(found.lineBytes()).isBetween(80.0, 1_000.0);
    assertThat(found.file().file()).startsWith(home.toString().substring(1));
    assertThat(home).isEmptyDirectory();
  }

  /** Whatever names its file as late as that. */
  @Test
  void shouldLogNothingIntoAFileOutsideTheSandbox() throws Exception {
    Path real = Files.writeString(home.resolve("real.log"), "of the application");
    Path configuration =
        write(
            "<appender name='F' class='"
                + Wayward.class.getName()
                + "'><encoder><pattern>%m%n</pattern></encoder></appender>"
                + root("F"));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> look(configuration, Map.of("real", real.toString()), null))
        .withMessageContaining("would write [" + real + "], outside the sandbox");
    assertThat(real).hasContent("of the application");
  }

  /** Names its file when it starts. */
  public static final class Wayward extends FileAppender<ILoggingEvent> {
    @Override
    public void start() {
      setFile(System.getProperty("real"));
      super.start();
    }
  }

  @Test
  void shouldTakeTheAppenderThatIsNamed() throws Exception {
    Path two = STRANGERS.resolve("two-files.xml");
    assertThat(look(two, Map.of(), null).file().appender()).isEqualTo("APP");
    assertThat(look(two, Map.of(), "AUDIT").file().appender()).isEqualTo("AUDIT");
    assertRefused(two, "NONE", "no rolling appender is called [NONE] (--file-appender)", "AUDIT");
  }

  /** As the manual's own example of several files has it. */
  @Test
  void shouldTakeTheFirstThatGetsTheEvents() throws Exception {
    String errors =
        "<filter class='ch.qos.logback.classic.filter.LevelFilter'><level>ERROR</level>"
            + "<onMatch>ACCEPT</onMatch><onMismatch>DENY</onMismatch></filter>";
    Path both =
        write(file("ERRORS", "%m%n", errors) + file("ALL", "%m%n", "") + root("ERRORS", "ALL"));
    assertThat(look(both, Map.of(), null).file().appender()).isEqualTo("ALL");
    assertRefused(
        both, "ERRORS", "0 are whole in the file of appender [ERRORS]", "--file-appender");
  }

  @Test
  void shouldRefuseALayoutInWhichNoEventIsFound() throws Exception {
    Path cut = write(file("F", "%d %.-20m%n", "") + root("F"));
    assertRefused(cut, null, "of 100 events", "0 are whole", "%msg");
    Path talkative = write(file("F", "%d audit event %m of event %n", "") + root("F"));
    assertThat(look(talkative, Map.of(), null).file().appender()).isEqualTo("F");
  }

  @Test
  void shouldRefuseArchivesThatItCannotRead() throws Exception {
    Path xz = write(file("F", "%m%n", "").replace(".gz", ".xz") + root("F"));
    assertThat(look(xz, Map.of(), null).file().fileNamePattern())
        .as("Logback without the library")
        .endsWith(".gz");
    List<Path> library = List.of(Path.of("target/strangers/*").toAbsolutePath());
    UserConfiguration packed =
        new UserConfiguration(
            xz,
            home,
            library,
            Map.of(),
            LogLine.LOGGER,
            0,
            null,
            0,
            50_000_000,
            SmallRun.NO_SURROUNDINGS);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> packed.look(1))
        .withMessageContaining("cannot be read back here")
        .withMessageContaining(".xz]; allowed: .gz, .zip, .zst or none");
  }

  /** One that says nothing rolls over at Logback's default, which is ours, too. */
  @ParameterizedTest
  @ValueSource(strings = {"ch.qos.logback.core.rolling", "io.spillway.rolling"})
  void shouldKnowTheSizeThatIsNotSet(String policies) throws Exception {
    String sized =
        "<rollingPolicy class='PACKAGE.FixedWindowRollingPolicy'>"
            + "<fileNamePattern>old/F.%i.gz</fileNamePattern></rollingPolicy>"
            + "<triggeringPolicy class='PACKAGE.SizeBasedTriggeringPolicy'/>";
    Path configuration =
        write(rolling("F", sized.replace("PACKAGE", policies), "%m%n") + root("F"));
    UserConfiguration.Sandboxed found = look(configuration, Map.of(), null);
    assertThat(found.file().trigger()).isEqualTo(Findings.Trigger.SIZE);
    assertThat(found.sizeBytes()).isEqualTo(10 << 20);
    UserConfiguration larger =
        new UserConfiguration(
            configuration,
            home,
            List.of(),
            Map.of(),
            LogLine.LOGGER,
            0,
            null,
            20 << 20,
            1,
            SmallRun.NO_SURROUNDINGS);
    assertThat(larger.look(1).sizeBytes()).isEqualTo(20 << 20);
  }

  @Test
  void shouldMeasureLongMessagesBeforeTheirFileRollsOver() throws Exception {
    UserConfiguration large =
        new UserConfiguration(
            STRANGERS.resolve("manual-fixed-window.xml"),
            home,
            List.of(),
            Map.of(),
            LogLine.LOGGER,
            200_000,
            null,
            0,
            1,
            SmallRun.NO_SURROUNDINGS);
    assertThat(large.look(1).lineBytes()).isBetween(200_000.0, 201_000.0);
  }

  /** It would open the files of the class path's own logback.xml before anybody is asked. */
  @Test
  void shouldRefuseALogbackThatDoesNotAskTheSandbox() throws Exception {
    Path real = home.resolve("real.log");
    Path classes = Files.createDirectory(directory.resolve("classes"));
    Path own =
        Files.writeString(
            classes.resolve("logback.xml"),
            "<configuration><appender name='F' class='ch.qos.logback.core.FileAppender'><file>"
                + real
                + "</file><encoder><pattern>%m%n</pattern></encoder></appender>"
                + root("F")
                + "</configuration>");
    List<Path> classPath = List.of(classes, Path.of("target/old-logback/*").toAbsolutePath());
    UserConfiguration old =
        new UserConfiguration(
            own,
            home,
            classPath,
            Map.of(),
            LogLine.LOGGER,
            0,
            null,
            0,
            50_000_000,
            SmallRun.NO_SURROUNDINGS);
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> old.look(1))
        .withMessageContaining("logback-classic-1.2")
        .withMessageContaining("too old for the sandbox; allowed: 1.5 or newer");
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void shouldRollOverLaterIfTheLoadWouldPassItsOwnSizeTooSoon() throws Exception {
    Trial slow = trial(1_000);
    assertThat(slow.sandboxed().limitBytes()).as("its own").isZero();
    assertThat(slow.sandboxed().sizeBytes()).isEqualTo(5 << 20);
    Trial fast = trial(10_000);
    assertThat(fast.sandboxed().sizeBytes())
        .isEqualTo(fast.sandboxed().limitBytes())
        .isGreaterThan(5 << 20);
    assertThat(fast.description()).contains("instead of 5,242,880");
    assertThat(slow.description()).doesNotContain("instead");
  }

  private Trial trial(double eventsPerSecond) throws IOException, InterruptedException {
    return request(STRANGERS.resolve("manual-fixed-window.xml"), Map.of(), null)
        .trial("any", small(eventsPerSecond).options())
        .trial();
  }

  /** Room that is made for larger archives changes the configuration, too. */
  @ParameterizedTest
  @CsvSource({"1, 4", "3, 6"})
  void shouldSayWhatElseIsOtherwiseIfItRollsOverLater(int rotations, int files) throws Exception {
    String capped =
        "<rollingPolicy class='ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy'>"
            + "<fileNamePattern>F.%d.%i.gz</fileNamePattern><maxFileSize>1MB</maxFileSize>"
            + "<maxHistory>9</maxHistory><totalSizeCap>2MB</totalSizeCap></rollingPolicy>";
    Trial later =
        request(write(rolling("F", capped, "%m%n") + root("F")), Map.of(), null)
            .trial("any", small(10_000).rotations(rotations).options())
            .trial();
    assertThat(later.sandboxed().limitBytes()).isGreaterThan(1 << 20);
    assertThat(later.description())
        .contains(
            "instead of 1,048,576",
            "totalSizeCap is " + files * later.sandboxed().limitBytes() + " bytes instead of 2MB")
        .containsOnlyOnce("totalSizeCap");
  }

  private SmallRun small(double eventsPerSecond) {
    return new SmallRun(directory)
        .rate(eventsPerSecond)
        .warmUp(3)
        .around(5)
        .limits(new Judge.Limits(0, 0, 50, 1));
  }

  @Test
  void shouldSayWhyNoTrialCanBeMade() throws Exception {
    String file =
        """
        <appender name="F" class="ch.qos.logback.core.rolling.RollingFileAppender">
          <file>a.log</file>
          <rollingPolicy class="%s"><fileNamePattern>a.%%d.gz</fileNamePattern></rollingPolicy>
          %s<encoder><pattern>%%m%%n</pattern></encoder>
        </appender>
        <root level="%s"><appender-ref ref="F"/></root>
        """;
    String time = "ch.qos.logback.core.rolling.TimeBasedRollingPolicy";
    assertRefused(write("<appender/>"), null, "Logback reports");
    assertRefused(write("<root level='INFO'"), null, "Logback reports", "line 1");
    assertRefused(
        write(
            "<appender name='K' class='org.example.Missing'/>"
                + "<root><appender-ref ref='K'/></root>"),
        null,
        "it needs the class org.example.Missing; name the jar that has it with --classpath");
    assertRefused(write(file.formatted("org.example.Gone", "", "INFO")), null, "org.example.Gone");
    assertRefused(write(file.formatted(time, "", "WARN")), null, "does not log INFO", "--logger");
    assertRefused(write("<root level='INFO'/>"), null, "nothing to see");
    assertRefused(
        write("<root level='INFO'><appender-ref ref='NOPE'/></root>"),
        null,
        "nothing to see",
        "Logback reports",
        "NOPE");
    String window = "ch.qos.logback.core.rolling.FixedWindowRollingPolicy";
    assertRefused(
        write(file.replace("%%d", "%%i").formatted(window, "", "INFO")),
        null,
        "nothing to see",
        "Logback reports",
        "TriggeringPolicy");
    assertRefused(STRANGERS.resolve("cassandra.xml"), null, "gives up", "time-zone ID: SSS");
    String filter =
        "<filter"
            + " class='ch.qos.logback.classic.filter.ThresholdFilter'><level>ERROR</level></filter>";
    assertRefused(
        write(file.formatted(time, filter, "INFO")), null, "of 100 events", "0 are", "filter");
  }

  /** All archives must be left, and a policy's clock is moved on once. */
  @Test
  void shouldMakeRoomForSeveralRotationsOrRefuseThem() throws Exception {
    String window =
        "<rollingPolicy class='ch.qos.logback.core.rolling.FixedWindowRollingPolicy'>"
            + "<fileNamePattern>W.%i.gz</fileNamePattern><minIndex>2</minIndex><maxIndex>3</maxIndex>"
            + "</rollingPolicy><triggeringPolicy"
            + " class='ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy'/>";
    String spillway =
        window
            .replace("ch.qos.logback.core", "io.spillway")
            .replace("W.", "S.")
            .replace(">3<", ">4<");
    String bare = window.replaceAll("<m..Index>.</m..Index>", "").replace("W.", "B.");
    Path windows =
        write(
            rolling("W", window, "%m%n")
                + rolling("S", spillway, "%m%n")
                + rolling("B", bare, "%m%n")
                + root("W", "S", "B"));
    assertThat(request(windows, Map.of(), null).look(10).differences())
        .isEqualTo(
            ", maxIndex is 12 instead of 3, maxIndex is 12 instead of 4, maxIndex is 11 instead of 7");
    assertThat(request(windows, Map.of(), null).look(1).differences()).isEmpty();
    Path clock = write(file("C", "%m%n", "") + root("C"));
    assertThat(request(clock, Map.of(), null).look(1).file().appender()).isEqualTo("C");
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> request(clock, Map.of(), null).look(2))
        .withMessageContaining("'--rotations 2' is too many for appender [C]")
        .withMessageContaining("allowed: '--rotations 1'");
  }

  /** In few lines: the frames of a stack trace would hide what was thrown. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "END        | under org.example.HostileAppender.start",
        "INCOMPLETE | it needs the class org.example.Client; name the jar that has it",
        "THROW      | Error: too much for this appender",
      })
  void shouldSayWhatAnAppenderDidToTheJvmThatReadItsConfiguration(String way, String said)
      throws Exception {
    Path hostile =
        write(
            rolling(
                        "H",
                        "<way>"
                            + way
                            + "</way><rollingPolicy"
                            + " class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
                            + "<fileNamePattern>h.%d.gz</fileNamePattern></rollingPolicy>",
                        "%m%n")
                    .replace(
                        "ch.qos.logback.core.rolling.RollingFileAppender",
                        HostileAppender.class.getName())
                + root("H"));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> look(hostile, Map.of(), null))
        .satisfies(
            refused ->
                assertThat(refused.getMessage().lines().toList())
                    .hasSizeLessThan(6)
                    .anyMatch(line -> line.contains(said)));
  }

  /** It would go on beside the trial. */
  @Test
  void shouldEndWhatAnAppenderStarted() throws Exception {
    Path starts =
        write(
            file("S", "%m%n", "<way>START_PROCESS</way>")
                    .replace(
                        "ch.qos.logback.core.rolling.RollingFileAppender",
                        HostileAppender.class.getName())
                + root("S"));
    assertThat(look(starts, Map.of(), null).file().appender()).isEqualTo("S");
    assertThat(ProcessHandle.allProcesses().flatMap(each -> each.info().commandLine().stream()))
        .noneMatch(line -> line.endsWith("sleep " + HostileAppender.SLEEP_SECONDS));
  }

  /** So that a FileAppender can be tried, too. */
  @Test
  void shouldTakeAFileThatNeverRollsOverIfThereIsToBeNoRotation() throws Exception {
    String plain =
        "<appender name='%s' class='ch.qos.logback.core.FileAppender'><file>%s.log</file>"
            + "<encoder><pattern>%%m%%n</pattern></encoder></appender>";
    Path two = write(plain.formatted("P", "p") + plain.formatted("Q", "q") + root("P", "Q"));
    assertRefused(two, null, "rolls a file over", "try it without a rotation: --no-rotation");
    PlannedTrial trial =
        request(two, Map.of(), null).trial("plain", small(1_000).noRotation().options());
    assertThat(trial.trial().sandboxed().file().appender()).isEqualTo("P");
    assertThat(trial.sizeBytes()).isEqualTo(50_000_000);
    assertThat(
            request(two, Map.of(), "Q")
                .trial("plain", small(1_000).noRotation().options())
                .trial()
                .sandboxed()
                .file()
                .file())
        .endsWith("q.log");
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(
            () -> request(two, Map.of(), "R").trial("plain", small(1_000).noRotation().options()))
        .withMessageContaining("no file appender is called [R] (--file-appender); there are: P, Q");
    PlannedTrial large =
        request(STRANGERS.resolve("manual-size-and-time.xml"), Map.of(), null)
            .trial("large", small(1_000).noRotation().options());
    assertThat(large.sizeBytes()).as("not filled up to its 100 MB").isEqualTo(50_000_000);
  }

  @Test
  void shouldSayEachThingOnceAndNothingOfItself() throws Exception {
    String twice =
        "<rollingPolicy class='org.example.Gone'><fileNamePattern>x</fileNamePattern>"
            + "</rollingPolicy>";
    Path broken = write(rolling("F", twice, "%m%n") + rolling("G", twice, "%m%n") + root("F", "G"));
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> look(broken, Map.of(), null))
        .satisfies(
            refused -> {
              List<String> lines = refused.getMessage().lines().toList();
              assertThat(lines).doesNotHaveDuplicates();
              assertThat(lines.get(0))
                  .isEqualTo(
                      "--config "
                          + broken
                          + ": it needs the class org.example.Gone; name the jar that has it with"
                          + " --classpath. Logback reports:");
              assertThat(refused.getMessage())
                  .doesNotContain("@")
                  .doesNotContain("spillway.stress");
            });
  }

  @Test
  void shouldNameTheVariableThatHasNoValue() throws Exception {
    String policy =
        "<rollingPolicy class='${POLICY}'><fileNamePattern>F.%d.gz</fileNamePattern></rollingPolicy>";
    assertRefused(
        write(rolling("F", policy, "%m%n") + root("F")),
        null,
        "the variable POLICY has no value; give it one with --property POLICY=VALUE");
  }

  @Test
  void shouldSayThatAnAsyncAppenderTakesNoSecondAppender() throws Exception {
    String async =
        "<appender name='A' class='ch.qos.logback.classic.AsyncAppender'>"
            + "<appender-ref ref='%s'/><appender-ref ref='%s'/></appender>";
    String console =
        "<appender name='C' class='ch.qos.logback.core.ConsoleAppender'><encoder><pattern>%m%n"
            + "</pattern></encoder></appender>";
    String all = file("F", "%m%n", "") + console + root("A");
    String ignored = ", Logback: Ignoring additional appender named [%s]";
    assertThat(look(write(async.formatted("F", "C") + all), Map.of(), null).differences())
        .isEqualTo(ignored.formatted("C"));
    assertRefused(
        write(async.formatted("C", "F") + all), null, "nothing to see", ignored.formatted("F"));
  }

  /** What it loses at a load, a trial of it shows. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "<discardingThreshold>0</discardingThreshold><neverBlock>true</neverBlock>"})
  void shouldLogNoFasterThanASmallQueueTakes(String discards) throws Exception {
    String async =
        "<appender name='A' class='ch.qos.logback.classic.AsyncAppender'><queueSize>16</queueSize>"
            + discards
            + "<appender-ref ref='F'/></appender>";
    String slow =
        file("F", "%m%n", "")
            .replace(
                "ch.qos.logback.core.rolling.RollingFileAppender", SlowAtFirst.class.getName());
    assertThat(look(write(slow + async + root("A")), Map.of(), null).file().appender())
        .isEqualTo("F");
  }

  /** Takes long for its first event, as if its classes were on a slow disk. */
  public static final class SlowAtFirst extends RollingFileAppender<ILoggingEvent> {
    private boolean begun;

    @Override
    protected void append(ILoggingEvent event) {
      long end = System.nanoTime() + (begun ? 0 : 300_000_000L);
      begun = true;
      for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
        LockSupport.parkNanos(left);
      }
      super.append(event);
    }
  }

  @Test
  void shouldFollowTheSurroundingsOfAConfiguration() throws Exception {
    Path sifted =
        write(
            "<springProperty name='DIR' source='app.dir'/><springProfile name='prod'>"
                + "<appender name='S' class='ch.qos.logback.classic.sift.SiftingAppender'>"
                + "<discriminator><key>user</key><defaultValue>none</defaultValue></discriminator>"
                + "<sift>"
                + file("F-${user}", "%m%n", "").replace("<file>", "<file>${DIR}/")
                + "</sift></appender>"
                + root("S")
                + "</springProfile>");
    assertRefused(sifted, null, "nothing to see", "a profile with --profile");
    UserConfiguration.Sandboxed found =
        new UserConfiguration(
                sifted,
                home,
                List.of(),
                Map.of("app.dir", "here"),
                LogLine.LOGGER,
                0,
                null,
                0,
                50_000_000,
                new UserConfiguration.Surroundings(List.of("prod"), Map.of("user", "alice"), false))
            .look(1);
    assertThat(found.file().appender()).isEqualTo("F-alice");
    assertThat(found.file().file()).endsWith("/here/F-alice.log");
  }

  private void assertRefused(Path configuration, String appender, String... parts) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> look(configuration, Map.of(), appender))
        .satisfies(
            refused ->
                assertThat(refused.getMessage())
                    .contains(
                        Stream.concat(Stream.of("--config " + configuration), Stream.of(parts))
                            .toList()));
  }
}
