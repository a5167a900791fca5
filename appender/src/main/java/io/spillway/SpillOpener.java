package io.spillway;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.spi.ContextAware;
import io.spillway.internal.disk.FilePaths;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillListener;
import io.spillway.metrics.LossCause;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/**
 * Opens an appender's spill in the directory of its settings, and counts and reports what happens
 * there. By default that is beside the log file, or else below the working directory; never in a
 * temp directory, whose files may be deleted.
 */
final class SpillOpener extends SpillListener {
  private static final String ENDING = ".spill";

  /**
   * The remedy if the file system cannot have the names: mostly of a default, behind a long one.
   */
  private static final String SHORTER =
      "set spillDirectory to a directory with a shorter name, since the file system takes none that"
          + " is so long";

  /** Matches a date with or without a time of day, and a time since the epoch. */
  private static final String PASSING = "(19|20)\\d\\d([-_.:T]?\\d\\d)+|\\d{10,}";

  /**
   * Matches a version at the end of a jar's name: v1.4.0, 1.4.0+7, a commit. A name that ends with
   * plain numbers is cut at these instead, since leftovers of earlier runs are found by that name.
   */
  private static final String OTHER_VERSION =
      "[-_]v?(\\d+|(?=[a-f]*\\d)[0-9a-f]{7,40})([.+][\\w.+-]*)?\\.jar$";

  private static final String PROCESS_ID = processId();

  private static final String HOST = hostName();

  /**
   * Matches the part of a host name that differs between containers: an id, or the suffix that
   * Kubernetes gives to a pod. Other parts and names are kept: one may be a tenant's, or that of a
   * machine that returns with it. Hence a suffix of a single part must have digits and letters.
   */
  private static final String OF_CONTAINER =
      "^[0-9a-f]{12}$"
          + "|-[bcdfghjklmnpqrstvwxz\\d]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}$"
          + "|-(?=[a-z]*\\d)(?=\\d*[a-z])[bcdfghjklmnpqrstvwxz2456789]{5}$";

  /**
   * Length from which a process id is replaced. A shorter one is the 1 or the 7 of a container,
   * which may differ at the next start, and a name may contain such a number for another reason.
   */
  private static final int PROCESS_ID_DIGITS = 4;

  private final Counters counters;
  private final Reports reports;
  private Path besideFile; // the default directory of a log file; null if another is set

  SpillOpener(Counters counters, Reports reports) {
    StorageFailures.prepare();
    this.counters = counters;
    this.reports = reports;
  }

  /**
   * Opens the spill. If it cannot be opened now, for example because the disk is full, the appender
   * starts with memory only, and the spill is opened later. A setting that can never work is
   * refused.
   *
   * @param file the log file that its events go to; null if that is not known
   * @param destination returns true once all that the destination has taken is on the disk; called
   *     if {@code spillSync} is set
   * @return null if the appender must not start
   */
  Spill open(
      ContextAware to,
      Settings.Checked settings,
      SpillKind kind,
      Path file,
      BooleanSupplier destination) {
    Path defaultDirectory =
        file == null ? underWorkingDirectory(nameOf(to)) : FilePaths.path(file + ENDING);
    String set = settings.spillDirectory();
    Path directory;
    try {
      directory = set.isEmpty() ? defaultDirectory : FilePaths.path(set);
    } catch (InvalidPathException e) {
      refuse(to, set, e.getReason());
      return null;
    }
    SpillConfig config =
        new SpillConfig(
            directory,
            settings.maxSpillBytes(),
            kind,
            settings.syncNanos(),
            owner(to, file),
            settings.policy().tallies());
    if (set.isEmpty() && file != null) {
      warnOfPassingName(to, file, directory);
    }
    boolean ofFile = kind == SpillKind.BYTES && file != null;
    besideFile = set.isEmpty() && ofFile ? FilePaths.canonical(directory) : null;
    Spill spill = Spill.of(config, this, destination);
    try {
      spill.open();
    } catch (IOException | RuntimeException e) {
      Path obstacle = obstacle(spill.base());
      if (obstacle != null && !set.isEmpty()) {
        refuse(to, set, "[" + obstacle + "] is not a directory (links are not followed)");
        return null;
      }
      counters.spillFailure();
      to.addWarn(
          "The spill directory [" + spill.base() + "] " + unusable(e, spill.base(), obstacle));
    }
    return spill;
  }

  /**
   * Returns why the directory cannot be used, what the appender does without it, and the remedy.
   */
  private static String unusable(Exception e, Path base, Path obstacle) {
    String why =
        StorageFailures.reason(e, base)
            + ". The appender starts without a spill: when the memory buffer is full, whenFull"
            + " decides";
    if (isTooLong(e)) { // never passes
      return "cannot be used: " + why + ". To do: " + SHORTER + ".";
    }
    return "cannot be used now: "
        + why
        + ", and what an earlier run left waits. It is tried again every second. To do: "
        + (obstacle != null
            ? "remove [" + obstacle + "], which is in the way"
            : e instanceof IOException io ? StorageFailures.remedy(io) : "check the directory")
        + ", or set spillDirectory to another place.";
  }

  private static boolean isTooLong(Exception failure) {
    return failure instanceof IOException io && StorageFailures.isNameTooLong(io);
  }

  /** Warns of a file name that changes between runs, not of directories: their numbers may stay. */
  private static void warnOfPassingName(ContextAware to, Path file, Path directory) {
    String name = String.valueOf(file.getFileName());
    if (!lasting(name).equals(name)) {
      to.addWarn(
          "The file name ["
              + name
              + "] has a time, a process id or a container's host name in it: what a stop leaves in ["
              + directory
              + "] is delivered only by a run with the same file name. To do: set spillDirectory.");
    }
  }

  private static String nameOf(ContextAware appender) {
    return appender instanceof Appender<?> named ? named.getName() : null;
  }

  /** Returns a default directory. A name is free text, which must not lead to another directory. */
  private static Path underWorkingDirectory(String appenderName) {
    String safe = String.valueOf(appenderName).replaceAll("[^A-Za-z0-9_-]", "_");
    return Path.of("spillway", safe.isEmpty() ? "appender" : safe);
  }

  /**
   * Returns the owner of leftovers: the context, the appender, and where its events go, which is
   * the log file or, without one, the program, since nothing else distinguishes two programs in one
   * directory. The text is the same at every start: dates, times, a long process id, the
   * container's part of a host name, and versions and places of jars are left out. Other numbers
   * are kept, since they may be those of tenants.
   */
  static String owner(ContextAware appender, Path file) {
    String context = appender.getContext() == null ? null : appender.getContext().getName();
    String owner = "context=" + lasting(context) + "\nappender=" + nameOf(appender) + "\n";
    return file == null
        ? owner + "program=" + program() + "\n"
        : owner
            + "spill="
            + lasting(FilePaths.canonical(FilePaths.path(file + ENDING)).toString())
            + "\n";
  }

  private static String program() {
    String command = System.getProperty("sun.java.command", "").split(" ", 2)[0];
    String jar =
        command.substring(1 + Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')));
    String name = jar.replaceFirst("[-_]\\d+([._-]\\w+)*\\.jar$", ".jar");
    return lasting(name.equals(jar) ? jar.replaceFirst(OTHER_VERSION, ".jar") : name);
  }

  private static String lasting(String text) {
    return lasting(String.valueOf(text), PROCESS_ID, HOST);
  }

  static String lasting(String text, String processId, String host) {
    String passing = processId.length() < PROCESS_ID_DIGITS ? "" : "|".concat(processId);
    return Pattern.compile("(?<!\\d)(".concat(PASSING).concat(passing).concat(")(?!\\d)"))
        .matcher(text.replace(host, host.replaceFirst(OF_CONTAINER, "#")))
        .replaceAll("#")
        .replace('\n', ' ');
  }

  /** Reads the kernel's process id if possible: {@code ProcessHandle} first makes a thread pool. */
  private static String processId() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self")).toString();
    } catch (IOException | UnsupportedOperationException none) {
      return String.valueOf(ProcessHandle.current().pid());
    }
  }

  /** Returns the host name without domain, from the kernel, not a name server; empty if unknown. */
  static String hostName() {
    try (InputStream name = new FileInputStream("/proc/sys/kernel/hostname")) {
      return new String(name.readAllBytes(), StandardCharsets.UTF_8).strip().split("\\.", 2)[0];
    } catch (IOException notTold) {
      return "";
    }
  }

  private static void refuse(ContextAware to, String value, String why) {
    to.addError(
        "Setting [spillDirectory] has the value ["
            + value
            + "]; allowed: a directory, which is created if it is missing. "
            + why
            + ". The appender is not started, correct the configuration.");
  }

  /** Returns a link or file in the place of the directory or of a parent; null if there is none. */
  private static Path obstacle(Path directory) {
    if (Files.isSymbolicLink(directory)) {
      return directory;
    }
    Path there = directory;
    while (there != null && !Files.exists(there)) {
      there = there.getParent();
    }
    return there == null || Files.isDirectory(there) ? null : there;
  }

  @Override
  public void leftoversFound(int segments, long bytes) {
    reports.info(
        "An earlier run left "
            + bytes
            + " bytes in "
            + segments
            + " spill segments; they are delivered first.");
  }

  @Override
  public void recordsLost(long events, Path segment, String why, boolean leftover) {
    counters.lost(LossCause.SPILL_DAMAGED, events, leftover);
    reports.damage(
        "spill.damage",
        "Spill segment ["
            + segment
            + "] is damaged ("
            + why
            + "): "
            + events
            + " events are lost (SPILL_DAMAGED). To do: "
            + LossCause.SPILL_DAMAGED.remedy()
            + ".",
        null,
        leftover);
  }

  @Override
  public void onFailure(String operation, Path path, IOException cause) {
    counters.spillFailure();
    reports.warn( // it passes, and an ERROR status ends the start of a Spring Boot application
        "spill.io." + operation, // a topic for each kind of failure, so that none hides another
        "Cannot "
            + operation
            + (operation.endsWith("directory") ? " [" : " spill file [")
            + path
            + "]: "
            + StorageFailures.reason(cause, path)
            + (isTooLong(cause) ? "." : retryHint(operation))
            + " To do: "
            + (isTooLong(cause) ? SHORTER : StorageFailures.remedy(cause))
            + ".");
  }

  /** Returns what happens next. A stop that tries for the last time reports losses separately. */
  private static String retryHint(String operation) {
    return switch (operation) {
      case "open", "append", "create a segment" -> ". Events stay in memory and it is tried again.";
      case "read",
          "read what was set aside",
          "set aside",
          "keep",
          "recreate the spill directory",
          "save the cursor",
          "sync",
          "sync the cursor behind the log of",
          "make room in",
          "delete" ->
          ". It is tried again.";
      default -> ".";
    };
  }

  @Override
  public void onRecovery(String operation) {
    reports.over("spill.io." + operation, "The spill works again (" + operation + ").");
  }

  @Override
  public void onRecreation(String topic, String message) {
    reports.warn("spill.recreation." + topic, message);
  }

  /** Warns of another process; of two appenders of one JVM on a file the second does not start. */
  @Override
  public void inUse(Path directory) {
    if (directory.equals(besideFile)) {
      String spill = directory.toString();
      reports.warn(
          "file.shared",
          "Another process writes file ["
              + spill.substring(0, spill.length() - ENDING.length())
              + "], too: it has the spill directory ["
              + spill
              + "]. On a local disk no line is torn, but both roll the file over: an archive has lines"
              + " of both, and if they do so in the same instant, lines are lost. On a network file"
              + " system each also overwrites lines of the other, uncounted. To do: give each process a"
              + " [file] and a [fileNamePattern] of its own, or end one of them.");
    }
  }

  @Override
  public void warning(String topic, String message) {
    reports.warn("spill.warning." + topic, message); // a topic each, so that none hides another
  }

  @Override
  public void notice(String topic, String message) {
    reports.info("spill.notice." + topic, message);
  }
}
