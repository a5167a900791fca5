package org.example;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.LoggerFactory;

/**
 * A program to watch: five threads stand in a log call for ever, one for 50 ms again and again, one
 * waits for a monitor, and a pool waits for work. It says when they do, and ends with its input.
 */
public final class WaitingTarget {

  private static final Object MONITOR = new Object();

  private WaitingTarget() {}

  /** Parks its callers. */
  public static final class Parking extends UnsynchronizedAppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      if (event.getMessage().equals("short")) {
        LockSupport.parkNanos(50_000_000);
        return;
      }
      while (true) {
        LockSupport.park(this);
      }
    }
  }

  /** Runs until its input ends. */
  public static void main(String[] arguments) throws IOException {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Parking appender = new Parking();
    appender.setContext(context);
    appender.start();
    Logger logger = context.getLogger("held");
    logger.setAdditive(false);
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
    Executors.newFixedThreadPool(3).submit(() -> {});
    for (int i = 0; i < 5; i++) {
      start(() -> logger.info("for ever"));
    }
    start(
        () -> {
          while (true) {
            logger.info("short");
          }
        });
    synchronized (MONITOR) {
      start(WaitingTarget::enter);
      System.out.println("ready");
      System.in.read();
    }
    System.exit(0);
  }

  private static void enter() {
    synchronized (MONITOR) {
      MONITOR.notifyAll();
    }
  }

  private static void start(Runnable body) {
    Thread thread = new Thread(body);
    thread.setDaemon(true);
    thread.start();
  }
}
