package io.spillway.stress.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.AppenderBase;
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
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxConfiguratorTest {
  private static final String ENCODER = "<encoder><pattern>%d %m%n</pattern></encoder>";

  /** As {@link ThreadContext} reads it. */
  private static final String MDC_USER = "spillway.mdc.user";

  @TempDir Path directory;
  private Path root;
  private Path home;
  private final LoggerContext context = new LoggerContext();

  @BeforeEach
  void prepare() throws Exception {
    root = directory.resolve("box");
    home = Files.createDirectory(directory.resolve("home"));
    context.setMDCAdapter(new LogbackMDCAdapter());
    System.setProperty(SandboxConfigurator.ROOT, root.toString());
    System.setProperty(SandboxConfigurator.HOME, home.toString());
  }

  @AfterEach
  void stop() {
    context.stop();
    List.of(
            SandboxConfigurator.CONFIGURATION,
            SandboxConfigurator.ROOT,
            SandboxConfigurator.HOME,
            SandboxConfigurator.LIMIT,
            SandboxConfigurator.CLOCK,
            SandboxConfigurator.ROTATIONS,
            SandboxConfigurator.PROFILES,
            SandboxConfigurator.NETWORK,
            SandboxConfigurator.MOMENT,
            MDC_USER)
        .forEach(System::clearProperty);
  }

  private List<Findings.LogFile> configure(String configuration) throws Exception {
    Path file = Files.writeString(directory.resolve("logback.xml"), configuration);
    System.setProperty(SandboxConfigurator.CONFIGURATION, file.toString());
    SandboxConfigurator configurator = new SandboxConfigurator();
    configurator.setContext(context);
    assertThat(configurator.configure(context))
        .isEqualTo(ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY);
    return logFiles().files();
  }

  private LogFiles logFiles() {
    return LogFiles.of(context.getLogger("shop.OrderService"), session());
  }

  private SandboxSession session() {
    return SandboxConfigurator.sessionOf(context);
  }

  private void assertNoComplaints() {
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .noneMatch(status -> status.getEffectiveLevel() >= Status.WARN);
  }

  /** Every file below the test's directory that is outside the sandbox and not the test's own. */
  private List<String> strays() throws Exception {
    List<String> strays = new ArrayList<>();
    try (var files = Files.walk(directory)) {
      files
          .filter(Files::isRegularFile)
          .filter(file -> !file.startsWith(root) && !file.endsWith("logback.xml"))
          .forEach(file -> strays.add(file.toString()));
    }
    return strays;
  }

  @Test
  void shouldLeaveOtherJvmsToLogback() {
    assertThat(new SandboxConfigurator().configure(context))
        .isEqualTo(ExecutionStatus.INVOKE_NEXT_IF_ANY);
  }

  @Test
  void shouldRedirectPathsAfterVariablesAndFindTheSizeOfANestedPolicy() throws Exception {
    List<Findings.LogFile> files =
        configure(
            """
            <configuration>
              <property name="LOGS" value="%s/var/log"/>
              <appender name="FILE" class="ch.qos.logback.core.rolling.RollingFileAppender">
                <file>${LOGS}/app.log</file>
                <rollingPolicy class="ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy">
                  <fileNamePattern>${LOGS}/old/app.%%d.%%i.log.gz</fileNamePattern>
                  <maxFileSize>${SIZE:-7MB}</maxFileSize>
                </rollingPolicy>
                %s
              </appender>
              <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender">
                <appender-ref ref="FILE"/>
              </appender>
              <root level="INFO"><appender-ref ref="ASYNC"/></root>
            </configuration>
            """
                .formatted(directory, ENCODER));
    String logs = root + directory.toString() + "/var/log";
    assertNoComplaints();
    assertThat(files)
        .containsExactly(
            new Findings.LogFile(
                "FILE",
                "ch.qos.logback.core.rolling.RollingFileAppender",
                logs + "/app.log",
                true,
                logs + "/old/app.%d.%i.log.gz",
                Findings.Trigger.SIZE,
                7 << 20));
    assertThat(session().redirections())
        .contains(
            new Findings.Redirection("file", directory + "/var/log/app.log", logs + "/app.log"));
    context.getLogger("shop.OrderService").info("an event");
    context.stop();
    assertThat(Path.of(logs, "app.log")).isNotEmptyFile();
    assertThat(strays()).isEmpty();
  }

  /** As log4j 1 had it; Logback still takes it, and from configurations that were moved. */
  private static final String PARAMS =
      """
      <appender name="FILE" class="ch.qos.logback.core.rolling.RollingFileAppender">
        <param name="File" value="${LOGS}/app.log"/>
        <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
          <param name="FileNamePattern" value="${LOGS}/app.%%i.log.gz"/>
        </rollingPolicy>
        <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy">
          <param name="MaxFileSize" value="7MB"/>
        </triggeringPolicy>
        %s
      </appender>
      """
          .formatted(ENCODER);

  private static String withLogs(Path directory, String configuration) {
    return "<configuration><property name='LOGS' value='"
        + directory
        + "'/>"
        + configuration
        + "</configuration>";
  }

  private static final String TO_FILE = "<root level='INFO'><appender-ref ref='FILE'/></root>";

  @Test
  void shouldRedirectWhatParamsSet() throws Exception {
    System.setProperty(SandboxConfigurator.LIMIT, "123456");
    assertThat(configure(withLogs(directory, PARAMS + TO_FILE)))
        .containsExactly(
            new Findings.LogFile(
                "FILE",
                "ch.qos.logback.core.rolling.RollingFileAppender",
                root + directory.toString() + "/app.log",
                true,
                root + directory.toString() + "/app.%i.log.gz",
                Findings.Trigger.SIZE,
                123_456));
    context.getLogger("shop.OrderService").info("an event");
    context.stop();
    assertThat(strays()).isEmpty();
  }

  private static String sifted(String appender) {
    return "<appender name='SIFT' class='ch.qos.logback.classic.sift.SiftingAppender'>"
        + "<discriminator><key>user</key><defaultValue>none</defaultValue></discriminator><sift>"
        + appender
        + "</sift></appender><root level='INFO'><appender-ref ref='SIFT'/></root>";
  }

  @Test
  void shouldRedirectWhatParamsSetWithinASiftElement() throws Exception {
    assertThat(configure(withLogs(directory, sifted(PARAMS))))
        .extracting(Findings.LogFile::file)
        .containsExactly(root + directory.toString() + "/app.log");
    context.getLogger("shop.OrderService").info("an event");
    context.stop();
    assertThat(strays()).isEmpty();
  }

  /** The application's own log file, with what it has logged. */
  private Path real() throws Exception {
    Wayward.directory = directory;
    return Files.writeString(directory.resolve("real.log"), "of the application");
  }

  private void assertRefused(Path real, String path) throws Exception {
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getEffectiveLevel() == Status.ERROR)
        .extracting(Status::getMessage)
        .anyMatch(message -> message.contains("[" + path + "], outside the sandbox"));
    assertThat(real).hasContent("of the application");
  }

  /** To open it would empty it. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldNotOpenAFileOutsideTheSandboxWhoeverNamesIt(boolean sifted) throws Exception {
    String wayward =
        "<appender name='FILE' class='%s'><stem>real</stem><append>false</append>%s</appender>"
            .formatted(Wayward.class.getName(), ENCODER);
    Path real = real();
    configure(withLogs(directory, sifted ? sifted(wayward) : wayward + TO_FILE));
    assertRefused(real, real.toString());
  }

  /** Nothing can keep it from opening its file then, but nothing must be logged. */
  @Test
  void shouldRefuseAFileOutsideTheSandboxThatIsNamedAtTheStart() throws Exception {
    Path real = real();
    configure(
        withLogs(
            directory,
            "<appender name='FILE' class='%s'><late>real</late>%s</appender>"
                    .formatted(Wayward.class.getName(), ENCODER)
                + TO_FILE));
    assertRefused(real, real.toString());
  }

  /** A policy deletes old archives when it starts. */
  @Test
  void shouldStartNoPolicyWithArchivesOutsideTheSandbox() throws Exception {
    Path real = real();
    WaywardPolicy.started = false;
    configure(
        withLogs(
            directory,
            ("<appender name='FILE' class='ch.qos.logback.core.rolling.RollingFileAppender'>"
                        + "<file>app.log</file><rollingPolicy class='%s'><stem>real</stem>"
                        + "</rollingPolicy>%s</appender>")
                    .formatted(WaywardPolicy.class.getName(), ENCODER)
                + TO_FILE));
    assertRefused(real, directory + "/real.%d.log");
    assertThat(WaywardPolicy.started).isFalse();
  }

  /** Names its file by itself. */
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
  void shouldTakeRelativePathsFromHome() throws Exception {
    List<Findings.LogFile> files =
        configure(
            """
            <configuration>
              <appender name="FILE" class="ch.qos.logback.core.FileAppender">
                <file>logs/app.log</file>%s
              </appender>
              <root level="INFO"><appender-ref ref="FILE"/></root>
            </configuration>
            """
                .formatted(ENCODER));
    assertThat(files)
        .containsExactly(
            new Findings.LogFile(
                "FILE",
                "ch.qos.logback.core.FileAppender",
                root + home.toString() + "/logs/app.log",
                true,
                null,
                Findings.Trigger.NONE,
                0));
    assertThat(strays()).isEmpty();
  }

  /** A probe and a trial run in other directories, and one after the other. */
  @Test
  void shouldGiveAFileTheSameNameInEveryJvm() throws Exception {
    String configuration =
        """
        <configuration>
          <timestamp key="NOW" datePattern="yyyyMMdd'T'HHmmss.SSS"/>
          <timestamp key="BIRTH" datePattern="SSS" timeReference="contextBirth" scope="context"/>
          <appender name="FILE" class="ch.qos.logback.core.FileAppender">
            <file>${user.dir}/${NOW}-${BIRTH}.log</file>%s
          </appender>
          <root level="INFO"><appender-ref ref="FILE"/></root>
        </configuration>
        """
            .formatted(ENCODER);
    Map<String, String> properties =
        SandboxConfigurator.properties(home, root, home, 0, 0, 1); // of the tester
    long moment = Long.parseLong(properties.get(SandboxConfigurator.MOMENT));
    System.setProperty(SandboxConfigurator.MOMENT, properties.get(SandboxConfigurator.MOMENT));
    String now = new SimpleDateFormat("yyyyMMdd'T'HHmmss.SSS").format(moment);
    assertThat(configure(configuration))
        .extracting(Findings.LogFile::file)
        .containsExactly(
            root + home.toString() + "/" + now + now.replaceFirst(".*\\.", "-") + ".log");
    assertNoComplaints();
  }

  @Test
  void shouldPutTheLimitInPlaceOfTheConfiguredSize() throws Exception {
    System.setProperty(SandboxConfigurator.LIMIT, "123456");
    List<Findings.LogFile> files =
        configure(
            """
            <configuration>
              <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
                <file>app.log</file>
                <rollingPolicy class="io.spillway.rolling.FixedWindowRollingPolicy">
                  <fileNamePattern>app.%%i.log.gz</fileNamePattern>
                </rollingPolicy>
                <triggeringPolicy class="io.spillway.rolling.SizeBasedTriggeringPolicy">
                  <maxFileSize>7MB</maxFileSize>
                </triggeringPolicy>
                %s
              </appender>
              <root level="INFO"><appender-ref ref="FILE"/></root>
            </configuration>
            """
                .formatted(ENCODER));
    assertNoComplaints();
    assertThat(files).extracting(Findings.LogFile::trigger).containsExactly(Findings.Trigger.SIZE);
    assertThat(files).extracting(Findings.LogFile::maxFileSizeBytes).containsExactly(123_456L);
    context.getLogger("shop.OrderService").info("an event");
    context.stop();
    assertThat(strays()).as("its spill is in the sandbox, too").isEmpty();
  }

  @Test
  void shouldFindOnlyTheFilesThatTheLoadGetsInto() throws Exception {
    List<Findings.LogFile> files =
        configure(
            """
            <configuration>
              <appender name="AUDIT" class="ch.qos.logback.core.FileAppender">
                <file>audit.log</file>%1$s
              </appender>
              <appender name="OTHER" class="ch.qos.logback.core.FileAppender">
                <file>other.log</file>%1$s
              </appender>
              <appender name="ROOT" class="ch.qos.logback.core.FileAppender">
                <file>root.log</file>%1$s
              </appender>
              <logger name="shop" additivity="false"><appender-ref ref="AUDIT"/></logger>
              <logger name="bank"><appender-ref ref="OTHER"/></logger>
              <root level="INFO"><appender-ref ref="ROOT"/></root>
            </configuration>
            """
                .formatted(ENCODER));
    assertThat(files).extracting(Findings.LogFile::appender).containsExactly("AUDIT");
  }

  @Test
  void shouldTellAFileThatRollsByTheClock() throws Exception {
    List<Findings.LogFile> files =
        configure(
            """
            <configuration>
              <appender name="FILE" class="ch.qos.logback.core.rolling.RollingFileAppender">
                <file>app.log</file>
                <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
                  <fileNamePattern>app.%%d.log.gz</fileNamePattern>
                </rollingPolicy>
                %s
              </appender>
              <root level="INFO"><appender-ref ref="FILE"/></root>
            </configuration>
            """
                .formatted(ENCODER));
    assertThat(files).extracting(Findings.LogFile::trigger).containsExactly(Findings.Trigger.CLOCK);
    assertThat(files).extracting(Findings.LogFile::named).containsExactly(true);
  }

  @Test
  void shouldTellAFileThatIsCalledLikeItsArchive() throws Exception {
    List<Findings.LogFile> files =
        configure(
            """
            <configuration>
              <appender name="FILE" class="ch.qos.logback.core.rolling.RollingFileAppender">
                <rollingPolicy class="ch.qos.logback.core.rolling.TimeBasedRollingPolicy">
                  <fileNamePattern>app.%%d{yyyy-MM}.log.gz</fileNamePattern>
                </rollingPolicy>
                %s
              </appender>
              <root level="INFO"><appender-ref ref="FILE"/></root>
            </configuration>
            """
                .formatted(ENCODER));
    assertThat(files).extracting(Findings.LogFile::named).containsExactly(false);
    assertThat(files.get(0).file())
        .matches(Pattern.quote(root + home.toString()) + "/app\\.\\d{4}-\\d\\d\\.log");
    assertThat(strays()).isEmpty();
  }

  @Test
  void shouldNameAppendersThatAreNoFiles() throws Exception {
    configure(
        """
        <configuration>
          <appender name="LIST" class="ch.qos.logback.core.read.ListAppender"/>
          <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">%s</appender>
          <root level="INFO"><appender-ref ref="LIST"/><appender-ref ref="STDOUT"/></root>
        </configuration>
        """
            .formatted(ENCODER));
    assertThat(session().outside()).containsExactly("LIST (ch.qos.logback.core.read.ListAppender)");
  }

  @Test
  void shouldReadFilesFromHome() throws Exception {
    Files.writeString(
        home.resolve("more.xml"), "<included><property name='A' value='a'/></included>");
    Files.writeString(home.resolve("more.properties"), "B=b");
    configure(
        """
        <configuration>
          <property name="MORE" value="more"/>
          <include file="${MORE}.xml"/>
          <property file="${MORE}.properties"/>
          <appender name="FILE" class="ch.qos.logback.core.FileAppender">
            <file>${A}${B}.log</file>%s
          </appender>
          <root level="INFO"><appender-ref ref="FILE"/></root>
        </configuration>
        """
            .formatted(ENCODER));
    assertThat(logFiles().files())
        .extracting(Findings.LogFile::file)
        .containsExactly(root + home.toString() + "/ab.log");
  }

  @Test
  void shouldNotReadTheConfigurationAgainWhenItChanges() throws Exception {
    configure("<configuration scan='true' scanPeriod='1 second'/>");
    assertThat(context.getCopyOfScheduledFutures()).isEmpty();
    assertNoComplaints();
  }

  private static final String SIFT =
      """
      <configuration>
        <appender name="SIFT" class="ch.qos.logback.classic.sift.SiftingAppender">
          <discriminator><key>user</key><defaultValue>none</defaultValue></discriminator>
          <sift>
            <appender name="FILE-${user}" class="ch.qos.logback.core.rolling.RollingFileAppender">
              <file>%s/${user}.log</file>
              <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
                <fileNamePattern>%1$s/${user}.%%i.log</fileNamePattern>
              </rollingPolicy>
              <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy"/>
              %2$s
            </appender>
          </sift>
        </appender>
        <root level="INFO"><appender-ref ref="SIFT"/></root>
      </configuration>
      """;

  @Test
  void shouldKeepTheFilesOfASiftingAppenderAndWatchThatOfOneValue() throws Exception {
    System.setProperty(MDC_USER, "alice");
    System.setProperty(SandboxConfigurator.LIMIT, "123456");
    List<Findings.LogFile> files = configure(SIFT.formatted(directory, ENCODER));
    assertNoComplaints();
    assertThat(files)
        .containsExactly(
            new Findings.LogFile(
                "FILE-alice",
                "ch.qos.logback.core.rolling.RollingFileAppender",
                root + directory.toString() + "/alice.log",
                true,
                root + directory.toString() + "/alice.%i.log",
                Findings.Trigger.SIZE,
                123_456));
    assertThat(session().notes())
        .containsExactly("SIFT sifts by user, watched for [alice] (--mdc user=VALUE for another)");
    context.getMDCAdapter().put("user", "bob");
    context.getLogger("shop.OrderService").info("an event");
    context.stop();
    assertThat(Path.of(root + directory.toString(), "bob.log")).isNotEmptyFile();
    assertThat(strays()).isEmpty();
  }

  @Test
  void shouldWatchASiftingAppenderForItsDefault() throws Exception {
    assertThat(configure(SIFT.formatted(directory, ENCODER)))
        .extracting(Findings.LogFile::appender)
        .containsExactly("FILE-none");
  }

  private static final String SPRING =
      """
      <configuration>
        <springProperty scope="context" name="DIR" source="app.dir" defaultValue="${BASE}/logs"/>
        <springProperty name="GONE" source="app.gone"/>
        <property name="BASE" value="base"/>
        <springProperty name="NAME" source="app.name" defaultValue="${BASE}"/>
        <springProfile name="prod &amp; !quiet, live">
          <appender name="FILE" class="ch.qos.logback.core.FileAppender">
            <file>${DIR}/${NAME}.log</file>%s
          </appender>
          <root level="INFO"><appender-ref ref="FILE"/></root>
        </springProfile>
        <springProfile name="default">
          <appender name="CONSOLE" class="ch.qos.logback.core.ConsoleAppender">%1$s</appender>
          <root level="INFO"><appender-ref ref="CONSOLE"/></root>
        </springProfile>
      </configuration>
      """
          .formatted(ENCODER);

  @Test
  void shouldUnderstandTheElementsOfSpringBoot() throws Exception {
    System.setProperty(SandboxConfigurator.PROFILES, "prod");
    System.setProperty("app.dir", "var");
    try {
      assertThat(configure(SPRING))
          .extracting(Findings.LogFile::file)
          .containsExactly(root + home.toString() + "/var/base.log");
    } finally {
      System.clearProperty("app.dir");
    }
    assertNoComplaints();
    assertThat(session().notes())
        .containsExactly("no value for app.gone (--property app.gone=VALUE)");
    assertThat(strays()).isEmpty();
  }

  @Test
  void shouldLeaveOutWhatIsForAnotherProfile() throws Exception {
    System.setProperty(SandboxConfigurator.PROFILES, "prod,quiet");
    assertThat(configure(SPRING)).isEmpty();
    System.clearProperty(SandboxConfigurator.PROFILES);
    context.reset();
    assertThat(configure(SPRING)).isEmpty();
    assertThat(context.getLogger("ROOT").getAppender("CONSOLE")).as("default").isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "a;true",
        "b;false",
        "!a;false",
        "!b;true",
        "b,a;true",
        "a & c;true",
        "a & !c;false",
        "(b | c) & a;true",
        "!(b | c);false",
        "b | a & c;true",
      })
  void shouldReadProfileExpressionsAsSpringDoes(String expression, boolean accepted) {
    assertThat(SpringElements.accepts(expression, Set.of("a", "c"))).isEqualTo(accepted);
  }

  @Test
  void shouldSayWhichProfileExpressionCannotBeRead() throws Exception {
    configure("<configuration><springProfile name='(a'/></configuration>");
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getEffectiveLevel() == Status.ERROR)
        .extracting(Status::getMessage)
        .containsExactly(
            "Line 1: <springProfile name=\"(a\"> cannot be read, a parenthesis is not closed");
  }

  /** One that takes connections: whoever is reached is seen. */
  private void assertReached(String configuration, String port, int connections) throws Exception {
    try (ServerSocket server = new ServerSocket(0)) {
      server.setSoTimeout(connections == 0 ? 500 : 10_000);
      configure(configuration.replace(port, Integer.toString(server.getLocalPort())));
      context.getLogger("shop.OrderService").info("an event");
      for (int i = 0; i < connections; i++) {
        server.accept().close();
      }
      if (connections == 0) {
        assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(server::accept);
      }
    }
  }

  private static final String NETWORK =
      """
      <configuration>
        <appender name="SOCKET" class="ch.qos.logback.classic.net.SocketAppender">
          <remoteHost>localhost</remoteHost><port>PORT</port>
        </appender>
        <appender name="OTHER" class="ch.qos.logback.classic.net.SocketAppender">
          <remoteHost>localhost</remoteHost><port>PORT</port>
        </appender>
        <appender name="SYSLOG" class="ch.qos.logback.classic.net.SyslogAppender">
          <syslogHost>localhost</syslogHost><facility>USER</facility>
        </appender>
        <appender name="MAIL" class="ch.qos.logback.classic.net.SMTPAppender">
          <smtpHost>localhost</smtpHost><layout class="org.example.Gone"/>
        </appender>
        <appender name="LOGSTASH"
                  class="net.logstash.logback.appender.LogstashTcpSocketAppender">
          <destination>localhost:PORT</destination>
          <encoder class="net.logstash.logback.encoder.LogstashEncoder"/>
        </appender>
        <appender name="KAFKA" class="com.github.danielwegener.logback.kafka.KafkaAppender">
          <filter class="ch.qos.logback.classic.filter.ThresholdFilter"><level>WARN</level></filter>
          <topic>logs</topic><appender-ref ref="NOP"/>
        </appender>
        <appender name="NOP" class="ch.qos.logback.core.helpers.NOPAppender"/>
        <logger name="elsewhere"><appender-ref ref="OTHER"/></logger>
        <root level="INFO">
          <appender-ref ref="SOCKET"/><appender-ref ref="SYSLOG"/><appender-ref ref="MAIL"/>
          <appender-ref ref="LOGSTASH"/><appender-ref ref="KAFKA"/><appender-ref ref="NOP"/>
        </root>
      </configuration>
      """;

  @Test
  void shouldCountWhatWouldBeSentAndReachNobody() throws Exception {
    assertReached(NETWORK, "PORT", 0);
    assertNoComplaints();
    assertThat(session().counted())
        .extracting(name -> name.replaceAll(" .*", ""))
        .containsExactly("SOCKET", "OTHER", "SYSLOG", "MAIL", "LOGSTASH", "KAFKA");
    assertThat(session().outside()).isEmpty();
    CountingAppender mail = (CountingAppender) context.getLogger("ROOT").getAppender("MAIL");
    CountingAppender kafka = (CountingAppender) context.getLogger("ROOT").getAppender("KAFKA");
    assertThat(mail.events()).isEqualTo(1);
    assertThat(kafka.events()).as("with its filter").isZero();
  }

  @Test
  void shouldReachOtherProcessesIfThatIsAllowed() throws Exception {
    System.setProperty(SandboxConfigurator.NETWORK, "ALLOWED");
    String sockets =
        NETWORK.replaceAll("(?s)<appender name=\"(SYSLOG|MAIL|LOGSTASH|KAFKA)\".*?</appender>", "");
    assertReached(
        sockets.replaceAll("<appender-ref ref=\"(SYSLOG|MAIL|LOGSTASH|KAFKA)\"/>", ""), "PORT", 2);
    assertThat(session().counted()).isEmpty();
    assertThat(session().outside())
        .containsExactly(
            "SOCKET (ch.qos.logback.classic.net.SocketAppender)",
            "OTHER (ch.qos.logback.classic.net.SocketAppender)");
  }

  /** Its name has the word telemetry, but it hands on to the file that is to be seen. */
  @Test
  void shouldLeaveAWrapperThatAddsTracesWhereItIs() throws Exception {
    configure(Files.readString(Path.of("../config-examples/opentelemetry/logback.xml")));
    assertThat(session().counted()).isEmpty();
  }

  /** Or a condition on it would take the other branch. */
  @Test
  void shouldLookForAFileWhereTheApplicationDoes() throws Exception {
    Files.writeString(home.resolve("prod"), "");
    String definer =
        "<define name='%s' class='ch.qos.logback.core.property.FileExistsPropertyDefiner'>"
            + "<path>%s</path></define>";
    configure(
        "<configuration>"
            + definer.formatted("RELATIVE", "./prod")
            + definer.formatted("ABSOLUTE", home + "/prod")
            + "<appender name='FILE' class='ch.qos.logback.core.FileAppender'>"
            + "<file>${RELATIVE}-${ABSOLUTE}.log</file>"
            + ENCODER
            + "</appender>"
            + TO_FILE
            + "</configuration>");
    assertThat(Path.of(root + home.toString(), "true-true.log")).exists();
  }

  @Test
  void shouldReadLevelsFromHome() throws Exception {
    Files.writeString(home.resolve("levels.properties"), "logback.logger.shop=WARN");
    configure("<configuration><propertiesConfigurator file='levels.properties'/></configuration>");
    assertNoComplaints();
    assertThat(context.getLogger("shop").getLevel()).isEqualTo(Level.WARN);
  }

  /** Whether an appender that nobody knows reaches anybody, only its name or properties tell. */
  @Test
  void shouldNotRunInAProbeWhatNobodyKnows() throws Exception {
    System.setProperty(SandboxConfigurator.NETWORK, "NONE");
    String own =
        "<configuration><appender name='OWN' class='"
            + OwnAppender.class.getName()
            + "'><output>%s/own.log</output><spare>logs/spare</spare><pattern>a / b</pattern>"
            + "<part class='"
            + OwnPart.class.getName()
            + "'><target>/abs/part</target><separator>/</separator></part>"
            + "</appender><root level='INFO'><appender-ref ref='OWN'/></root></configuration>";
    configure(own.formatted(directory));
    assertThat(context.getLogger("ROOT").getAppender("OWN")).isInstanceOf(CountingAppender.class);
    assertThat(session().outside()).containsExactly("OWN (" + OwnAppender.class.getName() + ")");

    System.clearProperty(SandboxConfigurator.NETWORK);
    context.reset();
    configure(own.formatted(directory));
    OwnAppender made = (OwnAppender) context.getLogger("ROOT").getAppender("OWN");
    assertThat(made.output).isEqualTo(root + directory.toString() + "/own.log");
    assertThat(made.spare).isEqualTo("logs/spare");
    assertThat(made.pattern).isEqualTo("a / b");
    assertThat(made.part.target).isEqualTo(root + "/abs/part");
    assertThat(made.part.separator).isEqualTo("/");
    assertThat(session().outside()).hasSize(1);
  }

  /** It would take archives of a trial to the store of the real ones, and under their names. */
  @Test
  void shouldGiveNoArchiveToAListenerUnlessThatIsAllowed() throws Exception {
    String listening =
        """
        <configuration>
          <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
            <file>app.log</file>
            <rollingPolicy class="io.spillway.rolling.SizeAndTimeBasedRollingPolicy">
              <fileNamePattern>app.%%d.%%i.log.gz</fileNamePattern>
              <maxFileSize>7MB</maxFileSize>
              <archiveListener class="%s"><target>/abs/here</target></archiveListener>
            </rollingPolicy>
            %s
          </appender>
          <root level="INFO"><appender-ref ref="FILE"/></root>
        </configuration>
        """
            .formatted(Recording.class.getName(), ENCODER);
    Recording.target = null;
    configure(listening);
    assertNoComplaints();
    assertThat(Recording.target).as("not made").isNull();
    assertThat(session().counted())
        .containsExactly("archiveListener (" + Recording.class.getName() + ")");

    System.setProperty(SandboxConfigurator.NETWORK, "ALLOWED");
    context.reset();
    configure(listening);
    assertThat(Recording.target).as("of no appender, either").isEqualTo(root + "/abs/here");
    assertThat(session().counted()).isEmpty();
    assertThat(session().outside()).hasSize(1);
  }

  /** Of nobody's that the sandbox knows. */
  public static final class Recording implements ArchiveListener {
    private static String target;

    public void setTarget(String directory) {
      target = directory;
    }

    @Override
    public void archived(Path archive) {}
  }

  /** Of nobody's that the sandbox knows. */
  public static final class OwnAppender extends AppenderBase<ILoggingEvent> {
    private String output;
    private String spare;
    private String pattern;
    private OwnPart part;

    public void setPart(OwnPart part) {
      this.part = part;
    }

    public void setOutput(String output) {
      this.output = output;
    }

    public void setSpare(String spare) {
      this.spare = spare;
    }

    public void setPattern(String pattern) {
      this.pattern = pattern;
    }

    @Override
    protected void append(ILoggingEvent event) {}
  }

  /** What such an appender is made of. */
  public static final class OwnPart {
    private String target;
    private String separator;

    public void setTarget(String target) {
      this.target = target;
    }

    public void setSeparator(String separator) {
      this.separator = separator;
    }
  }

  @Test
  void shouldMakeRoomForTheArchivesOfALargerFile() throws Exception {
    System.setProperty(SandboxConfigurator.LIMIT, "8000000");
    System.setProperty(SandboxConfigurator.CLOCK, "9000000");
    String appender =
        """
        <appender name="%s" class="ch.qos.logback.core.rolling.RollingFileAppender">
          <file>%1$s.log</file>
          <rollingPolicy class="ch.qos.logback.core.rolling.%s">
            <fileNamePattern>%1$s.%%d.%%i.log</fileNamePattern>%s<maxHistory>9</maxHistory><totalSizeCap>%s</totalSizeCap>
          </rollingPolicy>%s
        </appender>
        """;
    String configuration =
        "<configuration>"
            + appender.formatted(
                "SIZE",
                "SizeAndTimeBasedRollingPolicy",
                "<maxFileSize>1MB</maxFileSize>",
                "3MB",
                ENCODER)
            + appender
                .formatted("CLOCK", "TimeBasedRollingPolicy", "", "3MB", ENCODER)
                .replace("%i.", "")
                .replace(".%i", "")
            + "<root level='INFO'><appender-ref ref='SIZE'/><appender-ref ref='CLOCK'/></root>"
            + "</configuration>";
    assertThat(configure(configuration)).hasSize(2);
    assertNoComplaints();
    assertThat(session().notes())
        .containsExactly(
            "totalSizeCap is 32000000 bytes instead of 3MB",
            "totalSizeCap is 36000000 bytes instead of 3MB");
    System.setProperty(SandboxConfigurator.ROTATIONS, "10");
    context.reset();
    configure(configuration);
    assertThat(session().notes()).contains("totalSizeCap is 104000000 bytes instead of 3MB");
    System.clearProperty(SandboxConfigurator.LIMIT);
    context.reset();
    configure(configuration);
    assertThat(session().notes())
        .as("at its own size")
        .contains("totalSizeCap is " + (13 << 20) + " bytes instead of 3MB");
    context.reset();
    configure(
        configuration.replaceAll(
            "<(maxFileSize|totalSizeCap)>(.MB)</\\1>", "<param name='$1' value='$2'/>"));
    assertThat(session().notes())
        .as("by params")
        .contains("totalSizeCap is " + (13 << 20) + " bytes instead of 3MB");
    System.clearProperty(SandboxConfigurator.ROTATIONS);
    context.reset();
    configure(configuration);
    assertThat(session().notes())
        .as("one rotation at its own size is its own affair")
        .containsExactly("totalSizeCap is 36000000 bytes instead of 3MB");
  }

  @Test
  void shouldLookAtTheSizeOftenUnlessTheConfigurationSaysHowOften() throws Exception {
    String appender =
        """
        <appender name="%s" class="ch.qos.logback.core.rolling.RollingFileAppender">
          <file>%1$s.log</file>
          <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
            <fileNamePattern>%1$s.%%i.log</fileNamePattern>
          </rollingPolicy>
          <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy">
            %2$s
          </triggeringPolicy>
          %3$s
        </appender>
        """;
    String size = "<maxFileSize>1MB</maxFileSize>";
    String seldom = "<checkIncrement>1 hour</checkIncrement>";
    configure(
        "<configuration>"
            + appender.formatted("BARE", size, ENCODER)
            + appender.formatted("BEFORE", seldom + size, ENCODER)
            + appender.formatted("AFTER", size + seldom, ENCODER)
            + "<root level='INFO'><appender-ref ref='BARE'/><appender-ref ref='BEFORE'/>"
            + "<appender-ref ref='AFTER'/></root></configuration>");
    assertThat(increment("BARE")).isEqualTo(100);
    assertThat(increment("BEFORE")).isEqualTo(3_600_000);
    assertThat(increment("AFTER")).isEqualTo(3_600_000);
  }

  private long increment(String name) {
    RollingFileAppender<?> appender =
        (RollingFileAppender<?>) context.getLogger("ROOT").getAppender(name);
    return ((SizeBasedTriggeringPolicy<?>) appender.getTriggeringPolicy())
        .getCheckIncrement()
        .getMilliseconds();
  }
}
