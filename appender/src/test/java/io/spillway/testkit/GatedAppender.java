package io.spillway.testkit;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** A nested appender that keeps messages, stands still while its gate is shut, and does as told. */
public final class GatedAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition opened = lock.newCondition();
  private final List<String> messages = new ArrayList<>();
  private Consumer<String> keeper = messages::add;
  private boolean shut;
  private boolean waiting;
  private volatile Consumer<ILoggingEvent> before = event -> {};

  /** Runs before each event is kept; what it throws leaves this appender. */
  public void before(Consumer<ILoggingEvent> action) {
    before = action;
  }

  /** Messages are handed on instead of kept, for more than fit into memory. */
  public void handTo(Consumer<String> other) {
    lock.lock();
    try {
      keeper = other;
    } finally {
      lock.unlock();
    }
  }

  /** Events stop here from now on. */
  public void shut() {
    lock.lock();
    try {
      shut = true;
    } finally {
      lock.unlock();
    }
  }

  /** They go on. */
  public void open() {
    lock.lock();
    try {
      shut = false;
      opened.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Whether an event stands at the shut gate. */
  public boolean isHoldingOne() {
    lock.lock();
    try {
      return waiting;
    } finally {
      lock.unlock();
    }
  }

  /** Everything that came through, in order. */
  public List<String> messages() {
    lock.lock();
    try {
      return new ArrayList<>(messages);
    } finally {
      lock.unlock();
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    lock.lock();
    try {
      while (shut) {
        waiting = true;
        opened.awaitUninterruptibly();
      }
      waiting = false;
    } finally {
      lock.unlock();
    }
    before.accept(event);
    lock.lock();
    try {
      keeper.accept(event.getFormattedMessage());
    } finally {
      lock.unlock();
    }
  }
}
