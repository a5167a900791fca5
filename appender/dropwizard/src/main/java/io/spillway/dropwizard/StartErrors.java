package io.spillway.dropwizard;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Collects the errors that Logback reports while an appender starts. Dropwizard prints status
 * messages before it builds its request log, so errors of that appender would not be printed.
 */
final class StartErrors implements AutoCloseable {
  private final Context context;
  private final List<String> messages = new CopyOnWriteArrayList<>();
  private final StatusListener listener = this::listen;

  StartErrors(Context context) {
    this.context = context;
    context.getStatusManager().add(listener);
  }

  private void listen(Status status) {
    if (status.getLevel() >= Status.ERROR) {
      messages.add(status.getMessage());
    }
  }

  @Override
  public String toString() {
    return String.join(" ", messages);
  }

  @Override
  public void close() {
    context.getStatusManager().remove(listener);
  }
}
