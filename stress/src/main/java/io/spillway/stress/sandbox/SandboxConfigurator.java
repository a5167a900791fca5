package io.spillway.stress.sandbox;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.report.Json;
import java.nio.file.Path;

/**
 * Configures Logback in a forked JVM whose system property names a {@link SandboxSpec}; in any
 * other JVM it defers to Logback's own configurators. Logback finds it as a service, so that
 * already the first logger is in the sandbox.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class SandboxConfigurator extends ContextAwareBase implements Configurator {
  private static final String SANDBOX = Sandbox.class.getName();

  /** Called by Logback. */
  public SandboxConfigurator() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    String file = System.getProperty(SandboxSpec.PROPERTY);
    if (file == null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    try {
      SandboxSpec spec = Json.read(Path.of(file), SandboxSpec.class);
      Sandbox sandbox = new Sandbox(spec);
      context.putObject(SANDBOX, sandbox);
      RedirectingConfigurator joran = new RedirectingConfigurator(sandbox);
      joran.setContext(context);
      joran.doConfigure(Path.of(spec.configuration()).toFile());
      Appenders.of(context).forEach(sandbox::requireInside);
      // A scan would reload a changed configuration without the sandbox.
      context.getCopyOfScheduledFutures().forEach(scan -> scan.cancel(false));
    } catch (Exception | LinkageError e) { // an appender may lack what its jar needs
      // If it were rethrown, Logback would print it and continue with its own configurators.
      addError("Logback itself gives up on it", e);
    }
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Returns the sandbox of a context, or null if this class did not configure the context. */
  static Sandbox of(LoggerContext context) {
    return (Sandbox) context.getObject(SANDBOX);
  }
}
