package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.example.HostileAppender;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Other people's configurations, looked at by forked JVMs. */
@Tag("slow")
class UserConfigurationTest {
  private static final Path STRANGERS = Path.of("src/test/resources/strangers").toAbsolutePath();
  private static final String ROLLING = "ch.qos.logback.core.rolling.RollingFileAppender";

  @TempDir Path directory;
  private Path home;
  private List<Path> classPath = List.of();
  private int messageBytes;
  private UserConfiguration.Surroundings surroundings = SmallRun.NO_SURROUNDINGS;

  @BeforeEach
  void makeHome() throws IOException {
    home = Files.createDirectory(directory.resolve("home"));
  }

  private UserConfiguration asked(Path configuration, String appender) {
    return new UserConfiguration(
        configuration,
        home,
        classPath,
        Map.of("LOG_HOME", home + "/var"),
        LogLine.LOGGER,
        messageBytes,
        appender,
        0,
        50_000_000,
        surroundings);
  }

  private UserConfiguration.Sandboxed look(Path configuration) throws Exception {
    return asked(configuration, null).look(1);
  }

  /** Says in one sentence why, and what to do. */
  private void assertRefused(UserConfiguration asked, int rotations, String... parts) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> asked.look(rotations))
        .satisfies(
            refused ->
                assertThat(refused.getMessage())
                    .startsWith("--config " + asked.configuration() + ": ")
                    .contains(parts)
                    .doesNotContain("\n", "@", "spillway.stress"));
  }

  private void assertRefused(String body, String... parts) throws IOException {
    assertRefused(asked(write(body), null), 1, parts);
  }

  private Path write(String body) throws IOException {
    return Files.writeString(
        directory.resolve("own.xml"), "<configuration>" + body + "</configuration>");
  }

  private static String rolling(String name, String policies, String layout) {
    return "<appender name='%s' class='%s'><file>%1$s.log</file>%s"
            .formatted(name, ROLLING, policies)
        + "<encoder><pattern>"
        + layout
        + "</pattern></encoder></appender>";
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

  private static String filter(String level) {
    return "<filter class='ch.qos.logback.classic.filter.ThresholdFilter'><level>%s</level></filter>"
        .formatted(level);
  }

  private static String root(String... appenders) {
    return Stream.of(appenders)
        .map(name -> "<appender-ref ref='" + name + "'/>")
        .collect(Collectors.joining("", "<root level='INFO'>", "</root>"));
  }

  @ParameterizedTest
  @CsvSource({
    "manual-size-and-time.xml, ROLLING, false, 104857600",
    "manual-fixed-window.xml, FILE, false, 5242880",
    "manual-async-time-based.xml, FILE, true, 50000000",
    "json-audit.xml, AUDIT, false, 20971520",
  })
  void shouldRunAsItIsAndTouchNothing(String name, String appender, boolean byClock, long size)
      throws Exception {
    UserConfiguration.Sandboxed found = look(STRANGERS.resolve(name));

    assertThat(found.file().appender()).isEqualTo(appender);
    assertThat(found.file().rollsByClock()).isEqualTo(byClock);
    assertThat(found.sizeBytes()).isEqualTo(size);
    assertThat(found.lineBytes()).isBetween(80.0, 1_000.0);
    assertThat(found.file().file()).startsWith(home.toString().substring(1));
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void shouldReadFilesWhereTheApplicationRuns() throws Exception {
    Files.createDirectory(home.resolve("conf"));
    Files.writeString(
        home.resolve("conf/more.xml"),
        "<included>" + file("${B}-${PROD}", "%m%n", "") + "</included>");
    Files.writeString(home.resolve("conf/more.properties"), "B=b");
    Path own =
        write(
            "<property file='conf/more.properties'/><define name='PROD'"
                + " class='ch.qos.logback.core.property.FileExistsPropertyDefiner'>"
                + "<path>conf/more.xml</path></define><include file='conf/more.xml'/>"
                + root("b-true"));
    assertThat(look(own).file().file()).isEqualTo(home.toString().substring(1) + "/b-true.log");
    assertThat(home).isDirectoryNotContaining(file -> !file.endsWith("conf"));
  }

  @Test
  void shouldTakeTheFirstThatGetsTheEventsOrTheOneThatIsNamed() throws Exception {
    Path both =
        write(
            file("ERRORS", "%m%n", filter("ERROR"))
                + file("ALL", "%m%n", "")
                + file("MORE", "%m%n", "")
                + root("ERRORS", "ALL", "MORE"));
    assertThat(look(both).file().appender()).isEqualTo("ALL");
    assertThat(asked(both, "MORE").look(1).file().appender()).isEqualTo("MORE");
    assertRefused(asked(both, "ERRORS"), 1, "0 are whole in the file of appender [ERRORS]");
    assertRefused(
        asked(both, "NONE"), 1, "rolls a file over is called [NONE]", "ERRORS, ALL, MORE");
  }

  @Test
  void shouldSayWhyNoTrialCanBeMade() throws Exception {
    assertRefused("<appender/>", "Logback reports", "mend that in the file");
    assertRefused("<root level='INFO'", "Logback reports");
    assertRefused(
        rolling("F", "<rollingPolicy class='org.example.Gone'/>", "%m%n") + root("F"),
        "it needs the class org.example.Gone; name the jar that has it with --classpath");
    assertRefused(
        rolling("F", "<rollingPolicy class='${POLICY}'/>", "%m%n") + root("F"),
        "the variable POLICY has no value; give it one with --property POLICY=VALUE");
    assertRefused(
        "<include resource='org/example/none.xml'/>" + file("F", "%m%n", "") + root("F"),
        "it includes org/example/none.xml; name the jar that has it with --classpath");
    assertRefused(
        file("F", "%m%n", "") + root("F").replace("INFO", "WARN"), "does not log INFO", "--logger");
    assertRefused("<root level='INFO'/>", "rolls a file over", "--profile");
    assertRefused(root("NOPE"), "rolls a file over", "Appender named [NOPE] could not be found");
    assertRefused(file("F", "%d %.-20m%n", "") + root("F"), "of 10 events", "0 are", "%msg");
    assertRefused(asked(STRANGERS.resolve("cassandra.xml"), null), 1, "time-zone ID: SSS");
    Path clock = write(file("C", "%m%n", "") + root("C"));
    assertRefused(asked(clock, null), 2, "[C] rolls over by the clock alone", "--rotations 1");
    String conditional = "<if condition='true'><then/></if>" + file("F", "%m%n", "") + root("F");
    assertRefused(conditional, "needs Janino and a Logback before 1.6; name the jars of both");
    classPath = List.of(Path.of("target/logback-1.5/*").toAbsolutePath());
    assertRefused(conditional, "needs Janino and a Logback before 1.6; name the jars of both");
    classPath = List.of(Path.of("target/strangers/*").toAbsolutePath());
    assertRefused(file("F", "%m%n", "").replace(".gz", ".xz") + root("F"), "cannot be read back");
  }

  /** As in a well-known database's file: Logback reports an error, and runs the others. */
  @Test
  void shouldRunInSpiteOfErrorsOfOthersAndNoteThem() throws Exception {
    Path colliding =
        write(
            file("MAIN", "%m%n", "<if><then><append>false</append></then></if>")
                + file("COST", "%m%n", "")
                + file("OTHER", "%m%n", "").replace("OTHER.%d", "COST.%d")
                + file("SECOND", "%m%n", "")
                + "<appender name='A' class='ch.qos.logback.classic.AsyncAppender'>"
                + "<appender-ref ref='MAIN'/><appender-ref ref='SECOND'/></appender>"
                + root("A", "COST", "OTHER", "NOPE"));
    UserConfiguration.Sandboxed found = look(colliding);
    assertThat(found.file().appender()).isEqualTo("MAIN");
    assertThat(found.notes())
        .contains(
            "Logback reports: Collision detected. Skipping initialization of appender named [OTHER]",
            "Logback reports: Ignoring additional appender named [SECOND]")
        .anyMatch(
            note -> note.startsWith("Logback reports: Appender named [NOPE] could not be found"))
        .anyMatch(note -> note.contains("Element <appender> at line 1 contains a nested <if>"))
        .doesNotHaveDuplicates();
    Trial trial = asked(colliding, null).trial("colliding", small(2_000).options());
    RunResult result = SmallRun.run(small(2_000).options(), List.of(trial)).result();
    assertThat(result.notes()).contains("colliding: " + found.notes().get(0));
    assertThat(result.trials().get(0).load()).as(result.finding()).isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "END        | under org.example.HostileAppender.start",
        "INCOMPLETE | it needs the class org.example.Client; name the jar that has it",
        "OUTDATED   | org.example.HostileAppender in test-classes was made for another Logback",
      })
  void shouldSayWhatAnAppenderDidToTheJvmThatReadItsConfiguration(String way, String said)
      throws Exception {
    assertRefused(hostile(way), said);
  }

  private static String hostile(String way) {
    return file("H", "%m%n", "<way>" + way + "</way>")
            .replace(ROLLING, HostileAppender.class.getName())
        + root("H");
  }

  /** It would go on beside the trial. */
  @Test
  void shouldEndWhatAnAppenderStarted() throws Exception {
    assertThat(look(write(hostile("START_PROCESS"))).file().appender()).isEqualTo("H");
    assertThat(ProcessHandle.allProcesses().flatMap(each -> each.info().commandLine().stream()))
        .noneMatch(line -> line.endsWith("sleep " + HostileAppender.SLEEP_SECONDS));
  }

  /** It would open the files of the class path's own logback.xml before the sandbox is asked. */
  @Test
  void shouldRefuseALogbackThatDoesNotAskTheSandbox() throws Exception {
    Path own = write(file("F", "%m%n", "").replace("F.log", home + "/real.log") + root("F"));
    Files.copy(own, directory.resolve("logback.xml"));
    classPath = List.of(directory, Path.of("target/old-logback/*").toAbsolutePath());
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> look(own))
        .withMessageContaining("logback-classic-1.2")
        .withMessageContaining("is too old; name 1.5.8 or newer there");
    assertThat(home).isEmptyDirectory();
  }

  @Test
  void shouldMeasureLongMessagesBeforeTheirFileRollsOver() throws Exception {
    messageBytes = 200_000;
    assertThat(look(STRANGERS.resolve("manual-fixed-window.xml")).lineBytes())
        .isBetween(200_000.0, 201_000.0);
  }

  private SmallRun small(double eventsPerSecond) {
    return new SmallRun(directory.resolve("out"))
        .rate(eventsPerSecond)
        .limits(SmallRun.ANY_LATENCY);
  }

  @ParameterizedTest
  @CsvSource({"1000, false", "50000, true"})
  void shouldRollOverLaterIfTheLoadWouldPassItsOwnSizeTooSoon(double rate, boolean later)
      throws Exception {
    UserConfiguration.Sandboxed found =
        asked(STRANGERS.resolve("manual-fixed-window.xml"), null)
            .trial("any", small(rate).options())
            .sandboxed();
    assertThat(found.sizeBytes() > 5 << 20).isEqualTo(later);
    assertThat(found.limitBytes()).isEqualTo(later ? found.sizeBytes() : 0);
    assertThat(found.notes().stream().anyMatch(note -> note.contains("instead of 5,242,880")))
        .isEqualTo(later);
  }

  /** So that a FileAppender can be tried, too. */
  @Test
  void shouldTakeAFileThatNeverRollsOverIfThereIsToBeNoRotation() throws Exception {
    String plain = rolling("P", "", "%m%n").replace("rolling.Rolling", "");
    Path file = write(plain + root("P"));
    assertRefused(asked(file, null), 1, "rolls a file over", "or try it with --no-rotation");
    Trial trial = asked(file, "P").trial("plain", small(1_000).noRotation().options());
    assertThat(trial.sizeBytes()).isEqualTo(50_000_000);
    assertThat(asked(STRANGERS.resolve("manual-size-and-time.xml"), null).look(0).sizeBytes())
        .as("not filled up to its 100 MB")
        .isEqualTo(50_000_000);
  }

  @Test
  void shouldFollowTheSurroundingsOfAConfiguration() throws Exception {
    surroundings =
        new UserConfiguration.Surroundings(List.of("prod"), Map.of("user", "alice"), false);
    Path sifted =
        write(
            "<springProperty name='DIR' source='LOG_HOME'/><springProfile name='prod'>"
                + "<appender name='S' class='ch.qos.logback.classic.sift.SiftingAppender'>"
                + "<discriminator><key>user</key><defaultValue>none</defaultValue></discriminator>"
                + "<sift>"
                + file("F-${user}", "%m%n", "").replace("<file>", "<file>${DIR}/")
                + "</sift></appender>"
                + root("S")
                + "</springProfile>");
    UserConfiguration.Sandboxed found = look(sifted);
    assertThat(found.file().appender()).isEqualTo("F-alice");
    assertThat(found.file().file()).endsWith("/var/F-alice.log");
  }
}
