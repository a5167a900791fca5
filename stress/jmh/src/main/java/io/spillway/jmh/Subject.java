package io.spillway.jmh;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusUtil;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.slf4j.Logger;

/**
 * One appender under test, configured from XML, in a logging context and a directory of its own,
 * which {@link #close} deletes.
 */
final class Subject implements AutoCloseable {
  private static final String LOGGER = "io.spillway.jmh.Service";

  private final AppenderKind kind;
  private final WorkDirectory directory = new WorkDirectory();
  private final Path file = directory.file("app.log");
  private final Logger logger;
  private Runnable stop;

  Subject(AppenderKind kind) throws Exception {
    this.kind = kind;
    String configuration = kind.configuration(file);
    if (kind == AppenderKind.LOG4J2_ASYNC) {
      Log4j2 log4j2 = new Log4j2(Files.writeString(directory.file("log4j2.xml"), configuration));
      logger = log4j2.logger(LOGGER);
      stop = log4j2::stop;
    } else {
      LoggerContext context = logback(configuration);
      logger = context.getLogger(LOGGER);
      stop = context::stop;
    }
  }

  private static LoggerContext logback(String configuration) throws JoranException {
    LoggerContext context = new LoggerContext();
    context.setName("jmh");
    context.setMDCAdapter(new LogbackMDCAdapter());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    byte[] xml = configuration.getBytes(StandardCharsets.UTF_8);
    configurator.doConfigure(new ByteArrayInputStream(xml));
    if (new StatusUtil(context).getHighestLevel(0) > Status.INFO) {
      throw new IllegalStateException(
          "Not to be measured: " + context.getStatusManager().getCopyOfStatusList());
    }
    return context;
  }

  Logger logger() {
    return logger;
  }

  /** Stops the appender, as an application does at its end; it delivers all that it holds. */
  void stop() {
    stop.run();
    stop = () -> {};
  }

  /**
   * Fails if the file of the stopped appender has not as many lines as there were log calls. Log4j
   * 2 at times loses one at saturation, which is told instead.
   */
  void requireLines(long calls) throws IOException {
    long lines;
    try (Stream<String> all = Files.lines(file)) {
      lines = all.count();
    }
    if (lines == calls - 1 && kind == AppenderKind.LOG4J2_ASYNC) {
      System.out.println(kind + ": one line is missing");
    } else if (lines != calls) {
      throw new IllegalStateException(
          "%s: %d log calls, %d lines in the file; a figure of lost events compares with none"
              .formatted(kind, calls, lines));
    }
  }

  @Override
  public void close() {
    stop();
    directory.close();
  }
}
