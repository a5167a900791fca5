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
import io.spillway.internal.disk.Times;
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

/** What happened to the properties of one configuration while it was interpreted. */
final class SandboxSession {
  private static final Duration BY_DEFAULT = new SizeBasedTriggeringPolicy<>().getCheckIncrement();
  private static final String DEFAULT_SIZE =
      String.valueOf(
          new SizeBasedTriggeringPolicy<>().getMaxFileSize().getSize()); // Spillway's, too
  private static final Duration OFTEN = Duration.buildByMilliseconds(100);

  /**
   * Besides the archives of its rotations, a trial leaves a file that may grow to twice its size.
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

  /** What becomes of appenders and listeners that may reach another process. */
  enum Network {
    /** All of them are made, as for the application. */
    ALLOWED,
    /** Those that are known to are counted only. */
    COUNTED,
    /** Those of which nobody knows are counted only, too. */
    NONE
  }

  /**
   * Begins.
   *
   * @param limit the file size to roll over at, instead of the configuration's own, or null
   * @param clockBytes size of a file at rollover if only the clock triggers that
   * @param rotations of which all archives are to be left
   * @param profiles that are active
   */
  SandboxSession(
      Sandbox sandbox,
      String limit,
      long clockBytes,
      int rotations,
      Set<String> profiles,
      Network network) {
    this.sandbox = sandbox;
    this.limit = limit;
    this.clockBytes = clockBytes;
    this.rotations = rotations;
    this.profiles = profiles;
    this.network = network;
  }

  /** Active ones. */
  Set<String> profiles() {
    return profiles;
  }

  /** Whether an appender is replaced by one that counts, and a listener left out. */
  boolean counts(Reach reach) {
    return reach == Reach.NETWORK && network != Network.ALLOWED
        || reach != Reach.LOCAL && network == Network.NONE;
  }

  /** An appender is made, or one that counts in its place. */
  void reaches(Reach reach, String appender) {
    if (reach == Reach.NETWORK && network != Network.ALLOWED) {
      counted.add(appender);
    } else if (reach != Reach.LOCAL) {
      outside.add(appender);
    }
  }

  /** A property of the application has no value. */
  void withoutValue(String property) {
    notes.add("no value for " + property + " (--property " + property + "=VALUE)");
  }

  /** Something in a trial is not as its owner knows it. */
  void note(String note) {
    notes.add(note);
  }

  /** What would send to another process: appenders that count instead, listeners left out. */
  List<String> counted() {
    return List.copyOf(counted);
  }

  /** Appenders and listeners that may reach another process. */
  List<String> outside() {
    return List.copyOf(outside);
  }

  List<String> notes() {
    return List.copyOf(notes);
  }

  /** Where a path leads. */
  String redirect(String property, String path) {
    String to = sandbox.redirect(path);
    redirections.add(new Findings.Redirection(property, path, to));
    return to;
  }

  /** Where a file is that the configuration reads. */
  String fromHome(String path) {
    return sandbox.home().resolve(path).toString();
  }

  /**
   * The size that a policy gets. One that would look at the file's size once a minute only, as is
   * its default, is told to look oftener: a trial has no minute to wait.
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
   * What all archives may take together, raised if that is not enough for those of a trial. One
   * rotation at its own size is the configuration's own affair.
   *
   * @param size at which the policy rolls over by its configuration, or null if it does by the
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

  /**
   * No archive is put off: a trial has no hours to wait for it. Null if none would be, and for what
   * is no time, which the policy refuses.
   */
  String maxRandomDelay(String configured) {
    try {
      if (Times.millis(configured) == 0) {
        return null;
      }
    } catch (IllegalArgumentException e) {
      return null;
    }
    notes.add("maxRandomDelay is 0 instead of " + configured);
    return "0";
  }

  /** Raises the number of archives that a window holds to those of several rotations, and one. */
  void maxIndex(Object policy) {
    if (policy instanceof FixedWindowRollingPolicy window) {
      maxIndex(window.getMinIndex(), window.getMaxIndex(), window::setMaxIndex);
    } else if (policy instanceof io.spillway.rolling.FixedWindowRollingPolicy window) {
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
   * Refuses an appender, or its policy, that would write elsewhere, whoever told it to: before it
   * starts, as to open a file may empty it, and after that, as some know only then.
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

  /** Something would write where the application does. */
  static final class Outside extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    Outside(String message) {
      super(message);
    }
  }

  /** An appender has been made. One that nothing was said to gets the size that it is to get. */
  void made(Appender<ILoggingEvent> appender) {
    requireInside(appender);
    if (appender instanceof RollingFileAppender<ILoggingEvent> rolling && rolling.isStarted()) {
      maxFileSizeByDefault(rolling.getTriggeringPolicy());
    }
  }

  /** The same for a policy that nothing was said to, and that has begun with its default. */
  private void maxFileSizeByDefault(TriggeringPolicy<?> policy) {
    if (sizes.containsKey(policy)) {
      return;
    }
    if (policy instanceof SizeBasedTriggeringPolicy<?> sized) {
      sized.stop();
      sized.setMaxFileSize(FileSize.valueOf(maxFileSize(sized, DEFAULT_SIZE)));
      sized.start();
    } else if (policy instanceof io.spillway.rolling.SizeBasedTriggeringPolicy<?> sized) {
      sized.stop();
      sized.setMaxFileSize(maxFileSize(sized, DEFAULT_SIZE));
      sized.start();
    }
  }

  /** The size that a policy got, or null. */
  String maxFileSizeOf(Object policy) {
    return sizes.get(policy);
  }

  List<Findings.Redirection> redirections() {
    return List.copyOf(redirections);
  }
}
