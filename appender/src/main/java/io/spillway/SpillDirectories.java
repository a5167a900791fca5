package io.spillway;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.spi.ContextAware;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Where spills live by default. Never in a temp directory: what is there may be swept away. */
final class SpillDirectories {
  /** A date with or without its time, a time since the epoch, the process id. */
  private static final Pattern PASSING =
      Pattern.compile(
          "(?<!\\d)((19|20)\\d\\d([-_.:T]?\\d\\d)+|\\d{10,}|" + processId() + ")(?!\\d)");

  private SpillDirectories() {}

  /** From the kernel where it tells: {@code ProcessHandle} makes a pool of threads first. */
  private static String processId() {
    try {
      return Files.readSymbolicLink(Path.of("/proc/self")).toString();
    } catch (IOException | UnsupportedOperationException none) {
      return String.valueOf(ProcessHandle.current().pid());
    }
  }

  /** The directory for an appender without a log file. */
  static Path underWorkingDirectory(String appenderName) {
    return Path.of("spillway", fileName(appenderName));
  }

  /**
   * To whom leftovers belong: the context, the appender, and where its events go, which is the log
   * file or, without one, the program, since nothing else tells two programs in one directory
   * apart. The same at every start: dates, times and the process id do not count, nor do versions
   * and places of jars. Other numbers do, they may be those of tenants.
   */
  static String owner(ContextAware appender, Path defaultDirectory) {
    String name = appender instanceof Appender<?> named ? named.getName() : null;
    String context = appender.getContext() == null ? null : appender.getContext().getName();
    String owner = "context=" + lasting(context) + "\nappender=" + name + "\n";
    return defaultDirectory.equals(underWorkingDirectory(name))
        ? owner + "program=" + program() + "\n"
        : owner + "spill=" + lasting(canonical(defaultDirectory).toString()) + "\n";
  }

  /** However the configuration spells it, and whether its directories exist yet or not. */
  static Path canonical(Path path) {
    Path whole = path.toAbsolutePath().normalize();
    for (Path existing = whole; existing != null; existing = existing.getParent()) {
      if (Files.exists(existing)) {
        try {
          return existing.toRealPath().resolve(existing.relativize(whole)).normalize();
        } catch (IOException unreadable) {
          return whole; // named as the configuration does, then
        }
      }
    }
    return whole;
  }

  private static String program() {
    String command = System.getProperty("sun.java.command", "").split(" ", 2)[0];
    String jar =
        command.substring(1 + Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')));
    return lasting(jar.replaceFirst("[-_]\\d+([._-]\\w+)*\\.jar$", ".jar"));
  }

  private static String lasting(String text) {
    return PASSING.matcher(String.valueOf(text)).replaceAll("#").replace('\n', ' ');
  }

  /** Names are free text; a file name must not lead elsewhere. */
  private static String fileName(String appenderName) {
    String safe = String.valueOf(appenderName).replaceAll("[^A-Za-z0-9_-]", "_");
    return safe.isEmpty() ? "appender" : safe;
  }
}
