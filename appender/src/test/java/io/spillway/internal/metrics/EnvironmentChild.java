package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;

/** Prints whether the class path suffices, and what is said of it. Runs on any Logback. */
public final class EnvironmentChild {
  private EnvironmentChild() {}

  public static void main(String[] arguments) {
    Context context = new ContextBase();
    ContextAwareBase component = new ContextAwareBase();
    component.setContext(context);
    System.out.println("suffices " + (Environment.suffices(component) ? 1 : 0));
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      System.out.println((status.getLevel() == Status.ERROR ? "error " : "") + status.getMessage());
    }
  }
}
