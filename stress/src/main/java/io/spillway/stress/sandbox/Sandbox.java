package io.spillway.stress.sandbox;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Maps paths of a configuration into the sandbox: {@code /var/log/app.log} becomes {@code
 * <root>/var/log/app.log}. A relative path is first resolved against {@code home}.
 *
 * @param root the directory under which everything is written
 * @param home absolute path of the application's working directory
 */
record Sandbox(Path root, Path home) {
  /** Names of properties that are always paths. */
  private static final Set<String> PATHS = Set.of("file", "filename", "filenamepattern");

  /**
   * Names of properties that are paths if their value has a separator: {@code filePermissions} is
   * not.
   */
  private static final Pattern LIKELY =
      Pattern.compile(
          "(.*(?=[A-Z])|(?i:log)|)(?i:file|dir|directory|path|folder|location)(?i:name|pattern)?");

  private static final Pattern SEPARATOR = Pattern.compile("[/\\\\]");

  /** Names of properties by which unknown classes take a file or a directory. */
  private static final Pattern OUTPUT =
      Pattern.compile(
          "(?i)(.*(out|output|target|destination|log|logs|store|storage|journal|archive|dump|home))");

  private static final Pattern ABSOLUTE = Pattern.compile("(/|[A-Za-z]:[\\\\/])[^\\s%]+");
  private static final Pattern RELATIVE = Pattern.compile("[^\\s%:]*[/\\\\][^\\s%:]*");

  /** The scheme of a URL; it has two letters or more, unlike a drive. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  /**
   * Returns whether a property names a file or a directory.
   *
   * @param name name of the property, in any case
   * @param value its value, with all variables substituted
   */
  static boolean isPath(String name, String value) {
    String lower = name.toLowerCase(Locale.ROOT);
    return !value.isBlank()
        && (PATHS.contains(lower)
            || LIKELY.matcher(name).matches()
                && SEPARATOR.matcher(value).find()
                && !SCHEME.matcher(value).matches());
  }

  /**
   * Returns whether a property of an unknown class may name a file or a directory: its value is an
   * absolute path, or its name is like an output's and its value has a separator.
   */
  static boolean isOutput(String name, String value) {
    return ABSOLUTE.matcher(value).matches()
        || OUTPUT.matcher(name).matches() && RELATIVE.matcher(value).matches();
  }

  /**
   * Returns the path in the sandbox.
   *
   * @param path a path, or a pattern of paths
   * @throws InvalidPathException if it is no path on this system
   */
  String redirect(String path) {
    Path absolute = home.resolve(path).normalize();
    if (absolute.startsWith(root)) {
      return absolute.toString(); // a component's default that was derived from another path
    }
    return root.resolve(absolute.getRoot().relativize(absolute)).toString();
  }

  /** Returns whether a path, or a pattern of paths, is in the sandbox when the JVM resolves it. */
  boolean contains(String path) {
    return Path.of(path).toAbsolutePath().normalize().startsWith(root.normalize());
  }
}
