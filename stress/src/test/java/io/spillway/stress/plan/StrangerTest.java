package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.PropertyDefinerBase;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import io.spillway.stress.verify.LogLine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.example.HostileAppender;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whole trials of other people's configurations; where those come from says their README. */
@Tag("slow")
class StrangerTest {
  private static final Path STRANGERS = Path.of("src/test/resources/strangers").toAbsolutePath();
  private static final Path JARS = Path.of("target/strangers/*").toAbsolutePath();
  private static final String ROLLING = "ch.qos.logback.core.rolling.RollingFileAppender";
  private static final int OWN_LIMIT = 0;
  private static final int SMALL = 4 << 20;

  /** No promise about waits and latency: what is tested is the harness. */
  private static final Judge.Limits LIMITS = new Judge.Limits(60_000, 60_000, 0);

  @TempDir Path directory;
  private List<Path> classPath = List.of(JARS);

  private TrialResult run(String name, String logger, long limitBytes)
      throws IOException, InterruptedException {
    return runOf(name, logger, limitBytes, small()).trials().get(0);
  }

  private SmallRun small() {
    return new SmallRun(directory.resolve("out")).limits(LIMITS);
  }

  private RunResult runOf(String name, String logger, long limitBytes, SmallRun small)
      throws IOException, InterruptedException {
    Path home = Files.createDirectory(directory.resolve("home"));
    Map<String, String> properties =
        Map.of(
            "LOG_HOME",
            home + "/var",
            "LOG_PATH",
            home + "/spring",
            "application.home",
            home.toString(),
            "user.home",
            home.toString());
    UserConfiguration request =
        new UserConfiguration(
            STRANGERS.resolve(name),
            home,
            classPath,
            properties,
            logger,
            0,
            null,
            limitBytes,
            SMALL,
            SmallRun.NO_SURROUNDINGS);
    RunOptions options = small.options();
    Trial trial = request.trial("stranger", options);
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(said, true, StandardCharsets.UTF_8);
    RunResult result = SmallRun.run(options, List.of(trial), out).result();
    assertThat(said.toString(StandardCharsets.UTF_8))
        .as("what is not as its owner knows it, before anything is done")
        .containsSubsequence("stranger: " + trial.description(), "stranger: load");
    assertThat(home).as("nothing was touched").isEmptyDirectory();
    return result;
  }

  private static void assertSeenWhole(TrialResult trial) {
    assertThat(trial.readBack().conservation().lost()).as("%s", trial.reasons()).isZero();
    assertSeen(trial);
  }

  private static void assertSeen(TrialResult trial) {
    // What a short load on a busy machine shows of waits and stops is not what is asked here.
    ReadBackFigures.Conservation seen = trial.readBack().conservation();
    assertThat(seen.duplicated() + seen.outOfOrder() + seen.torn() + seen.unknown())
        .as("%s", trial.reasons())
        .isZero();
    assertThat(trial.waits().complete()).isTrue();
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(seen.delivered() + seen.lost()).isEqualTo(seen.sent()).isGreaterThan(4_000);
    assertThat(trial.readBack().prefillIntact()).isTrue();
  }

  @Test
  void shouldRollOverByTheClockOfAStrangersConfiguration() throws Exception {
    assertSeenWhole(run("manual-time-based.xml", LogLine.LOGGER, OWN_LIMIT));
  }

  /** What was in the file before, its owner does not want to keep. */
  @Test
  void shouldRunAnAppenderThatEmptiesItsFileAtTheStart() throws Exception {
    Path emptying =
        Files.writeString(
            directory.resolve("emptying.xml"),
            """
            <configuration>
              <appender name="FILE" class="ch.qos.logback.core.FileAppender">
                <file>app.log</file>
                <append>false</append>
                <encoder><pattern>%d %m%n</pattern></encoder>
              </appender>
              <root level="INFO"><appender-ref ref="FILE"/></root>
            </configuration>
            """);
    TrialResult trial =
        runOf(emptying.toString(), LogLine.LOGGER, OWN_LIMIT, small().noRotation()).trials().get(0);
    assertThat(trial.readBack().prefillIntact()).as("%s", trial.reasons()).isTrue();
    assertThat(trial.readBack().conservation().clean()).as("%s", trial.reasons()).isTrue();
    assertThat(trial.readBack().conservation().delivered()).isGreaterThan(4_000);
  }

  @Test
  void shouldRollOverAtTheSizeOfTheRunAndReadJsonBack() throws Exception {
    assertSeenWhole(run("json-audit.xml", LogLine.LOGGER, 2 * SMALL));
  }

  @ParameterizedTest
  @CsvSource({
    "spring-boot.xml, shop.OrderService, 0",
    "no-file.xml, shop.OrderService, 0",
    "manual-fixed-window.xml, shop.OrderService, 4194304",
    "manual-size-and-time.xml, shop.OrderService, 4194304",
    "manual-async-time-based.xml, shop.OrderService, 4194304",
    "zookeeper.xml, org.apache.zookeeper.server.PrepRequestProcessor, 4194304",
    "nifi.xml, org.apache.nifi.web.api.FlowResource, 4194304",
    "nacos.xml, shop.OrderService, 4194304",
    "rocketmq.xml, RocketmqNamesrv, 4194304",
    "two-files.xml, shop.OrderService, 4194304",
  })
  @EnabledIfSystemProperty(named = "spillway.test.full", matches = "true")
  void shouldRunConfigurationsOfWellKnownProjects(String name, String logger, long size)
      throws Exception {
    TrialResult trial = run(name, logger, size);
    assertSeenWhole(trial);
    if (name.equals("spring-boot.xml")) {
      assertThat(trial.readBack().files().get(0).name()).matches(".*spring\\.log\\..*\\.0\\.gz");
    }
  }

  /** Its AsyncAppender discards what is below WARN while its queue is nearly full. */
  @Test
  @EnabledIfSystemProperty(named = "spillway.test.full", matches = "true")
  void shouldRunAConfigurationThatDiscards() throws Exception {
    assertSeen(run("thehive.xml", "application", SMALL));
  }

  /** Logback 1.6.6 throws at the comma of its console's date pattern, unless it is quoted. */
  @Test
  @EnabledIfSystemProperty(named = "spillway.test.full", matches = "true")
  void shouldRunCassandrasWithItsDatePatternQuoted() throws Exception {
    Path quoted = edited("cassandra.xml", "{HH:mm:ss,SSS}", "{\"HH:mm:ss,SSS\"}");
    assertSeenWhole(run(quoted.toString(), "org.apache.cassandra.db.Keyspace", SMALL));
  }

  private Path edited(String name, String from, String to) throws IOException {
    String original = Files.readString(STRANGERS.resolve(name));
    assertThat(original).contains(from);
    return Files.writeString(directory.resolve("edited.xml"), original.replace(from, to));
  }

  /** On the oldest that the sandbox takes, which goes before the tester's own. */
  @Test
  void shouldRunOnTheLogbackOfItsOwnClassPath() throws Exception {
    classPath = List.of(Path.of("target/logback-1.5/*").toAbsolutePath());
    Path named =
        edited(
            "manual-fixed-window.xml",
            "<configuration>",
            "<configuration><define name='LOGBACK' class='" + LogbackJar.class.getName() + "'/>");
    Files.writeString(named, Files.readString(named).replace("<file>", "<file>${LOGBACK}"));
    TrialResult trial = run(named.toString(), LogLine.LOGGER, SMALL);
    assertSeenWhole(trial);
    assertThat(trial.readBack().files()).anyMatch(file -> file.name().contains("logback-core-1.5"));
  }

  /** What was looked for there would seem lost. */
  @Test
  void shouldBeInconclusiveIfItsFileHasAnotherNameInEachJvm() throws Exception {
    Path changing =
        edited(
            "manual-fixed-window.xml",
            "<configuration>",
            "<configuration><define name='PID' class='" + Pid.class.getName() + "'/>");
    Files.writeString(changing, Files.readString(changing).replace("<file>", "<file>${PID}"));
    TrialResult trial = run(changing.toString(), LogLine.LOGGER, SMALL);
    assertThat(trial.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(trial.reasons())
        .singleElement()
        .asString()
        .contains("is called otherwise in the trial", "must not change from one JVM to the next");
  }

  /** A property in a configuration: the process id. */
  public static final class Pid extends PropertyDefinerBase {
    @Override
    public String getPropertyValue() {
      return Long.toString(ProcessHandle.current().pid());
    }
  }

  /** The trials before it, which may have taken long, must not be lost with it. */
  @Test
  void shouldBeInconclusiveIfItsRecordingCannotBeRead() throws Exception {
    Path spoiled = edited("manual-fixed-window.xml", ROLLING, SaboteurAppender.class.getName());
    TrialResult trial = run(spoiled.toString(), LogLine.LOGGER, SMALL);
    assertThat(trial.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(trial.reasons()).hasSize(1).allMatch(r -> r.contains("what it left cannot be read"));
  }

  /** That is no doubt about a trial: an application would end with it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "END_LATER  | 0 | under org.example.HostileAppender.later",
        "HALT_LATER | 3 | where in it is not known, as after Runtime.halt",
      })
  void shouldBeViolatedIfItEndsTheJvmInTheMiddleOfTheLoad(String way, int code, String where)
      throws Exception {
    RunResult result = hostileRun(way);
    TrialResult trial = result.trials().get(0);
    assertThat(trial.verdict()).as("%s", trial.reasons()).isEqualTo(Verdict.VIOLATED);
    assertThat(trial.reasons())
        .singleElement()
        .asString()
        .containsPattern(
            "the appender ended the JVM \\(exit code " + code + "\\) after [0-9.]+ s, " + where);
    assertThat(result.exitCode()).isEqualTo(1);
  }

  /** Code 3 says nothing that a user knows; and another size of the heap may do. */
  @Test
  void shouldBeViolatedIfItTakesAllMemory() throws Exception {
    TrialResult trial = hostile("TAKE_MEMORY_LATER");
    assertThat(trial.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(trial.reasons())
        .singleElement()
        .asString()
        .contains("the forked JVM ran out of memory (exit code 3; --heap gives it more)");
  }

  /** The thread that warms up, too; the trial must not end by it. */
  @Test
  void shouldCountLogCallsThatInterruptTheirThread() throws Exception {
    TrialResult trial = hostile("INTERRUPT");
    assertThat(trial.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(trial.load().interrupted()).isEqualTo(trial.readBack().conservation().sent() / 100);
    assertThat(trial.reasons())
        .anyMatch(reason -> reason.contains(trial.load().interrupted() + " left an interrupt"));
  }

  private TrialResult hostile(String way) throws Exception {
    return hostileRun(way).trials().get(0);
  }

  private RunResult hostileRun(String way) throws Exception {
    Path hostile =
        edited(
            "manual-fixed-window.xml",
            ROLLING + "\">",
            HostileAppender.class.getName() + "\"><way>" + way + "</way>");
    return runOf(hostile.toString(), LogLine.LOGGER, SMALL, small());
  }
}
