package io.spillway.stress.sandbox;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Where the files of a configuration go instead: {@code /var/log/app.log} becomes {@code
 * <root>/var/log/app.log}. A relative path is taken to be relative to {@code home} first.
 *
 * @param root under which everything is written
 * @param home an absolute directory, the one that the application would run in
 */
record Sandbox(Path root, Path home) {
  /** Paths whatever they look like. */
  private static final Set<String> PATHS = Set.of("file", "filename", "filenamepattern");

  /** Paths if there is a separator in the value: {@code filePermissions} is none. */
  private static final Pattern LIKELY =
      Pattern.compile(
          "(.*(?=[A-Z])|(?i:log)|)(?i:file|dir|directory|path|folder|location)(?i:name|pattern)?");

  private static final Pattern SEPARATOR = Pattern.compile("[/\\\\]");

  /** Names under which classes of nobody's that is known take a file or a directory. */
  private static final Pattern OUTPUT =
      Pattern.compile(
          "(?i)(.*(out|output|target|destination|log|logs|store|storage|journal|archive|dump|home))");

  private static final Pattern ABSOLUTE = Pattern.compile("(/|[A-Za-z]:[\\\\/])[^\\s%]+");
  private static final Pattern RELATIVE = Pattern.compile("[^\\s%:]*[/\\\\][^\\s%:]*");

  /** Of a URL; a drive has one letter. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  /**
   * Whether a property names a file or a directory.
   *
   * @param name of the property, in any case
   * @param value with all variables put in
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
   * Whether a property of a class that nobody knows may name a file or a directory: its value is an
   * absolute path, or it is called like an output and has a separator in it.
   */
  static boolean isOutput(String name, String value) {
    return ABSOLUTE.matcher(value).matches()
        || OUTPUT.matcher(name).matches() && RELATIVE.matcher(value).matches();
  }

  /**
   * The path in the sandbox.
   *
   * @param path a path, or a pattern of paths
   * @throws InvalidPathException if this system takes it for no path
   */
  String redirect(String path) {
    Path absolute = home.resolve(path).normalize();
    if (absolute.startsWith(root)) {
      return absolute.toString(); // a component's default that was derived from another path
    }
    return root.resolve(absolute.getRoot().relativize(absolute)).toString();
  }

  /** Whether a path, or a pattern of paths, is in the sandbox, as the JVM itself takes it. */
  boolean contains(String path) {
    return Path.of(path).toAbsolutePath().normalize().startsWith(root.normalize());
  }
}
