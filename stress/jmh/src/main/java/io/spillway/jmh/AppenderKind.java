package io.spillway.jmh;

import java.nio.file.Path;

/**
 * The appenders that are compared, each over a file of the same pattern that never rolls over. None
 * may lose an event, and each may wait without limit when it is stopped.
 */
public enum AppenderKind {
  /** Logback's file appender, buffered; calling threads encode and write, under a lock. */
  ROLLING_FILE,
  /** {@code AsyncAppender} over {@code ROLLING_FILE}, 8,192 slots; callers wait if it is full. */
  ASYNC_8192,
  /** {@code AsyncAppender} over {@code ROLLING_FILE}, 131,072 slots. */
  ASYNC_131072,
  /** Log4j 2's async loggers over its buffered file, 8,192 slots; callers wait if it is full. */
  LOG4J2_ASYNC,
  /** {@code SpillwayAppender} over {@code ROLLING_FILE}; spills while the file stalls. */
  SPILLWAY,
  /** {@code SpillwayRollingFileAppender}, which writes its own file. */
  SPILLWAY_FILE;

  /** The pattern of {@code stress}, without caller data, which would cost more than an appender. */
  static final String PATTERN = "%d [%t] %-5p %c{20} - %m%n";

  private static final String WAITING_STOP = "<maxFlushTime>0</maxFlushTime>";

  private static final String LOGBACK_FILE =
      """
        <appender name="FILE" class="CLASS">
          <file>PATH</file>
          <immediateFlush>false</immediateFlush>
          <rollingPolicy class="ch.qos.logback.core.rolling.FixedWindowRollingPolicy">
            <fileNamePattern>PATH.%i.gz</fileNamePattern>
          </rollingPolicy>
          <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy">
            <maxFileSize>1000GB</maxFileSize>
          </triggeringPolicy>
          <encoder>
            <pattern>PATTERN</pattern>
          </encoder>
          SETTINGS
        </appender>
      """;

  private static final String LOGBACK_ASYNC =
      """
        <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender">
          <queueSize>%d</queueSize>
          <discardingThreshold>0</discardingThreshold>
          <maxFlushTime>0</maxFlushTime>
          <appender-ref ref="FILE"/>
        </appender>
      """;

  private static final String SPILLWAY_APPENDER =
      """
        <appender name="SPILLWAY" class="io.spillway.SpillwayAppender">
          <maxFlushTime>0</maxFlushTime>
          <appender-ref ref="FILE"/>
        </appender>
      """;

  private static final String LOGBACK =
      """
      <configuration>
      %s  <root level="INFO">
          <appender-ref ref="%s"/>
        </root>
      </configuration>
      """;

  /** Not flushed with each event but with each batch, as Log4j advises for async loggers. */
  private static final String LOG4J2 =
      """
      <Configuration status="WARN" shutdownHook="disable">
        <Appenders>
          <RollingRandomAccessFile name="FILE" immediateFlush="false"
              fileName="PATH" filePattern="PATH.%i.gz">
            <PatternLayout pattern="PATTERN"/>
            <SizeBasedTriggeringPolicy size="1000GB"/>
          </RollingRandomAccessFile>
        </Appenders>
        <Loggers>
          <Root level="info">
            <AppenderRef ref="FILE"/>
          </Root>
        </Loggers>
      </Configuration>
      """;

  /** Returns the configuration that writes a file, as XML of the library that has the appender. */
  String configuration(Path path) {
    String file = file("ch.qos.logback.core.rolling.RollingFileAppender", "");
    String configuration =
        switch (this) {
          case ROLLING_FILE -> LOGBACK.formatted(file, "FILE");
          case ASYNC_8192 -> LOGBACK.formatted(file + LOGBACK_ASYNC.formatted(8_192), "ASYNC");
          case ASYNC_131072 -> LOGBACK.formatted(file + LOGBACK_ASYNC.formatted(131_072), "ASYNC");
          case LOG4J2_ASYNC -> LOG4J2;
          case SPILLWAY -> LOGBACK.formatted(file + SPILLWAY_APPENDER, "SPILLWAY");
          case SPILLWAY_FILE ->
              LOGBACK.formatted(
                  file("io.spillway.SpillwayRollingFileAppender", WAITING_STOP), "FILE");
        };
    return configuration.replace("PATH", path.toString()).replace("PATTERN", PATTERN);
  }

  private static String file(String type, String settings) {
    return LOGBACK_FILE.replace("CLASS", type).replace("SETTINGS", settings);
  }
}
