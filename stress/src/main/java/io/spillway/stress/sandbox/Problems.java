package io.spillway.stress.sandbox;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.status.Status;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What Logback reports about a configuration. Messages come without their origin: the owner of a
 * configuration knows neither Logback's classes nor the sandbox's.
 *
 * @param error the first error, or null
 * @param all each error and each notable warning once
 * @param remedy what to do about the first error that an option of the tester mends, or null
 */
record Problems(String error, List<String> all, String remedy) {
  private static final Pattern UNDEFINED = Pattern.compile("([\\w.-]+)_IS_UNDEFINED");

  /** Warnings that say which appender gets no events. */
  private static final Pattern NOTABLE =
      Pattern.compile("Ignoring additional appender|could not be found. Skipping attachment");

  static Problems of(Context context, String root) {
    String first = null;
    Set<String> all = new LinkedHashSet<>();
    String remedy = null;
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      Throwable cause = rootCause(status.getThrowable());
      String message = status.getMessage() + (cause == null ? "" : ": " + cause);
      String text = message.replace(root, ""); // paths as the owner knows them
      boolean error = status.getEffectiveLevel() == Status.ERROR;
      if (error || NOTABLE.matcher(text).find()) {
        all.add(text);
      }
      if (error) {
        first = first == null ? text : first;
        remedy = remedy == null ? remedy(text, cause) : remedy;
      }
    }
    return new Problems(first, List.copyOf(all), remedy);
  }

  private static Throwable rootCause(Throwable thrown) {
    Throwable cause = thrown;
    while (cause != null && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static String remedy(String error, Throwable cause) {
    Matcher undefined = UNDEFINED.matcher(error);
    if (undefined.find()) {
      return "the variable %s has no value; give it one with --property %<s=VALUE"
          .formatted(undefined.group(1));
    }
    if (cause instanceof ClassNotFoundException || cause instanceof NoClassDefFoundError) {
      String missing = String.valueOf(cause.getMessage()).replace('/', '.');
      return cause instanceof NoClassDefFoundError && missing.startsWith("ch.qos.logback.")
          ? otherLogback(cause)
          : "it needs the class " + missing + "; name the jar that has it with --classpath";
    }
    return cause instanceof IncompatibleClassChangeError ? otherLogback(cause) : null;
  }

  private static String otherLogback(Throwable thrown) {
    return atFault(thrown)
        + " was made for another Logback ("
        + thrown
        + "); name the jars of that Logback, 1.5.8 or newer, with --classpath";
  }

  /** Returns the innermost class on the stack that is not Logback's, and its jar if it is known. */
  private static String atFault(Throwable thrown) {
    return Stream.of(thrown.getStackTrace())
        .map(StackTraceElement::getClassName)
        .filter(
            name ->
                Stream.of("ch.qos.logback.", "io.spillway.stress.", "java.", "jdk.")
                    .noneMatch(name::startsWith))
        .findFirst()
        .map(name -> name + jar(name))
        .orElse("a library");
  }

  private static String jar(String className) {
    try {
      Class<?> type = Class.forName(className, false, Problems.class.getClassLoader());
      CodeSource source = type.getProtectionDomain().getCodeSource();
      return source == null ? "" : " in " + Path.of(source.getLocation().getPath()).getFileName();
    } catch (ClassNotFoundException | LinkageError e) {
      return "";
    }
  }
}
