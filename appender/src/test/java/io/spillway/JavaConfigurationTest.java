package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.Configured;
import java.io.ByteArrayInputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Java configuration compiles and runs after a change of the class name. */
class JavaConfigurationTest {
  private static final String SOURCE =
      """
      import ch.qos.logback.classic.*;
      public class Configuration implements java.util.concurrent.Callable<String> {
        public String call() {
          APPENDER a = new APPENDER();
          a.setContext(new LoggerContext());
          a.setName("ASYNC");
          a.setQueueSize(512);
          a.setDiscardingThreshold(0);
          a.setIncludeCallerData(true);
          a.setNeverBlock(true);
          a.setMaxFlushTime(2_500);
          return a.getName();
        }
      }
      """;

  /** With each pair of policies; what it returns is what the getters tell. */
  private static final String ROLLING =
      """
      import ch.qos.logback.classic.*;
      import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
      import ch.qos.logback.classic.spi.ILoggingEvent;
      import ch.qos.logback.core.util.*;
      import APPENDER;
      import POLICIES.FixedWindowRollingPolicy;
      import POLICIES.SizeAndTimeBasedRollingPolicy;
      import POLICIES.SizeBasedTriggeringPolicy;
      import POLICIES.TimeBasedRollingPolicy;
      public class Configuration implements java.util.concurrent.Callable<String> {
        private final LoggerContext context = new LoggerContext();
        private final StringBuilder told = new StringBuilder();
        public String call() {
          context.setMDCAdapter(new ch.qos.logback.classic.util.LogbackMDCAdapter());

          SIMPLE<ILoggingEvent> timed = appender("timed");
          TimeBasedRollingPolicy<ILoggingEvent> time = new TimeBasedRollingPolicy<>();
          time.setContext(context);
          time.setParent(timed);
          time.setFileNamePattern("DIR/timed.%d{yyyy-MM-dd}.log.gz");
          time.setMaxHistory(30);
          time.setTotalSizeCap(FileSize.valueOf("20GB"));
          time.setCleanHistoryOnStart(true);
          time.start();
          timed.setRollingPolicy(time);
          log(timed, time.isStarted());
          tell(time.getMaxHistory(), time.isCleanHistoryOnStart(), time.getFileNamePattern());
          tell(time.getParentsRawFileProperty(), time.isParentPrudent(), time.getCompressionMode());
          tell(timed.getRollingPolicy() == time, timed.getTriggeringPolicy() == time, timed.getFile());

          SIMPLE<ILoggingEvent> sized = appender("sized");
          SizeAndTimeBasedRollingPolicy<ILoggingEvent> both = new SizeAndTimeBasedRollingPolicy<>();
          both.setContext(context);
          both.setParent(sized);
          both.setFileNamePattern("DIR/sized.%d{yyyy-MM-dd}.%i.log.gz");
          both.setMaxFileSize(new FileSize(10 * FileSize.MB_COEFFICIENT));
          both.setMaxHistory(7);
          both.setTotalSizeCap(new FileSize(FileSize.GB_COEFFICIENT));
          both.start();
          sized.setRollingPolicy(both);
          sized.setTriggeringPolicy(both);
          log(sized, both.isStarted());
          tell(both.getMaxHistory(), both.isCleanHistoryOnStart(), both.getCompressionMode());

          SIMPLE<ILoggingEvent> numbered = appender("numbered");
          FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
          window.setContext(context);
          window.setParent(numbered);
          window.setFileNamePattern("DIR/numbered.%i.log.zip");
          window.setMinIndex(1);
          window.setMaxIndex(5);
          window.start();
          SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
          size.setContext(context);
          size.setMaxFileSize(FileSize.valueOf("5MB"));
          size.setCheckIncrement(Duration.buildBySeconds(1));
          size.start();
          numbered.setRollingPolicy(window);
          numbered.setTriggeringPolicy(size);
          log(numbered, window.isStarted() && size.isStarted());
          tell(window.getMinIndex(), window.getMaxIndex(), size.getMaxFileSize());

          context.stop();
          return told.toString();
        }
        private SIMPLE<ILoggingEvent> appender(String name) {
          PatternLayoutEncoder encoder = new PatternLayoutEncoder();
          encoder.setContext(context);
          encoder.setPattern("%msg%n");
          encoder.setCharset(java.nio.charset.StandardCharsets.UTF_8);
          encoder.start();
          SIMPLE<ILoggingEvent> appender = new SIMPLE<>();
          appender.setContext(context);
          appender.setName(name);
          appender.setFile("DIR/" + name + ".log");
          appender.setAppend(true);
          appender.setImmediateFlush(false);
          appender.setBufferSize(FileSize.valueOf("64KB"));
          appender.setPrudent(false);
          appender.setEncoder(encoder);
          return appender;
        }
        private void log(SIMPLE<ILoggingEvent> appender, boolean policies) {
          appender.start();
          tell(appender.getName(), policies, appender.isStarted());
          Logger logger = context.getLogger("shop." + appender.getName());
          logger.addAppender(appender);
          logger.info("sold by {}", appender.getName());
        }
        private void tell(Object... values) {
          told.append(java.util.Arrays.toString(values)).append(" ");
        }
      }
      """;

  @TempDir Path directory;

  /** But for the name of the appender's class, only imports change. */
  @Test
  void shouldCompileAndRunWithRollingPoliciesAfterAChangeOfImports() throws Exception {
    String stock = rolling("ch.qos.logback.core.rolling.RollingFileAppender");
    String own = rolling("io.spillway.SpillwayRollingFileAppender");
    assertThat(own).isEqualTo(stock).contains("[numbered, true, true]", "[1, 5, 5 MB]");
  }

  private String rolling(String appender) throws Exception {
    boolean own = appender.startsWith("io.spillway.");
    Path logs = Files.createDirectories(directory.resolve("logs"));
    String told =
        run(
            ROLLING
                .replace("import APPENDER", "import " + appender)
                .replace("SIMPLE", appender.substring(appender.lastIndexOf('.') + 1))
                .replace("POLICIES", own ? "io.spillway.rolling" : "ch.qos.logback.core.rolling")
                .replace("DIR", logs.toString()));
    for (String name : List.of("timed", "sized", "numbered")) {
      Path log = logs.resolve(name + ".log");
      assertThat(log).hasContent("sold by " + name + "\n");
      Files.delete(log);
    }
    return told;
  }

  private String run(String source) throws Exception {
    Path classes = Files.createTempDirectory(directory, "classes");
    Path file = Files.writeString(classes.resolve("Configuration.java"), source);
    String classPath = System.getProperty("java.class.path");
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    assertThat(
            compiler.run(
                null, null, null, "-cp", classPath, "-d", classes.toString(), file.toString()))
        .isZero();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
      Object made = loader.loadClass("Configuration").getConstructor().newInstance();
      return String.valueOf(((Callable<?>) made).call());
    }
  }

  /** So that whatever a configuration calls of Logback's compiles. */
  @ParameterizedTest
  @MethodSource("dropIns")
  void shouldHaveEveryPublicMethodOfLogbacks(Class<?> stock, Class<?> own) {
    Set<String> missing = signatures(stock);
    missing.removeAll(signatures(own));
    if (stock == AsyncAppender.class) { // its getters are those of its queue
      missing.removeIf(method -> method.matches(".*\\b(get|is)\\w+\\(\\)"));
    }
    missing.remove("toString()");
    assertThat(missing).isEmpty();
  }

  static List<Arguments> dropIns() {
    return List.of(
        Arguments.of(AsyncAppender.class, SpillwayAppender.class),
        Arguments.of(RollingFileAppender.class, SpillwayRollingFileAppender.class),
        Arguments.of(
            TimeBasedRollingPolicy.class, io.spillway.rolling.TimeBasedRollingPolicy.class),
        Arguments.of(
            SizeAndTimeBasedRollingPolicy.class,
            io.spillway.rolling.SizeAndTimeBasedRollingPolicy.class),
        Arguments.of(
            FixedWindowRollingPolicy.class, io.spillway.rolling.FixedWindowRollingPolicy.class),
        Arguments.of(
            SizeBasedTriggeringPolicy.class, io.spillway.rolling.SizeBasedTriggeringPolicy.class));
  }

  private static Set<String> signatures(Class<?> type) {
    Set<String> all = new TreeSet<>();
    for (Method method : type.getMethods()) {
      if (method.getDeclaringClass() != Object.class) { // with bridges: what is typed has them
        String parameters =
            Arrays.stream(method.getParameterTypes())
                .map(Class::getName)
                .collect(Collectors.joining(",", "(", ")"));
        boolean getter = method.getName().matches("(get|is).*") && method.getParameterCount() == 0;
        all.add(method.getName() + parameters);
        if (getter) {
          all.add(method.getReturnType().getName() + " " + method.getName() + parameters);
        }
      }
    }
    return all;
  }

  /** A wrong value names the setting, the value, what is allowed, and what to do. */
  @ParameterizedTest
  @CsvSource({
    "queueSize, 12x",
    "maxFlushTime, soon",
    "spillSync, never",
    "discardingThreshold, few",
    "whenFull, WAIT",
  })
  void shouldNameTheSettingTheValueAndTheRemedy(String setting, String value) throws Exception {
    String element = "<" + setting + ">" + value + "</" + setting + ">";
    List<String> messages =
        errors(
            "<appender name='F' class='io.spillway.SpillwayRollingFileAppender'>"
                + ("<file>"
                    + directory
                    + "/f.log</file><encoder><pattern>%msg%n</pattern></encoder>")
                + element
                + "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
                + ("<fileNamePattern>" + directory + "/f.%d.%i.log</fileNamePattern>")
                + "<maxFileSize>1MB</maxFileSize>"
                + "</rollingPolicy></appender><root><appender-ref ref='F'/></root>");
    assertThat(messages)
        .as("errors")
        .filteredOn(m -> m.contains("[" + setting + "] has the value [" + value + "]; allowed: "))
        .singleElement()
        .matches(m -> m.contains("correct the value") || m.contains("correct the configuration"));
    assertThat(directory.resolve("f.log")).doesNotExist();
  }

  private static List<String> errors(String content) {
    try (Configured configured = new Configured(content)) {
      Reports.flush(configured.context);
      return configured.context.getStatusManager().getCopyOfStatusList().stream()
          .filter(status -> status.getLevel() == Status.ERROR)
          .map(Status::getMessage)
          .toList();
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {AsyncAppender.class, SpillwayAppender.class})
  void shouldCompileWithTypedSettings(Class<?> appender) throws Exception {
    assertThat(run(SOURCE.replace("APPENDER", appender.getName()))).isEqualTo("ASYNC");
  }

  @Test
  void shouldKeepTypedSettings() {
    SpillwayAppender appender = new SpillwayAppender();
    appender.setQueueSize(512);
    appender.setDiscardingThreshold(0);
    appender.setIncludeCallerData(true);
    appender.setNeverBlock(true);
    appender.setMaxFlushTime(2_500);
    Settings kept = appender.settings();
    assertThat(List.of(kept.queueSize, kept.discardingThreshold, kept.maxFlushTime))
        .containsExactly("512", "0", "2500");
    assertThat(List.of(kept.includeCallerData, kept.neverBlock)).containsOnly("true");
  }

  @Test
  void shouldTakeTextFromXmlWithoutAWarningOfOverloads() throws Exception {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    String xml =
        "<configuration><appender name='S' class='io.spillway.SpillwayAppender'>"
            + "<queueSize>many</queueSize><maxFlushTime>2 seconds</maxFlushTime>"
            + "<appender name='N' class='ch.qos.logback.core.read.ListAppender'/>"
            + "</appender><root><appender-ref ref='S'/></root></configuration>";
    configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    List<String> messages = new ArrayList<>();
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      messages.add(status.getMessage());
    }
    assertThat(messages).noneMatch(message -> message.contains("multiple"));
    SpillwayAppender appender = (SpillwayAppender) context.getLogger("ROOT").getAppender("S");
    assertThat(appender.settings().maxFlushTime).isEqualTo("2 seconds");
    assertThat(appender.settings().queueSize).isEqualTo("many");
    context.stop();
  }
}
