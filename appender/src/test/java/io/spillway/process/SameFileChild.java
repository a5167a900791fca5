package io.spillway.process;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.encoder.EchoEncoder;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Gate;
import java.io.File;
import java.util.concurrent.locks.LockSupport;

/**
 * Appenders of one name, file and pattern, one after the other, in a context that lives on, as for
 * a tenant of a sifting appender: behind one that could not start, and behind one whose sink hung
 * when it was stopped. The argument is a directory. Runs on any Logback.
 */
public final class SameFileChild {
  private static final Gate GATE = new Gate();

  private SameFileChild() {}

  /** Of Logback, which remembers its pattern. */
  private static final class Gated extends TimeBasedRollingPolicy<ILoggingEvent> {
    @Override
    public boolean isTriggeringEvent(File activeFile, ILoggingEvent event) {
      GATE.pass();
      return super.isTriggeringEvent(activeFile, event);
    }
  }

  /** Prints whether each has started. */
  public static void main(String[] arguments) {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    tell("without an encoder", started(context, arguments[0] + "/a", false));
    SpillwayRollingFileAppender<ILoggingEvent> again = started(context, arguments[0] + "/a", true);
    tell("with an encoder", again);
    again.stop();
    SpillwayRollingFileAppender<ILoggingEvent> old = started(context, arguments[0] + "/b", true);
    tell("old", old);
    GATE.shut();
    context.getLogger("test").addAppender(old);
    context.getLogger("test").info("an event");
    while (!GATE.isHolding()) {
      LockSupport.parkNanos(1_000_000);
    }
    context.getLogger("test").detachAppender(old);
    old.stop();
    SpillwayRollingFileAppender<ILoggingEvent> next = started(context, arguments[0] + "/b", true);
    tell("next", next);
    GATE.open();
    next.stop();
    context.getStatusManager().getCopyOfStatusList().forEach(System.out::println);
  }

  private static void tell(String which, SpillwayRollingFileAppender<?> appender) {
    System.out.println(which + ": " + (appender.isStarted() ? "started" : "not started"));
  }

  private static SpillwayRollingFileAppender<ILoggingEvent> started(
      LoggerContext context, String path, boolean encodes) {
    SpillwayRollingFileAppender<ILoggingEvent> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName(path);
    appender.setFile(path + ".log");
    appender.setMaxFlushTime("100");
    if (encodes) {
      EchoEncoder<ILoggingEvent> encoder = new EchoEncoder<>();
      encoder.setContext(context);
      encoder.start();
      appender.setEncoder(encoder);
    }
    Gated policy = new Gated();
    policy.setContext(context);
    policy.setParent(appender);
    policy.setFileNamePattern(path + ".%d.log");
    policy.start();
    appender.setRollingPolicy(policy);
    appender.start();
    return appender;
  }
}
