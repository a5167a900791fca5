package io.spillway.stress.sandbox;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.load.ThreadContext;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Configures Logback in a forked JVM whose system properties request a sandbox; in any other JVM it
 * defers to Logback's own configurators. Logback finds it as a service, so that already the first
 * logger is in the sandbox.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_HIGH_PRIORITY)
public final class SandboxConfigurator extends ContextAwareBase implements Configurator {
  /** The configuration to run. */
  static final String CONFIGURATION = "spillway.sandbox.configuration";

  /** The directory under which the configuration writes. */
  static final String ROOT = "spillway.sandbox.root";

  /** The directory against which relative paths are resolved. */
  static final String HOME = "spillway.sandbox.home";

  /** The file size at rollover, in bytes; absent for the configuration's own. */
  static final String LIMIT = "spillway.sandbox.limit";

  /** Size of a file at rollover if only the clock triggers that, in bytes; absent for any. */
  static final String CLOCK = "spillway.sandbox.clock";

  /** The number of rotations of a trial; absent for one. */
  static final String ROTATIONS = "spillway.sandbox.rotations";

  /** Active profiles, separated by commas. */
  static final String PROFILES = "spillway.sandbox.profiles";

  /** A {@link SandboxSession.Network}; absent for {@code COUNTED}. */
  static final String NETWORK = "spillway.sandbox.network";

  /** The time of timestamps in file names, in milliseconds; absent for now. */
  static final String MOMENT = "spillway.sandbox.moment";

  /** The start of the run; probes and trials of one run must give a file the same name. */
  private static final long NOW = System.currentTimeMillis();

  private static final String SESSION = SandboxSession.class.getName();

  /**
   * Returns the system properties that make a JVM keep a configuration in a sandbox.
   *
   * @param configuration absolute path of the configuration
   * @param root absolute path of the sandbox
   * @param home absolute path of the application's working directory
   * @param limitBytes file size at rollover; 0 for the configuration's own
   * @param clockBytes size of a file at rollover if only the clock triggers that
   * @param rotations number of rotations whose archives must all be kept
   */
  public static Map<String, String> properties(
      Path configuration, Path root, Path home, long limitBytes, long clockBytes, int rotations) {
    Map<String, String> properties = new TreeMap<>();
    properties.put(CONFIGURATION, configuration.toString());
    properties.put(ROOT, root.toString());
    properties.put(HOME, home.toString());
    properties.put(MOMENT, Long.toString(NOW));
    properties.put(CLOCK, Long.toString(clockBytes));
    properties.put(ROTATIONS, Integer.toString(rotations));
    if (limitBytes > 0) {
      properties.put(LIMIT, Long.toString(limitBytes));
    }
    return properties;
  }

  /**
   * Returns the system properties for the environment of a configuration.
   *
   * @param profiles the active profiles
   * @param mdc the entries that every thread has in its MDC
   * @param network whether appenders may reach other processes
   */
  public static Map<String, String> surroundings(
      List<String> profiles, Map<String, String> mdc, boolean network) {
    Map<String, String> properties = new TreeMap<>(ThreadContext.properties(mdc));
    properties.put(PROFILES, String.join(",", profiles));
    properties.put(
        NETWORK,
        (network ? SandboxSession.Network.ALLOWED : SandboxSession.Network.COUNTED).name());
    return properties;
  }

  /**
   * Returns the system property of a probe: no other process is reached before the run has printed
   * what would be.
   */
  public static Map<String, String> unreached() {
    return Map.of(NETWORK, SandboxSession.Network.NONE.name());
  }

  /** Called by Logback. */
  public SandboxConfigurator() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    String configuration = System.getProperty(CONFIGURATION);
    if (configuration == null) {
      return ExecutionStatus.INVOKE_NEXT_IF_ANY;
    }
    Sandbox sandbox =
        new Sandbox(Path.of(System.getProperty(ROOT)), Path.of(System.getProperty(HOME)));
    SandboxSession session =
        new SandboxSession(
            sandbox,
            new SandboxSession.Rotations(
                System.getProperty(LIMIT),
                Long.getLong(CLOCK, 0),
                Integer.getInteger(ROTATIONS, 1)),
            Arrays.stream(System.getProperty(PROFILES, "").split(","))
                .map(String::trim)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet()),
            SandboxSession.Network.valueOf(
                System.getProperty(NETWORK, SandboxSession.Network.COUNTED.name())));
    context.putObject(SESSION, session);
    RedirectingConfigurator joran = new RedirectingConfigurator(session);
    joran.setContext(context);
    try {
      joran.doConfigure(Path.of(configuration).toFile());
      Appenders.of(context).forEach(session::made);
    } catch (JoranException e) {
      addError("Cannot read [" + configuration + "]", e);
    } catch (SandboxSession.Outside e) {
      addError(e.getMessage());
    } catch (RuntimeException | LinkageError e) { // an appender may lack what its jar needs
      // If it were rethrown, Logback would print it and continue with a partial configuration.
      addError("Logback itself gives up on [" + configuration + "]", e);
    }
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /** Returns the time of timestamps in file names, in milliseconds. */
  static long moment() {
    return Long.getLong(MOMENT, NOW);
  }

  /** Returns the session of a context, or null if this class did not configure the context. */
  static SandboxSession sessionOf(LoggerContext context) {
    return (SandboxSession) context.getObject(SESSION);
  }
}
