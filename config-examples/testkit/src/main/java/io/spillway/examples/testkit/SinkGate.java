package io.spillway.examples.testkit;

import ch.qos.logback.core.rolling.LengthCounter;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import java.io.File;
import java.util.concurrent.CountDownLatch;

/**
 * Blocks the thread that writes a log file, as a stalled disk would. It wraps the triggering
 * policy, which the appender calls before each write. Open at first.
 *
 * @param <E> the type of event
 */
public final class SinkGate<E> implements TriggeringPolicy<E> {
  private final TriggeringPolicy<E> policy;
  private volatile CountDownLatch shut = new CountDownLatch(0);

  private SinkGate(TriggeringPolicy<E> policy) {
    this.policy = policy;
  }

  /** Puts a gate before an appender's policy. */
  public static <E> SinkGate<E> before(RollingFileAppender<E> appender) {
    SinkGate<E> gate = new SinkGate<>(appender.getTriggeringPolicy());
    appender.setTriggeringPolicy(gate);
    return gate;
  }

  /** Closes the gate: every later write blocks. */
  public void shut() {
    shut = new CountDownLatch(1);
  }

  /** Opens the gate: writes continue. */
  public void open() {
    shut.countDown();
  }

  @Override
  public boolean isTriggeringEvent(File activeFile, E event) {
    try {
      shut.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return policy.isTriggeringEvent(activeFile, event);
  }

  @Override
  public LengthCounter getLengthCounter() {
    return policy.getLengthCounter();
  }

  @Override
  public void start() {
    policy.start();
  }

  @Override
  public void stop() {
    policy.stop();
  }

  @Override
  public boolean isStarted() {
    return policy.isStarted();
  }
}
