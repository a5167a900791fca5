package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.metrics.Reports;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * A logger context configured from XML, as a user does it. In the XML {@code CLASS} stands for the
 * appender's class, {@code DIR} for its directory. Close it to stop.
 */
public final class Configured implements AutoCloseable {
  public static final String SPILLWAY = SpillwayRollingFileAppender.class.getName();
  public static final String STOCK = RollingFileAppender.class.getName();

  public final LoggerContext context = new LoggerContext();
  public final Logger logger = context.getLogger("test");

  /** One appender named FILE with these settings, attached to the root. */
  public Configured(String appenderClass, Path directory, String settings) {
    this(
        "<appender name='FILE' class='"
            + appenderClass
            + "'>"
            + settings.replace("DIR", directory.toString())
            + "</appender><root level='DEBUG'><appender-ref ref='FILE'/></root>");
  }

  /** What stands inside {@code <configuration>}. */
  public Configured(String content) {
    context.setMDCAdapter(new LogbackMDCAdapter());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    String xml = "<configuration>" + content + "</configuration>";
    try {
      configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    } catch (JoranException e) {
      throw new IllegalArgumentException(xml, e);
    }
  }

  /** The appender of a name, null if there is none. */
  public Appender<ILoggingEvent> appender(String name) {
    return context.getLogger("ROOT").getAppender(name);
  }

  /** The appender FILE; fails if it is not there and started. */
  public FileAppender<ILoggingEvent> file() {
    FileAppender<ILoggingEvent> file = (FileAppender<ILoggingEvent>) appender("FILE");
    assertThat(file != null && file.isStarted()).as(() -> "started; " + statuses()).isTrue();
    return file;
  }

  /** Logs, and waits until it is written. */
  public void logAndAwait(String message) {
    logger.info(message);
    awaitDelivered();
  }

  /** Waits until everything is written; a stock appender has done so already. */
  public void awaitDelivered() {
    if (file() instanceof SpillwayRollingFileAppender<ILoggingEvent> spillway) {
      assertThat(spillway.awaitDelivered(FileRig.PATIENCE)).as(() -> "" + statuses()).isTrue();
    }
  }

  /** Errors and warnings so far. */
  public List<String> complaints() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() > Status.INFO)
        .map(Status::getMessage)
        .toList();
  }

  /** All status messages so far. */
  public List<String> statuses() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream().map(Status::toString).toList();
  }

  /** The files below a directory by relative name, archives unpacked. */
  public static Map<String, String> contents(Path directory) {
    Map<String, String> contents = new TreeMap<>();
    for (Path file : Probe.filesBelow(directory)) {
      contents.put(directory.relativize(file).toString(), unpacked(file));
    }
    return contents;
  }

  private static String unpacked(Path file) {
    try (InputStream in = open(file)) {
      return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream open(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    if (file.toString().endsWith(".gz")) {
      return new GZIPInputStream(in);
    }
    if (file.toString().endsWith(".xz")) {
      return new XZInputStream(in);
    }
    if (file.toString().endsWith(".zip")) {
      ZipInputStream zip = new ZipInputStream(in);
      assertThat(zip.getNextEntry()).as("an entry in " + file).isNotNull();
      return zip;
    }
    return in;
  }

  /** Waits until Logback has compressed and removed all that it has begun to. */
  public void awaitIdle() {
    awaitIdle((ThreadPoolExecutor) context.getExecutorService()); // it compresses
    awaitIdle((ThreadPoolExecutor) context.getAlternateExecutorService()); // it expires
  }

  private static void awaitIdle(ThreadPoolExecutor jobs) {
    await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> jobs.getCompletedTaskCount() == jobs.getTaskCount());
  }

  @Override
  public void close() {
    List<RollingPolicy> policies = policies();
    context.stop();
    // Logback starts them before their appenders, which are not stopped if they refuse to start.
    policies.forEach(RollingPolicy::stop);
  }

  private List<RollingPolicy> policies() {
    List<RollingPolicy> policies = new ArrayList<>();
    for (Logger each : context.getLoggerList()) {
      each.iteratorForAppenders()
          .forEachRemaining(
              appender -> {
                if (appender instanceof RollingFileAppender<?> rolling
                    && rolling.getRollingPolicy() != null) {
                  policies.add(rolling.getRollingPolicy());
                }
              });
    }
    return policies;
  }
}
