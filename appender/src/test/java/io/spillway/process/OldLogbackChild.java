package io.spillway.process;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayAppender;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Iterator;
import org.slf4j.LoggerFactory;

/** Configures both appenders, logs, and prints what Logback tells. Runs on any Logback. */
public final class OldLogbackChild {
  private static final String XML =
      """
      <configuration>
        <appender name="FILE" class="ch.qos.logback.core.FileAppender">
          <file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>
        </appender>
        <appender name="WRAPPED" class="io.spillway.SpillwayAppender">
          <spillMode>ALWAYS</spillMode>
          <appender-ref ref="FILE"/>
        </appender>
        <appender name="OWN" class="io.spillway.SpillwayRollingFileAppender">
          <file>DIR/own.log</file><encoder><pattern>%msg%n</pattern></encoder>
          <rollingPolicy class="POLICY"><fileNamePattern>DIR/own.%d.log.gz</fileNamePattern></rollingPolicy>
        </appender>
        <root level="INFO"><appender-ref ref="WRAPPED"/><appender-ref ref="OWN"/></root>
      </configuration>
      """;

  private OldLogbackChild() {}

  /** The directory, and the class of the rolling policy. */
  public static void main(String[] arguments) throws Exception {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    String xml = XML.replace("DIR", arguments[0]).replace("POLICY", arguments[1]);
    configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
    Logger root = context.getLogger("ROOT");
    for (Iterator<Appender<ILoggingEvent>> all = root.iteratorForAppenders(); all.hasNext(); ) {
      Appender<ILoggingEvent> appender = all.next();
      System.out.println(appender.getName() + " started " + appender.isStarted());
    }
    for (int i = 0; i < 1_000; i++) {
      root.info("event {}", i);
    }
    System.out.println("logged");
    if (root.getAppender("WRAPPED") instanceof SpillwayAppender wrapped && wrapped.isStarted()) {
      wrapped.awaitDelivered(Duration.ofSeconds(30));
      System.out.println("spilled " + wrapped.getMetrics().getSpilled());
    }
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      String level = status.getLevel() == Status.ERROR ? "error " : "status ";
      String thrown = status.getThrowable() == null ? "" : " " + status.getThrowable();
      System.out.println(level + status.getMessage() + thrown);
    }
    context.stop();
  }
}
