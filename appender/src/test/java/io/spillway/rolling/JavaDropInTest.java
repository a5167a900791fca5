package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** One Java configuration compiles against Logback's policies and ours, and does the same. */
@Timeout(60)
class JavaDropInTest {
  private static final String SOURCE =
      """
      import ch.qos.logback.classic.LoggerContext;
      import ch.qos.logback.classic.spi.ILoggingEvent;
      import ch.qos.logback.core.util.Duration;
      import ch.qos.logback.core.util.FileSize;
      import ch.qos.logback.core.rolling.RollingFileAppender;
      import POLICIES.FixedWindowRollingPolicy;
      import POLICIES.SizeAndTimeBasedRollingPolicy;
      import POLICIES.SizeBasedTriggeringPolicy;
      import POLICIES.TimeBasedRollingPolicy;

      public class Configuration implements java.util.function.Function<String, String> {
        @Override
        public String apply(String directory) {
          LoggerContext context = new LoggerContext();
          StringBuilder seen = new StringBuilder();

          RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
          appender.setContext(context);
          appender.setFile(directory + "/app.log");
          FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
          window.setContext(context);
          window.setParent(appender);
          window.setFileNamePattern(directory + "/app.%i.log.gz");
          window.setMinIndex(4);
          window.setMaxIndex(2);
          window.start();
          seen.append(window.isStarted()).append(window.getMinIndex()).append(window.getMaxIndex());
          seen.append(window.getActiveFileName().endsWith("/app.log"));
          window.stop();

          SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
          trigger.setContext(context);
          seen.append(trigger.getMaxFileSize());
          trigger.setMaxFileSize(FileSize.valueOf("3MB"));
          trigger.setCheckIncrement(Duration.buildByMilliseconds(5));
          trigger.start();
          seen.append(trigger.isStarted()).append(trigger.getMaxFileSize());

          TimeBasedRollingPolicy<ILoggingEvent> days = new TimeBasedRollingPolicy<>();
          days.setContext(context);
          days.setParent(appender);
          days.setFileNamePattern(directory + "/b.%d.log.gz");
          seen.append(days.getMaxHistory()).append(days.isCleanHistoryOnStart());
          days.setMaxHistory(9);
          days.setTotalSizeCap(FileSize.valueOf("7GB"));
          days.setCleanHistoryOnStart(true);
          days.start();
          seen.append(days.isStarted()).append(days.getMaxHistory());
          seen.append(days.isCleanHistoryOnStart()).append(days.getFileNamePattern());
          days.stop();

          SizeAndTimeBasedRollingPolicy<ILoggingEvent> both = new SizeAndTimeBasedRollingPolicy<>();
          both.setContext(context);
          both.setParent(appender);
          both.setFileNamePattern(directory + "/c.%d.%i.log.gz");
          both.setMaxFileSize(new FileSize(5 * FileSize.MB_COEFFICIENT));
          both.setMaxHistory(2);
          both.setTotalSizeCap(new FileSize(1L << 30));
          both.start();
          seen.append(both.isStarted()).append(both.getMaxHistory());
          both.stop();
          return seen.toString();
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void shouldCompileAndRunAfterTheImportsAreChanged() throws Exception {
    String logback = run("ch.qos.logback.core.rolling");
    assertThat(logback).startsWith("true44true");
    assertThat(run("io.spillway.rolling")).isEqualTo(logback);
  }

  @SuppressWarnings("unchecked")
  private String run(String policies) throws Exception {
    Path classes = directory.resolve(policies);
    java.nio.file.Files.createDirectories(classes);
    compile(SOURCE.replace("POLICIES", policies), classes);
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
      var configuration =
          (java.util.function.Function<String, String>)
              loader.loadClass("Configuration").getConstructor().newInstance();
      return configuration.apply(directory.resolve("logs").toString());
    }
  }

  private static void compile(String source, Path classes) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///Configuration.java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    List<String> options =
        List.of(
            "-d", classes.toString(), "-proc:none", "-cp", System.getProperty("java.class.path"));
    compiler.getTask(null, null, found, options, null, List.of(file)).call();
    assertThat(
            found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> each.getMessage(Locale.ROOT)))
        .isEmpty();
  }
}
