package io.spillway.stress.sandbox;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.stress.load.Appenders;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Configures Logback in a forked JVM that is told by system properties to keep a configuration in a
 * sandbox; in any other JVM it leaves that to Logback's own configurators. Found by Logback as a
 * service, so that the first logger that anybody asks for is in the sandbox already.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class SandboxConfigurator extends ContextAwareBase implements Configurator {
  /** The configuration to run. */
  static final String CONFIGURATION = "spillway.sandbox.configuration";

  /** The directory under which it writes. */
  static final String ROOT = "spillway.sandbox.root";

  /** The directory that its relative paths are relative to. */
  static final String HOME = "spillway.sandbox.home";

  /** The file size at which it rolls over, in bytes; absent for its own. */
  static final String LIMIT = "spillway.sandbox.limit";

  private static final String SESSION = SandboxSession.class.getName();

  /**
   * The system properties that make a JVM keep a configuration in a sandbox.
   *
   * @param configuration an absolute path
   * @param root an absolute path
   * @param home an absolute path
   * @param limitBytes 0 for the configuration's own
   */
  public static Map<String, String> properties(
      Path configuration, Path root, Path home, long limitBytes) {
    Map<String, String> properties = new TreeMap<>();
    properties.put(CONFIGURATION, configuration.toString());
    properties.put(ROOT, root.toString());
    properties.put(HOME, home.toString());
    if (limitBytes > 0) {
      properties.put(LIMIT, Long.toString(limitBytes));
    }
    return properties;
  }

  /** Made by Logback. */
  public SandboxConfigurator() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    String configuration = System.getProperty(CONFIGURATION);
    if (configuration == null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    Sandbox sandbox =
        new Sandbox(Path.of(System.getProperty(ROOT)), Path.of(System.getProperty(HOME)));
    SandboxSession session = new SandboxSession(sandbox, System.getProperty(LIMIT));
    context.putObject(SESSION, session);
    RedirectingConfigurator joran = new RedirectingConfigurator(session);
    joran.setContext(context);
    try {
      joran.doConfigure(Path.of(configuration).toFile());
      Appenders.of(context).forEach(appender -> limit(appender, session));
    } catch (JoranException e) {
      addError("Cannot read [" + configuration + "]", e);
    } catch (RuntimeException e) {
      // Thrown further, Logback would print it and go on with whatever was configured so far.
      addError("Logback itself gives up on [" + configuration + "]", e);
    }
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static void limit(Appender<ILoggingEvent> appender, SandboxSession session) {
    if (appender instanceof RollingFileAppender<ILoggingEvent> rolling && rolling.isStarted()) {
      session.maxFileSizeByDefault(rolling.getTriggeringPolicy());
    }
  }

  /** The session of a context, or null if it was not configured here. */
  static SandboxSession sessionOf(LoggerContext context) {
    return (SandboxSession) context.getObject(SESSION);
  }
}
