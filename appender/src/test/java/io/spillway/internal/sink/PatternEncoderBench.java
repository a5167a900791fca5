package io.spillway.internal.sink;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.Function;

/**
 * CPU time of a log call of five arguments with an appender that encodes and drops the bytes: with
 * no encoder, Logback's, and this one. A main program; arguments: rounds, events.
 */
final class PatternEncoderBench {
  private static final LoggerContext CONTEXT = new LoggerContext();
  private static int sink;

  private PatternEncoderBench() {}

  public static void main(String[] args) throws InterruptedException {
    int rounds = Integer.parseInt(args[0]);
    int events = Integer.parseInt(args[1]);
    CONTEXT.setMDCAdapter(new LogbackMDCAdapter());
    PatternLayoutEncoder stock = new PatternLayoutEncoder();
    stock.setContext(CONTEXT);
    stock.setPattern("%d [%t] %-5p %c{20} - %m%n");
    stock.start();
    PatternEncoder own = PatternEncoder.of(stock, true);
    byte[] none = {};
    Function<ILoggingEvent, byte[]> asLogback =
        event -> {
          ((LoggingEvent) event).prepareForDeferredProcessing();
          return stock.encode(event);
        };
    for (int threads : new int[] {1, 8}) {
      double[][] micros = new double[3][rounds];
      for (int round = -2; round < rounds; round++) { // two to warm up
        int to = Math.max(round, 0);
        micros[0][to] = run(event -> none, threads, events);
        micros[1][to] = run(asLogback, threads, events);
        micros[2][to] = run(own::encode, threads, events);
      }
      for (int i = 0; i < micros.length; i++) {
        Arrays.sort(micros[i]);
        System.out.printf(
            "%d threads, %-8s: median %.3f us of CPU an event (%.3f to %.3f)%n",
            threads,
            new String[] {"none", "Logback", "Spillway"}[i],
            micros[i][rounds / 2],
            micros[i][0],
            micros[i][rounds - 1]);
      }
    }
  }

  private static double run(Function<ILoggingEvent, byte[]> encoder, int threads, int events)
      throws InterruptedException {
    UnsynchronizedAppenderBase<ILoggingEvent> appender =
        new UnsynchronizedAppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            if (encoder.apply(event).length == 1) {
              sink++; // never, but the bytes are needed
            }
          }
        };
    appender.start();
    CONTEXT.getLogger(Logger.ROOT_LOGGER_NAME).detachAndStopAllAppenders();
    CONTEXT.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    var os =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long before = os.getProcessCpuTime();
    Thread[] callers = new Thread[threads];
    for (int t = 0; t < threads; t++) {
      callers[t] = new Thread(() -> log(events / threads), "http-nio-8080-exec-" + t);
      callers[t].start();
    }
    for (Thread caller : callers) {
      caller.join();
    }
    return (os.getProcessCpuTime() - before) / 1e3 / events;
  }

  private static void log(int events) {
    Logger logger = CONTEXT.getLogger("com.example.shop.orders.OrderService");
    String message = "order {} accepted, {} items, customer {}, payment by {}, total {}";
    for (int i = 0; i < events; i++) {
      logger.info(message, i, i & 7, 4711L + i, "card", "99.90");
    }
  }
}
