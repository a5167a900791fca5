package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.status.Status;
import io.spillway.rolling.TimeBasedRollingPolicy;
import io.spillway.testkit.InMemory;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * On a class path without the optional library a policy says what is missing, and compresses by
 * gzip until then.
 */
class MissingLibraryTest {
  @TempDir(factory = InMemory.class) // a stop does not wait for an fsync of more than a second
  Path logs;

  /** What runs there. */
  public static final class Job {
    private Job() {}

    /** Rolls a file of yesterday over; returns the warnings. */
    public static List<String> run(String directory, String suffix) {
      LoggerContext context = new LoggerContext();
      context.setMDCAdapter(new LogbackMDCAdapter());
      RollingFileAppender<ILoggingEvent> appender = new RollingFileAppender<>();
      appender.setContext(context);
      appender.setFile(directory + "/app.log");
      PatternLayoutEncoder encoder = new PatternLayoutEncoder();
      encoder.setContext(context);
      encoder.setPattern("%msg%n");
      encoder.start();
      appender.setEncoder(encoder);
      TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
      policy.setContext(context);
      policy.setParent(appender);
      policy.setFileNamePattern(directory + "/app.%d.log" + suffix);
      policy.start();
      appender.setRollingPolicy(policy);
      appender.start();
      context.getLogger("test").addAppender(appender);
      context.getLogger("test").info("today");
      context.stop();
      return context.getStatusManager().getCopyOfStatusList().stream()
          .filter(status -> status.getEffectiveLevel() >= Status.WARN)
          .map(Status::getMessage)
          .toList();
    }
  }

  private static URL url(String path) {
    try {
      return new File(path).toURI().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({".zst, zstd-jni", ".xz, xz-"})
  void shouldNameTheMissingDependencyAndCompressByGzip(String suffix, String jar) throws Exception {
    Path file = Files.writeString(logs.resolve("app.log"), "yesterday\n");
    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofDays(1))));
    assertThat(warningsWithout(jar, suffix))
        .singleElement()
        .asString()
        .contains("Setting [fileNamePattern] has the value [" + logs + "/app.%d.log" + suffix)
        .contains("com.github.luben:zstd-jni", "org.tukaani:xz", "To do: ");
    Path archive = logs.resolve("app." + LocalDate.now().minusDays(1) + ".log.gz");
    try (var in = new GZIPInputStream(Files.newInputStream(archive))) {
      assertThat(new String(in.readAllBytes())).isEqualTo("yesterday\n");
    }
    assertThat(file).hasContent("today");
  }

  private List<?> warningsWithout(String jar, String suffix)
      throws IOException, ReflectiveOperationException {
    URL[] without =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> !new File(path).getName().startsWith(jar))
            .map(MissingLibraryTest::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader =
        new URLClassLoader(without, ClassLoader.getPlatformClassLoader())) {
      return (List<?>)
          loader
              .loadClass(Job.class.getName())
              .getMethod("run", String.class, String.class)
              .invoke(null, logs.toString(), suffix);
    }
  }
}
