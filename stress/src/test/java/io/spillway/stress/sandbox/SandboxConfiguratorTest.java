package io.spillway.stress.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator.ExecutionStatus;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.status.Status;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SandboxConfiguratorTest {
  private static final String ENCODER = "<encoder><pattern>%d %m%n</pattern></encoder>";

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
            SandboxConfigurator.LIMIT)
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
    assertThat(logFiles().others()).containsExactly("LIST (ch.qos.logback.core.read.ListAppender)");
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

  @Test
  void shouldRefuseFilesThatItCannotRedirect() throws Exception {
    configure(
        """
        <configuration>
          <appender name="SIFT" class="ch.qos.logback.classic.sift.SiftingAppender">
            <discriminator><key>user</key><defaultValue>none</defaultValue></discriminator>
            <sift>
              <appender name="FILE-${user}" class="ch.qos.logback.core.FileAppender">
                <file>%s/${user}.log</file>%s
              </appender>
            </sift>
          </appender>
          <root level="INFO"><appender-ref ref="SIFT"/></root>
        </configuration>
        """
            .formatted(directory, ENCODER));
    context.getLogger("shop.OrderService").info("an event");
    assertThat(strays()).isEmpty();
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getEffectiveLevel() == Status.ERROR)
        .first()
        .asString()
        .contains("<sift>", "replace the SiftingAppender");
  }

  @Test
  void shouldSayWhatOnlySpringBootUnderstands() throws Exception {
    configure(
        """
        <configuration>
          <springProperty scope="context" name="DIR" source="app.dir"/>
          <springProfile name="prod">
            <appender name="FILE" class="ch.qos.logback.core.FileAppender">
              <file>%s/app.log</file>%s
            </appender>
            <root level="INFO"><appender-ref ref="FILE"/></root>
          </springProfile>
        </configuration>
        """
            .formatted(directory, ENCODER));
    context.getLogger("shop.OrderService").info("an event");
    assertThat(strays()).isEmpty();
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getEffectiveLevel() == Status.ERROR)
        .extracting(Status::getMessage)
        .hasSize(2)
        .allMatch(message -> message.contains("Spring Boot's own"))
        .anyMatch(message -> message.startsWith("<springProperty>"))
        .anyMatch(message -> message.startsWith("<springProfile>"));
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
