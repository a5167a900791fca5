package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;

/** A throwable read back: all that layouts print of it, never the throwable itself. */
final class SpilledThrowable implements IThrowableProxy {
  private final String className;
  private final String message;
  private final String overridingMessage;
  private final boolean cyclic;
  private final int commonFrames;
  private final StackTraceElementProxy[] frames;
  private final IThrowableProxy[] suppressed;
  private IThrowableProxy cause;

  SpilledThrowable(
      String className,
      String message,
      String overridingMessage,
      boolean cyclic,
      int commonFrames,
      StackTraceElementProxy[] frames,
      IThrowableProxy[] suppressed) {
    this.className = className;
    this.message = message;
    this.overridingMessage = overridingMessage;
    this.cyclic = cyclic;
    this.commonFrames = commonFrames;
    this.frames = frames;
    this.suppressed = suppressed;
  }

  void setCause(IThrowableProxy cause) {
    this.cause = cause;
  }

  @Override
  public String getClassName() {
    return className;
  }

  @Override
  public String getMessage() {
    return message;
  }

  @Override
  public String getOverridingMessage() {
    return overridingMessage;
  }

  @Override
  public StackTraceElementProxy[] getStackTraceElementProxyArray() {
    return frames;
  }

  @Override
  public int getCommonFrames() {
    return commonFrames;
  }

  @Override
  public IThrowableProxy getCause() {
    return cause;
  }

  @Override
  public IThrowableProxy[] getSuppressed() {
    return suppressed;
  }

  @Override
  public boolean isCyclic() {
    return cyclic;
  }
}
