package io.spillway.stress.sandbox;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.spillway.stress.load.Appenders;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntConsumer;

/** Rules and records of changes to one configuration while Logback interprets it in the sandbox. */
final class SandboxSession {
  private static final Duration BY_DEFAULT = new SizeBasedTriggeringPolicy<>().getCheckIncrement();
  private static final String DEFAULT_SIZE =
      String.valueOf(
          new SizeBasedTriggeringPolicy<>().getMaxFileSize().getSize()); // Spillway's, too
  private static final Duration OFTEN = Duration.buildByMilliseconds(100);

  /**
   * Files besides the archives of the rotations: the active file, which may grow to twice its size.
   */
  private static final int FILES_LEFT = 3;

  private final Sandbox sandbox;
  private final String limit;
  private final long clockBytes;
  private final int rotations;
  private final Set<String> profiles;
  private final Network network;
  private final List<Findings.Redirection> redirections = new CopyOnWriteArrayList<>();
  private final Set<String> counted = new LinkedHashSet<>();
  private final Set<String> outside = new LinkedHashSet<>();
  private final Set<String> notes = new LinkedHashSet<>();
  private final Map<Object, String> sizes = Collections.synchronizedMap(new IdentityHashMap<>());

  /** How appenders and listeners that may reach another process are treated. */
  enum Network {
    /** All are created, as for the application. */
    ALLOWED,
    /** Those known to reach another process are only counted. */
    COUNTED,
    /** Those of unknown reach are only counted, too. */
    NONE
  }

  /**
   * How files roll over in a sandbox.
   *
   * @param limit the file size at rollover, or null for the configuration's own
   * @param clockBytes size of a file at rollover if only the clock triggers that
   * @param rotations number of rotations whose archives must all be kept
   */
  record Rotations(String limit, long clockBytes, int rotations) {}

  /**
   * Creates a session.
   *
   * @param rolling how files roll over
   * @param profiles the active profiles
   */
  SandboxSession(Sandbox sandbox, Rotations rolling, Set<String> profiles, Network network) {
    this.sandbox = sandbox;
    this.limit = rolling.limit;
    this.clockBytes = rolling.clockBytes;
    this.rotations = rolling.rotations;
    this.profiles = profiles;
    this.network = network;
  }

  /** Returns the active profiles. */
  Set<String> profiles() {
    return profiles;
  }

  /**
   * Returns whether an appender of that reach is replaced by a counting one, and a listener left
   * out.
   */
  boolean counts(Reach reach) {
    return reach == Reach.NETWORK && network != Network.ALLOWED
        || reach != Reach.LOCAL && network == Network.NONE;
  }

  /** Records an appender that is created, or replaced by a counting one. */
  void reaches(Reach reach, String appender) {
    if (reach == Reach.NETWORK && network != Network.ALLOWED) {
      counted.add(appender);
    } else if (reach != Reach.LOCAL) {
      outside.add(appender);
    }
  }

  /** Notes that a property of the application has no value. */
  void withoutValue(String property) {
    notes.add("no value for " + property + " (--property " + property + "=VALUE)");
  }

  /** Notes a difference from the configuration as its owner knows it. */
  void note(String note) {
    notes.add(note);
  }

  /** Returns appenders that were replaced by counting ones, and listeners that were left out. */
  List<String> counted() {
    return List.copyOf(counted);
  }

  /** Returns appenders and listeners that may reach another process. */
  List<String> outside() {
    return List.copyOf(outside);
  }

  List<String> notes() {
    return List.copyOf(notes);
  }

  /** Returns the path in the sandbox, and records the redirection. */
  String redirect(String property, String path) {
    String to = sandbox.redirect(path);
    redirections.add(new Findings.Redirection(property, path, to));
    return to;
  }

  /** Resolves the path of a file that the configuration reads. */
  String fromHome(String path) {
    return sandbox.home().resolve(path).toString();
  }

  /**
   * Returns the size for a policy. A policy that checks the file's size at the default interval of
   * a minute is set to check every 100 ms, because a trial cannot wait a minute.
   */
  String maxFileSize(Object policy, String configured) {
    String size = limit == null ? configured : limit;
    if (policy instanceof SizeBasedTriggeringPolicy<?> sized
        && Objects.equals(sized.getCheckIncrement(), BY_DEFAULT)) {
      sized.setCheckIncrement(OFTEN);
    }
    sizes.put(policy, size);
    return size;
  }

  /**
   * Returns the cap on all archives, raised if it is too small for a trial's. A single rotation at
   * the configured size leaves the cap unchanged.
   *
   * @param size size at which the policy is configured to roll over, or null if it does by the
   *     clock
   */
  String totalSizeCap(String configured, String size) {
    long file = clockBytes;
    if (size != null && limit != null) {
      file = Long.parseLong(limit);
    } else if (size != null) {
      file = rotations > 1 ? FileSize.valueOf(size).getSize() : 0;
    }
    long bytes = (rotations + FILES_LEFT) * file;
    long cap = FileSize.valueOf(configured).getSize();
    if (cap <= 0 || cap >= bytes) {
      return configured;
    }
    notes.add("totalSizeCap is " + bytes + " bytes instead of " + configured);
    return Long.toString(bytes);
  }

  /** Raises the size of a window to the number of rotations plus one, if there are several. */
  void maxIndex(Object policy) {
    if (policy instanceof FixedWindowRollingPolicy window) {
      maxIndex(window.getMinIndex(), window.getMaxIndex(), window::setMaxIndex);
    }
  }

  private void maxIndex(int min, int max, IntConsumer setter) {
    int least = min + rotations;
    if (rotations > 1 && max < least) {
      notes.add("maxIndex is " + least + " instead of " + max);
      setter.accept(least);
    }
  }

  /**
   * Refuses an appender or a policy that would write outside the sandbox. Called before it starts,
   * as opening a file may truncate it, and after, as the file of some parts is set only then.
   */
  void requireInside(Object part) {
    String path = null;
    if (part instanceof FileAppender<?> appender) {
      path = appender.isStarted() ? appender.getFile() : appender.rawFileProperty();
    } else if (part instanceof RollingPolicy policy) {
      path = Appenders.fileNamePattern(policy);
    }
    if (path != null && !sandbox.contains(path)) {
      throw new Outside(
          part.getClass().getName()
              + " would write ["
              + path
              + "], outside the sandbox, so no trial can be made of it");
    }
  }

  /** A part of the configuration would write outside the sandbox. */
  static final class Outside extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    Outside(String message) {
      super(message);
    }
  }

  /** Checks a created appender; if the configuration sets no size, sets the trial's. */
  void made(Appender<ILoggingEvent> appender) {
    requireInside(appender);
    if (appender instanceof RollingFileAppender<ILoggingEvent> rolling && rolling.isStarted()) {
      maxFileSizeByDefault(rolling.getTriggeringPolicy());
    }
  }

  /** Restarts a policy that has started with its default size with the trial's size. */
  private void maxFileSizeByDefault(TriggeringPolicy<?> policy) {
    if (sizes.containsKey(policy)) {
      return;
    }
    if (policy instanceof SizeBasedTriggeringPolicy<?> sized) {
      sized.stop();
      sized.setMaxFileSize(FileSize.valueOf(maxFileSize(sized, DEFAULT_SIZE)));
      sized.start();
    }
  }

  /** Returns the size that was set for a policy, or null. */
  String maxFileSizeOf(Object policy) {
    return sizes.get(policy);
  }

  List<Findings.Redirection> redirections() {
    return List.copyOf(redirections);
  }
}
