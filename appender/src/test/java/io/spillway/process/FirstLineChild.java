package io.spillway.process;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One configuration, one line, the end: with an appender of the class that is passed. Like most
 * programs, and the child of {@code spillway-stress bench startup}, it reads a file by a channel.
 */
public final class FirstLineChild {
  private static final String CONFIGURATION =
      """
      <configuration>
        <appender name="FILE" class="CLASS">
          <file>DIR/app.log</file>
          <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
            <fileNamePattern>DIR/app.%i.log.gz</fileNamePattern>
          </rollingPolicy>
          <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy">
            <maxFileSize>1 GB</maxFileSize>
          </triggeringPolicy>
          <encoder><pattern>%d [%t] %-5p %c{20} - %m%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="FILE"/></root>
      </configuration>
      """;

  private FirstLineChild() {}

  public static void main(String[] arguments) throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    String xml = CONFIGURATION.replace("DIR", arguments[0]).replace("CLASS", arguments[1]);
    configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    context.getLogger("order").info("order {} accepted, 3 items", 4711);
    context.stop();
    byte[] written = Files.readAllBytes(Path.of(arguments[0], "app.log"));
    System.out.println("bytes " + written.length);
  }
}
