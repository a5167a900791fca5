package io.spillway.stress.sandbox;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.spi.PropertyDefiner;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.report.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The changes to one configuration while Logback interprets it, and their record. Paths are led
 * below one directory: {@code /var/log/app.log} becomes {@code <root>/var/log/app.log}.
 */
public final class Sandbox {
  /** Names of properties that are always paths. */
  private static final Set<String> PATHS = Set.of("file", "filename", "filenamepattern");

  /** Names of properties that are paths if their value has a separator. */
  private static final Pattern LIKELY =
      Pattern.compile(
          "(.*(?=[A-Z])|(?i:log)|)(?i:file|dir|directory|path|folder|location)(?i:name|pattern)?"
              + "|(?i).*(output|target|destination|store|storage|journal|archive|dump)");

  private static final Pattern SEPARATED = Pattern.compile("[^\\s%]*[/\\\\][^\\s%]*");

  /** The scheme of a URL; it has two letters or more, unlike a drive. */
  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]+:.*");

  private static final Duration BY_DEFAULT = new SizeBasedTriggeringPolicy<>().getCheckIncrement();
  private static final Duration OFTEN = Duration.buildByMilliseconds(100);

  /** Files besides the archives of the rotations: the active one may grow to twice its size. */
  private static final int FILES_LEFT = 3;

  final Spec spec;
  private final Set<String> notes = Collections.synchronizedSet(new LinkedHashSet<>());
  private final Map<Object, String> sizes = Collections.synchronizedMap(new IdentityHashMap<>());
  private volatile String refusal;

  Sandbox(Spec spec) {
    this.spec = spec;
  }

  void note(String note) {
    notes.add(note);
  }

  List<String> notes() {
    return List.copyOf(notes);
  }

  /** Returns why the configuration cannot be kept in the sandbox, or null. */
  String refusal() {
    return refusal;
  }

  /** Returns whether something that would reach another process is kept from it; notes it. */
  boolean keepsIn(String sender) {
    note(
        sender
            + (spec.network()
                ? " reaches other processes"
                : " is kept from reaching other processes (--allow-network lets it)"));
    return !spec.network();
  }

  /** Returns the value of a property in the sandbox; the object that has it may be null. */
  String changed(Object owner, String name, String value) {
    if (isPath(name, value)) {
      return owner instanceof PropertyDefiner ? value : redirect(value); // a definer reads
    }
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "maxfilesize" -> maxFileSize(owner, value);
      case "totalsizecap" -> totalSizeCap(value);
      default -> value;
    };
  }

  /** Returns whether a property names a file or a directory. */
  static boolean isPath(String name, String value) {
    return PATHS.contains(name.toLowerCase(Locale.ROOT)) && !value.isBlank()
        || LIKELY.matcher(name).matches()
            && SEPARATED.matcher(value).matches()
            && !SCHEME.matcher(value).matches();
  }

  /** Returns a path, or a pattern of paths, below the root. */
  String redirect(String path) {
    Path absolute = Path.of(path).toAbsolutePath().normalize();
    return absolute.startsWith(spec.root()) // a default that was derived from another path
        ? absolute.toString()
        : Path.of(spec.root()).resolve(absolute.getRoot().relativize(absolute)).toString();
  }

  /** Returns a path in the sandbox, relative to the root; null for null. */
  String relative(String path) {
    return path == null ? null : Path.of(spec.root()).relativize(Path.of(path)).toString();
  }

  private String maxFileSize(Object policy, String configured) {
    String size = spec.limitBytes() > 0 ? Long.toString(spec.limitBytes()) : configured;
    sizes.put(policy, size);
    return size;
  }

  /** Leaves a cap out that a trial could reach: archives that retention deletes seem lost. */
  private String totalSizeCap(String configured) {
    long cap = FileSize.valueOf(configured).getSize();
    long file = Math.max(spec.limitBytes(), spec.clockBytes());
    if (cap <= 0 || cap >= (spec.rotations() + FILES_LEFT) * file) {
      return configured;
    }
    note("totalSizeCap " + configured + " is left out, so that no archive of the trial is deleted");
    return "0";
  }

  /** Prepares a policy or an appender that is about to start. */
  void prepare(Object part) {
    requireInside(part);
    if (part instanceof SizeBasedTriggeringPolicy<?> sized) {
      if (Objects.equals(sized.getCheckIncrement(), BY_DEFAULT)) {
        sized.setCheckIncrement(OFTEN); // a trial cannot wait for a minute
        note("SizeBasedTriggeringPolicy looks at the file size every 100 ms, not once a minute");
      }
      String size = maxFileSize(sized, Long.toString(sized.getMaxFileSize().getSize()));
      sized.setMaxFileSize(FileSize.valueOf(size));
    }
    if (part instanceof FixedWindowRollingPolicy window && spec.rotations() > 1) {
      int least = window.getMinIndex() + spec.rotations();
      if (window.getMaxIndex() < least) {
        note("maxIndex is " + least + " instead of " + window.getMaxIndex());
        window.setMaxIndex(least);
      }
    }
  }

  /** Returns the size that was set for one of these policies, or 0. */
  long sizeOf(Object... policies) {
    return Stream.of(policies)
        .flatMap(policy -> Stream.ofNullable(sizes.get(policy)))
        .mapToLong(size -> FileSize.valueOf(size).getSize())
        .findFirst()
        .orElse(0);
  }

  /**
   * Refuses a part that would write outside the sandbox: before it starts, because opening a file
   * may empty it, and after that, because some name their file only then.
   */
  void requireInside(Object part) {
    String path = null;
    if (part instanceof FileAppender<?> appender) {
      path = appender.isStarted() ? appender.getFile() : appender.rawFileProperty();
    } else if (part instanceof RollingPolicy policy) {
      path = Appenders.fileNamePattern(policy);
    }
    if (path != null && !Path.of(path).toAbsolutePath().normalize().startsWith(spec.root())) {
      refusal =
          ("%s names the file [%s] by itself, which is not touched; give it a <file> and a"
                  + " <fileNamePattern>")
              .formatted(part.getClass().getName(), path);
      throw new IllegalStateException(refusal);
    }
  }

  /**
   * What a forked JVM is told about its configuration, in a JSON file.
   *
   * @param root the absolute path of the directory below which it writes
   * @param limitBytes the size of a file at rollover, or 0 for the configuration's own
   * @param clockBytes the size of a file at rollover if only the clock triggers that
   * @param rotations the number of rotations whose archives must all be kept
   * @param network whether appenders and archive listeners may reach other processes
   */
  public record Spec(
      String configuration,
      String root,
      long limitBytes,
      long clockBytes,
      int rotations,
      Set<String> profiles,
      boolean network) {

    /** System property with the path of the file. */
    static final String PROPERTY = "spillway.sandbox";

    /** Writes this to a file, and returns the system property that makes a JVM read it. */
    public Map<String, String> write(Path file) throws IOException {
      Json.write(file, this);
      return Map.of(PROPERTY, file.toString());
    }
  }
}
