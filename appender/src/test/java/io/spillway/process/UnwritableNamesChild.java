package io.spillway.process;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;

/** Logs 100 events by a configuration, and prints what the appenders said. */
public final class UnwritableNamesChild {
  private UnwritableNamesChild() {}

  public static void main(String[] arguments) throws JoranException {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putProperty("DIR", arguments[1]);
    context.putProperty("NUL", "\0");
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(arguments[0]);
    Logger logger = context.getLogger("shop");
    for (int i = 0; i < 100; i++) {
      logger.info("event {}", i);
    }
    var statuses = context.getStatusManager().getCopyOfStatusList();
    context.stop();
    statuses.forEach(System.out::println);
    System.out.println("logged to the end");
  }
}
