package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import java.util.List;

/** Logback. */
final class LogbackSystem implements LoggingSystem {

  private static final int PROBLEMS_SHOWN = 20;

  private final LoggerContext context;

  LogbackSystem(LoggerContext context) {
    this.context = context;
  }

  @Override
  public List<String> errors() {
    return statuses(Status.ERROR);
  }

  @Override
  public List<String> problems() {
    return statuses(Status.WARN);
  }

  @Override
  public BufferWatch buffers() {
    return LogbackBuffers.of(context);
  }

  @Override
  public Rollover rollover(LoadTarget target) {
    return Rollover.of(target, context);
  }

  @Override
  public void stop() {
    context.stop();
  }

  private List<String> statuses(int level) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() >= level)
        .limit(PROBLEMS_SHOWN)
        .map(status -> status.toString() + cause(status))
        .toList();
  }

  private static String cause(Status status) {
    return status.getThrowable() == null ? "" : ": " + status.getThrowable();
  }
}
