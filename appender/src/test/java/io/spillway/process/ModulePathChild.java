package io.spillway.process;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.SpillwayMeters;
import java.io.ByteArrayInputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.slf4j.LoggerFactory;

/** Logs, rolls over and compresses as logback.xml says, and prints what became of it. */
public final class ModulePathChild {
  private static final String CONFIGURATION =
      """
      <configuration>
        <appender name="FILE" class="io.spillway.SpillwayRollingFileAppender">
          <file>%1$s/app.log</file>
          <rollingPolicy class="io.spillway.rolling.FixedWindowRollingPolicy">
            <fileNamePattern>%1$s/app.%%i.log%2$s</fileNamePattern>
          </rollingPolicy>
          <triggeringPolicy class="io.spillway.rolling.SizeBasedTriggeringPolicy"/>
          <encoder>
            <pattern>%%msg%%n</pattern>
          </encoder>
        </appender>
        <root level="INFO">
          <appender-ref ref="FILE"/>
        </root>
      </configuration>
      """;

  private ModulePathChild() {}

  /** Arguments: directory, suffix of the archives. */
  public static void main(String[] arguments) throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    Recording recording = new Recording();
    recording.start();
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    String configuration = CONFIGURATION.formatted(arguments[0], arguments[1]);
    configurator.doConfigure(
        new ByteArrayInputStream(configuration.getBytes(StandardCharsets.UTF_8)));
    Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    var appender = (SpillwayRollingFileAppender<?>) root.getAppender("FILE");
    System.out.println("module " + appender.getClass().getModule().getName());
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    new SpillwayMeters(context).bindTo(registry);
    try (recording) {
      for (int i = 0; i < 1_000; i++) {
        root.info("event {}", i);
      }
      appender.awaitDelivered(Duration.ofSeconds(30));
      appender.rollover();
      root.info("after");
      appender.awaitDelivered(Duration.ofSeconds(30));
      while (appender.getMetrics().getArchived() == 0) {
        LockSupport.parkNanos(1_000_000); // until the deadline of the fork
      }
      Path file = Path.of(arguments[0], "recording.jfr");
      recording.dump(file);
      System.out.println(
          "recorded "
              + RecordingFile.readAllEvents(file).stream()
                  .filter(event -> event.getEventType().getName().contains("Compression"))
                  .count());
    }
    System.out.println("delivered " + appender.getMetrics().getDelivered());
    System.out.println("archived " + appender.getMetrics().getArchived());
    System.out.println("health " + appender.health().status() + appender.health().reason());
    ObjectName name = server.queryNames(new ObjectName("io.spillway:*"), null).iterator().next();
    System.out.println("jmx " + server.getAttribute(name, "Delivered"));
    double delivered = registry.get("spillway.events.delivered").functionCounter().count();
    System.out.println("meters " + (long) delivered);
    context.stop();
  }
}
