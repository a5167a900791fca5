package io.spillway.stress.bench;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import java.util.Iterator;
import java.util.concurrent.Semaphore;

/** Passes events on, or stands still while told to: a stalled sink over a real one. */
public final class StallAppender extends UnsynchronizedAppenderBase<ILoggingEvent>
    implements AppenderAttachable<ILoggingEvent> {
  private static volatile boolean stalled;
  private static final Semaphore GATE = new Semaphore(0);

  private final AppenderAttachableImpl<ILoggingEvent> nested = new AppenderAttachableImpl<>();

  /** Made by Logback. */
  public StallAppender() {}

  static void stall() {
    stalled = true;
  }

  static void goOn() {
    stalled = false;
    GATE.release();
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (stalled) {
      GATE.acquireUninterruptibly();
    }
    nested.appendLoopOnAppenders(event);
  }

  @Override
  public void stop() {
    super.stop();
    nested.detachAndStopAllAppenders();
  }

  @Override
  public void addAppender(Appender<ILoggingEvent> appender) {
    nested.addAppender(appender);
  }

  @Override
  public Iterator<Appender<ILoggingEvent>> iteratorForAppenders() {
    return nested.iteratorForAppenders();
  }

  @Override
  public Appender<ILoggingEvent> getAppender(String name) {
    return nested.getAppender(name);
  }

  @Override
  public boolean isAttached(Appender<ILoggingEvent> appender) {
    return nested.isAttached(appender);
  }

  @Override
  public void detachAndStopAllAppenders() {
    nested.detachAndStopAllAppenders();
  }

  @Override
  public boolean detachAppender(Appender<ILoggingEvent> appender) {
    return nested.detachAppender(appender);
  }

  @Override
  public boolean detachAppender(String name) {
    return nested.detachAppender(name);
  }
}
