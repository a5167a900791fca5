package io.spillway.stress.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.status.Status;
import io.spillway.archive.ArchiveListener;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxConfiguratorTest {
  private static final String ENCODER = "<encoder><pattern>%d %m%n</pattern></encoder>";
  private static final String TO_FILE = "<root level='INFO'><appender-ref ref='FILE'/></root>";
  private static final String LOGGER = "shop.OrderService";

  @TempDir Path directory;
  private Path root;
  private String inRoot;
  private long limit;
  private int rotations = 1;
  private Set<String> profiles = Set.of();
  private boolean network;
  private final LoggerContext context = new LoggerContext();

  @BeforeEach
  void prepare() {
    root = directory.resolve("box");
    inRoot = directory.toString().substring(1);
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

  @AfterEach
  void stop() {
    context.stop();
    System.clearProperty(Sandbox.Spec.PROPERTY);
    System.clearProperty("app.dir");
  }

  private List<Probe.LogFile> configure(String body) throws Exception {
    context.reset();
    Path file =
        Files.writeString(
            directory.resolve("logback.xml"), "<configuration>" + body + "</configuration>");
    Sandbox.Spec spec =
        new Sandbox.Spec(
            file.toString(), root.toString(), limit, 9_000_000, rotations, profiles, network);
    spec.write(directory.resolve("spec.json")).forEach(System::setProperty);
    SandboxConfigurator configurator = new SandboxConfigurator();
    configurator.setContext(context);
    assertThat(configurator.configure(context))
        .isEqualTo(ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
    return Probe.files(context, sandbox());
  }

  private Sandbox sandbox() {
    return SandboxConfigurator.of(context);
  }

  private void log() {
    context.getLogger(LOGGER).info("an event");
  }

  private void assertNoComplaints() {
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .noneMatch(status -> status.getEffectiveLevel() >= Status.WARN);
  }

  /** Every file of the test is in the sandbox, except its own two. */
  private void assertNothingOutside() throws Exception {
    context.stop();
    try (var files = Files.walk(directory)) {
      assertThat(files.filter(Files::isRegularFile).filter(file -> !file.startsWith(root)))
          .containsExactlyInAnyOrder(
              directory.resolve("logback.xml"), directory.resolve("spec.json"));
    }
  }

  private static String appender(String name, String file, String rest) {
    return "<appender name='%s' class='ch.qos.logback.core.rolling.RollingFileAppender'>"
            .formatted(name)
        + "<file>%s</file>%s%s</appender>".formatted(file, rest, ENCODER);
  }

  private static String window(String policies, String file, String size) {
    return "<rollingPolicy class='%1$s.FixedWindowRollingPolicy'><fileNamePattern>%2$s"
            .formatted(policies, file)
        + ".%i.gz</fileNamePattern></rollingPolicy>"
        + "<triggeringPolicy class='%s.SizeBasedTriggeringPolicy'>%s</triggeringPolicy>"
            .formatted(policies, size);
  }

  @Test
  void shouldLeaveOtherJvmsToLogback() {
    assertThat(new SandboxConfigurator().configure(context))
        .isEqualTo(ExecutionStatus.INVOKE_NEXT_IF_ANY);
  }

  @Test
  void shouldRedirectPathsAfterVariablesAndFindTheSizeOfANestedPolicy() throws Exception {
    List<Probe.LogFile> files =
        configure(
            "<property name='LOGS' value='%s/var/log'/>".formatted(directory)
                + appender(
                    "FILE",
                    "${LOGS}/app.log",
                    "<rollingPolicy class='ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy'>"
                        + "<fileNamePattern>${LOGS}/old/app.%d.%i.log.gz</fileNamePattern>"
                        + "<maxFileSize>${SIZE:-7MB}</maxFileSize></rollingPolicy>")
                + "<appender name='ASYNC' class='ch.qos.logback.classic.AsyncAppender'>"
                + "<appender-ref ref='FILE'/></appender>"
                + "<root level='INFO'><appender-ref ref='ASYNC'/></root>");
    assertNoComplaints();
    assertThat(files)
        .containsExactly(
            new Probe.LogFile(
                "FILE",
                "ch.qos.logback.core.rolling.RollingFileAppender",
                inRoot + "/var/log/app.log",
                true,
                inRoot + "/var/log/old/app.%d.%i.log.gz",
                7 << 20));
    log();
    assertNothingOutside();
    assertThat(root.resolve(files.get(0).file())).isNotEmptyFile();
  }

  @ParameterizedTest
  @CsvSource({
    "File, app.log, true",
    "fileNamePattern, app.%i.log, true",
    "spillDirectory, /tmp/spill, true",
    "spillDirectory, spill, false",
    "output, logs/own.log, true",
    "profile, a/b, false",
    "keyStoreLocation, classpath:conf/keys, false",
    "logPath, 'C:\\logs', true",
    "pattern, %d/%m%n, false",
    "file, '', false",
  })
  void shouldTellPathsFromOtherProperties(String name, String value, boolean path) {
    assertThat(Sandbox.isPath(name, value)).isEqualTo(path);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ch.qos.logback.core.rolling", "io.spillway.rolling"})
  void shouldPutTheLimitInPlaceOfAnySize(String policies) throws Exception {
    String default10 = appender("FILE", "a.log", window(policies, "a", ""));
    assertThat(configure(default10 + TO_FILE).get(0).maxFileSizeBytes()).isEqualTo(10 << 20);
    limit = 123_456;
    assertThat(configure(default10 + TO_FILE).get(0).maxFileSizeBytes()).isEqualTo(limit);
    String own = window(policies, "a", "<maxFileSize>7MB</maxFileSize>");
    assertThat(configure(appender("FILE", "a.log", own) + TO_FILE).get(0).maxFileSizeBytes())
        .isEqualTo(limit);
    assertNoComplaints();
  }

  @Test
  void shouldLookAtTheSizeOftenUnlessTheConfigurationSaysHowOften() throws Exception {
    String policies = "ch.qos.logback.core.rolling";
    String seldom = "<checkIncrement>1 hour</checkIncrement>";
    configure(
        appender("FILE", "a.log", window(policies, "a", ""))
            + appender("SELDOM", "b.log", window(policies, "b", seldom))
            + "<root><appender-ref ref='FILE'/><appender-ref ref='SELDOM'/></root>");
    assertThat(increment("FILE")).isEqualTo(100);
    assertThat(increment("SELDOM")).isEqualTo(3_600_000);
    assertThat(sandbox().notes())
        .containsExactly(
            "SizeBasedTriggeringPolicy looks at the file size every 100 ms, not once a minute");
  }

  private long increment(String name) {
    RollingFileAppender<?> appender =
        (RollingFileAppender<?>) context.getLogger("ROOT").getAppender(name);
    return ((SizeBasedTriggeringPolicy<?>) appender.getTriggeringPolicy())
        .getCheckIncrement()
        .getMilliseconds();
  }

  @Test
  void shouldTellAFileThatRollsByTheClockAndIsCalledLikeItsArchive() throws Exception {
    String policy =
        "<rollingPolicy class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
            + "<fileNamePattern>%s/app.%%d{yyyy-MM}.log.gz</fileNamePattern></rollingPolicy>";
    String clock = appender("FILE", "x.log", policy.formatted(directory)) + TO_FILE;
    Probe.LogFile named = configure(clock).get(0);
    assertThat(named.rollsByClock()).isTrue();
    assertThat(named.named()).isTrue();
    Probe.LogFile unnamed = configure(clock.replace("<file>x.log</file>", "")).get(0);
    assertThat(unnamed.named()).isFalse();
    assertThat(unnamed.file()).matches(".*/app\\.\\d{4}-\\d\\d\\.log");
  }

  private static String sifted(String appender) {
    return "<appender name='SIFT' class='ch.qos.logback.classic.sift.SiftingAppender'>"
        + "<discriminator><key>user</key><defaultValue>none</defaultValue></discriminator><sift>"
        + appender
        + "</sift></appender><root level='INFO'><appender-ref ref='SIFT'/></root>";
  }

  @Test
  void shouldKeepTheFilesOfASiftingAppender() throws Exception {
    limit = 123_456;
    String file = directory + "/${user}";
    configure(
        sifted(
            appender(
                "FILE-${user}",
                file + ".log",
                window("ch.qos.logback.core.rolling", file, "<maxFileSize>1MB</maxFileSize>"))));
    context.getMDCAdapter().put("user", "bob");
    log();
    assertThat(Probe.files(context, sandbox()))
        .singleElement()
        .satisfies(
            found -> {
              assertThat(found.appender()).isEqualTo("FILE-bob");
              assertThat(found.file()).isEqualTo(inRoot + "/bob.log");
              assertThat(found.maxFileSizeBytes()).isEqualTo(limit);
            });
    assertThat(sandbox().notes()).contains("SIFT sifts by user (--mdc user=VALUE)");
    assertNothingOutside();
  }

  /** To open a file of the application could empty it, and a policy deletes archives at start. */
  @ParameterizedTest
  @ValueSource(strings = {"stem", "late", "sifted", "policy"})
  void shouldRefuseAPartThatNamesAFileOutsideByItself(String way) throws Exception {
    Wayward.directory = directory;
    WaywardPolicy.started = false;
    Path real = Files.writeString(directory.resolve("real.log"), "of the application");
    String wayward =
        "<appender name='FILE' class='%s'><%s>real</%2$s><append>%s</append>%s</appender>";
    configure(
        switch (way) {
          case "sifted" ->
              sifted(wayward.formatted(Wayward.class.getName(), "stem", "false", ENCODER));
          case "policy" ->
              appender(
                      "FILE",
                      "a.log",
                      "<rollingPolicy class='%s'><stem>real</stem></rollingPolicy>"
                          .formatted(WaywardPolicy.class.getName()))
                  + TO_FILE;
          default ->
              wayward.formatted(Wayward.class.getName(), way, way.equals("late"), ENCODER)
                  + TO_FILE;
        });
    if (way.equals("sifted")) {
      log();
    }
    assertThat(sandbox().refusal())
        .contains("names the file [" + directory + "/real.", "] by itself, which is not touched");
    assertThat(real).hasContent("of the application");
    assertThat(WaywardPolicy.started).isFalse();
  }

  /** Names its file by itself, before its start or in it. */
  public static final class Wayward extends FileAppender<ILoggingEvent> {
    private static Path directory;
    private String late;

    public void setStem(String stem) {
      setFile(directory.resolve(stem + ".log").toString());
    }

    public void setLate(String stem) {
      late = stem;
    }

    @Override
    public void start() {
      if (late != null) {
        setStem(late);
      }
      super.start();
    }
  }

  /** Names its archives by itself. */
  public static final class WaywardPolicy extends TimeBasedRollingPolicy<ILoggingEvent> {
    private static boolean started;

    public void setStem(String stem) {
      setFileNamePattern(Wayward.directory + "/" + stem + ".%d.log");
    }

    @Override
    public void start() {
      started = true;
      super.start();
    }
  }

  @Test
  void shouldNotReadTheConfigurationAgainWhenItChanges() throws Exception {
    Path file = directory.resolve("logback.xml");
    configure("");
    Files.writeString(file, "<configuration scan='true' scanPeriod='1 second'/>");
    new SandboxConfigurator().configure(context);
    assertThat(context.getCopyOfScheduledFutures()).isNotEmpty().allMatch(Future::isCancelled);
  }

  private static final String SPRING =
      """
      <property name="BASE" value="base"/>
      <springProperty scope="context" name="DIR" source="app.dir" defaultValue="${BASE}/logs"/>
      <springProperty name="GONE" source="app.gone"/>
      <springProfile name="prod &amp; !quiet, live">
        <appender name="FILE" class="ch.qos.logback.core.FileAppender">
          <file>/${DIR}/a.log</file>%s
        </appender>
        <root level="INFO"><appender-ref ref="FILE"/></root>
      </springProfile>
      <springProfile name="default">
        <appender name="CONSOLE" class="ch.qos.logback.core.ConsoleAppender">%1$s</appender>
        <root level="INFO"><appender-ref ref="CONSOLE"/></root>
      </springProfile>
      """
          .formatted(ENCODER);

  @Test
  void shouldUnderstandTheElementsOfSpringBoot() throws Exception {
    profiles = Set.of("prod");
    assertThat(configure(SPRING).get(0).file()).isEqualTo("base/logs/a.log");
    System.setProperty("app.dir", "var");
    assertThat(configure(SPRING).get(0).file()).isEqualTo("var/a.log");
    assertNoComplaints();
    assertThat(sandbox().notes())
        .containsExactly("no value for app.gone (--property app.gone=VALUE)");
    profiles = Set.of("prod", "quiet");
    assertThat(configure(SPRING)).isEmpty();
    profiles = Set.of();
    assertThat(configure(SPRING)).isEmpty();
    assertThat(context.getLogger("ROOT").getAppender("CONSOLE")).as("default").isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a;true",
        "!a;false",
        "b,a;true",
        "a & !c;false",
        "(b | c) & a;true",
        "!(a & (b | !c));true",
        "b | a & c;true",
      })
  void shouldReadProfileExpressionsAsSpringDoes(String expression, boolean accepted) {
    assertThat(SpringElements.accepts(expression, Set.of("a", "c"))).isEqualTo(accepted);
  }

  private static final String NETWORK =
      """
      <appender name="SOCKET" class="ch.qos.logback.classic.net.SocketAppender">
        <remoteHost>localhost</remoteHost><port>PORT</port>
      </appender>
      <appender name="MAIL" class="ch.qos.logback.classic.net.SMTPAppender">
        <smtpHost>localhost</smtpHost><layout class="org.example.Gone"/>
      </appender>
      <appender name="KAFKA" class="com.github.danielwegener.logback.kafka.KafkaAppender">
        <filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>WARN</level></filter>
        <topic>logs</topic><appender-ref ref="NOP"/>
      </appender>
      <appender name="OWN" class="org.example.Shipper"><brokerList>a:1</brokerList></appender>
      <appender name="NOP" class="ch.qos.logback.core.helpers.NOPAppender"/>
      <root level="INFO">
        <appender-ref ref="SOCKET"/><appender-ref ref="MAIL"/><appender-ref ref="KAFKA"/>
        <appender-ref ref="OWN"/><appender-ref ref="NOP"/>
      </root>
      """;

  @Test
  void shouldTakeWhatWouldBeSentAndReachNothing() throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      server.setSoTimeout(500);
      configure(NETWORK.replace("PORT", Integer.toString(server.getLocalPort())));
      log();
      assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(server::accept);
    }
    assertNoComplaints();
    assertThat(sandbox().notes())
        .extracting(note -> note.replaceAll(" .*", ""))
        .containsExactlyInAnyOrder("SOCKET", "MAIL", "KAFKA", "OWN");
    assertThat(context.getLogger("ROOT").getAppender("MAIL"))
        .isInstanceOf(SilentAppender.class)
        .matches(Appender::isStarted);
    assertThat(context.getLogger("ROOT").getAppender("KAFKA").getCopyOfAttachedFiltersList())
        .hasSize(1);
  }

  /** Its name has the word telemetry, but it hands on to the file that is watched. */
  @Test
  void shouldLeaveAWrapperThatAddsTracesWhereItIs() throws Exception {
    String example = Files.readString(Path.of("../config-examples/opentelemetry/logback.xml"));
    configure(example.replaceAll("</?configuration.*>|<\\?.*", ""));
    assertThat(sandbox().notes()).noneMatch(note -> note.contains("other processes"));
  }

  /** It would take archives of a trial to the store of the real ones, under their names. */
  @Test
  void shouldGiveNoArchiveToAListenerUnlessThatIsAllowed() throws Exception {
    String listening =
        appender(
                "FILE",
                "a.log",
                "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
                    + "<fileNamePattern>a.%d.%i.log.gz</fileNamePattern>"
                    + "<maxFileSize>7MB</maxFileSize>"
                    + "<archiveListener class='"
                    + Recording.class.getName()
                    + "'><target>/abs/here</target></archiveListener></rollingPolicy>")
            + TO_FILE;
    Recording.target = null;
    configure(listening);
    assertNoComplaints();
    assertThat(Recording.target).as("not made").isNull();
    network = true;
    configure(listening);
    assertThat(Recording.target).isEqualTo(root + "/abs/here");
    assertThat(sandbox().notes()).containsExactly("archiveListener reaches other processes");
  }

  /** A listener of the application. */
  public static final class Recording implements ArchiveListener {
    private static String target;

    public void setTarget(String directory) {
      target = directory;
    }

    @Override
    public void archived(Path archive) {}
  }

  /** Archives of a trial that are deleted would count as lost. */
  @Test
  void shouldKeepAllArchivesOfATrial() throws Exception {
    String capped =
        appender(
                "FILE",
                "a.log",
                "<rollingPolicy class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
                    + "<fileNamePattern>a.%d.log</fileNamePattern><maxHistory>9</maxHistory>"
                    + "<totalSizeCap>40MB</totalSizeCap></rollingPolicy>")
            + appender("W", "w.log", window("io.spillway.rolling", "w", ""))
            + "<root><appender-ref ref='FILE'/><appender-ref ref='W'/></root>";
    configure(capped);
    assertThat(sandbox().notes()).noneMatch(note -> note.contains("Cap") || note.contains("max"));
    rotations = 10;
    configure(capped);
    assertThat(sandbox().notes())
        .contains(
            "totalSizeCap 40MB is left out, so that no archive of the trial is deleted",
            "maxIndex is 11 instead of 7");
    assertThat(sandbox().changed(null, "totalSizeCap", "40MB")).isEqualTo("0");
  }
}
