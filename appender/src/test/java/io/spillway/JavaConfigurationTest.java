package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
          int queueSize = a.getQueueSize();
          int threshold = a.getDiscardingThreshold();
          boolean callerData = a.isIncludeCallerData();
          boolean neverBlock = a.isNeverBlock();
          int flushMillis = a.getMaxFlushTime();
          return queueSize + " " + threshold + " " + callerData + " " + neverBlock + " " + flushMillis;
        }
      }
      """;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(classes = {AsyncAppender.class, SpillwayAppender.class})
  void shouldCompileAndKeepTypedSettings(Class<?> appender) throws Exception {
    Path source = directory.resolve("Configuration.java");
    Files.writeString(source, SOURCE.replace("APPENDER", appender.getName()));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    String classPath = System.getProperty("java.class.path");
    assertThat(
            compiler.run(
                null, null, null, "-cp", classPath, "-d", directory.toString(), source.toString()))
        .isZero();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
      Object made = loader.loadClass("Configuration").getConstructor().newInstance();
      assertThat(((Callable<?>) made).call()).isEqualTo("512 0 true true 2500");
    }
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
    assertThat(appender.getMaxFlushTime()).isEqualTo(2_000);
    assertThat(appender.settings().queueSize).isEqualTo("many");
    context.stop();
  }
}
