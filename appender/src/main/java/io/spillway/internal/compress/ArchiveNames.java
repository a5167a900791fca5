package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.Disk.State;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/**
 * The names of one policy's files, and their meaning. For {@code logs/app.%i.log.gz}:
 *
 * <pre>
 *   app.3.log                    RAW        rolled, waits to be archived
 *   app.3.log.1                  RAW        rolled, with a free name, as app.3.log.gz was taken
 *   app.3.log.gz                 ARCHIVE    complete at every instant
 *   app.3.log.gz.ID.part         PART       an archive being written
 *   app.3.log[.gz].ID.delete     DONE       not needed any more, to be deleted
 *   app.3.logDIGITS.tmp          STOCK_TMP  rolled by a Logback before 1.6, waits to be archived
 * </pre>
 *
 * <p>ID is digits and unique. Where the ending of a PART or DONE would make its name too long, the
 * beginning of the name and a digest of the policy's pattern replace the name. Raw files lie beside
 * their archives, or in a staging directory if the archives' directory is on another file system.
 * Immutable and thread-safe.
 */
public final class ArchiveNames {
  /** What a name means to the policy. */
  public enum Kind {
    /** A rolled file that waits to be archived. */
    RAW,
    /** An archive. */
    ARCHIVE,
    /** An archive that is being written, or was being written when the process died. */
    PART,
    /** A file that is not needed any more; only the compressor may delete it. */
    DONE,
    /** A rolled file that a Logback before 1.6 was compressing when it died. */
    STOCK_TMP,
    /** A file that is not the policy's. */
    FOREIGN
  }

  /** Receives the files of a walk. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Receives a file.
     *
     * @param file its path
     * @param kind any but {@link Kind#FOREIGN}
     * @param state the current state of the file
     * @return false to end the walk
     * @throws IOException rethrown by the walk after it has shown all files
     */
    boolean visit(Path file, Kind kind, State state) throws IOException;
  }

  private static final AtomicLong ID =
      new AtomicLong(ThreadLocalRandom.current().nextLong(1L << 52, 1L << 60));
  private static final String FREE_NUMBER = "(?:\\.\\d+)?";

  /**
   * The ending that Logback makes from {@code System.nanoTime()}: nanoseconds since the machine's
   * start, from a second to thirty years. Random numbers in other programs' temporary files mostly
   * have more digits, and small numbers fewer.
   */
  private static final Pattern NANO_TMP = Pattern.compile("-?\\d{10,18}\\.tmp");

  private final Path archiveRoot;
  private final Path staging;
  private final boolean staged;
  private final String suffix;
  private final Pattern raw;
  private final Pattern archive;
  private final Pattern part;
  private final Pattern done;
  private final Pattern stem;
  private final Pattern stockTmp; // null where Logback leaves none
  private final String digest; // of the pattern, to recognize shortened names
  private final Pattern shortened;
  private final int depth;

  /**
   * Creates the names of a policy.
   *
   * @param archiveRoot directory of the archives and of raw files; names are relative to it
   * @param staging directory of raw files that cannot be renamed to {@code archiveRoot}; or null
   * @param stem matches names without compression suffix, relative to the root, with {@code /}
   *     between directories
   * @param suffix of the compression, with the dot, or empty
   * @param leavesTmp whether Logback's policy with such names leaves STOCK_TMP files
   */
  public ArchiveNames(
      Path archiveRoot, Path staging, Pattern stem, String suffix, boolean leavesTmp) {
    this.archiveRoot = archiveRoot.toAbsolutePath().normalize();
    this.staging = staging == null ? this.archiveRoot : staging.toAbsolutePath().normalize();
    this.staged = !this.archiveRoot.equals(this.staging);
    this.suffix = suffix;
    this.stem = stem;
    String rolled = "(?:" + stem.pattern() + ")" + FREE_NUMBER;
    String packed = rolled + Pattern.quote(suffix);
    int flags = stem.flags();
    this.raw = Pattern.compile(rolled, flags);
    this.archive = Pattern.compile(packed, flags);
    this.part = Pattern.compile(packed + "\\.\\d+\\.part", flags);
    this.done =
        Pattern.compile(rolled + "(?:" + Pattern.quote(suffix) + ")?\\.\\d+\\.delete", flags);
    this.stockTmp =
        leavesTmp && !suffix.isEmpty()
            ? Pattern.compile("(?:" + stem.pattern() + ")" + NANO_TMP.pattern(), flags)
            : null;
    this.depth = stem.pattern().split("/", -1).length - 1;
    this.digest = ShortName.digest(packed);
    String directories = "(?:[^/]+/){" + depth + "}";
    this.shortened = Pattern.compile(directories + "[^/]+-" + digest + "\\.\\d+\\.(part|delete)");
  }

  /**
   * Returns a short name: the beginning of a name, and a digest of a text.
   *
   * @param name a name of any length
   * @param text distinguishes short names with the same beginning
   * @return at most 177 bytes, equal for equal arguments
   */
  public static String shortened(String name, String text) {
    return ShortName.of(name, ShortName.digest(text));
  }

  /**
   * Returns a name, or its short name if no file can have the name with an ending.
   *
   * @param name a name of any length
   * @param ending at most 58 bytes, so that a short name with it fits
   * @return a name that fits with the ending, equal for equal arguments
   */
  public static String fitting(String name, String ending) {
    return ShortName.fits(name + ending) ? name : shortened(name, name);
  }

  /** Returns whether two objects name the same files. */
  boolean isOf(ArchiveNames other) {
    return archiveRoot.equals(other.archiveRoot) && raw.pattern().equals(other.raw.pattern());
  }

  /** Returns the directory of a file's archive; the archives' root if it has no raw name yet. */
  Path directoryOf(Path file) {
    return kindOf(file) == Kind.RAW ? archiveOf(file).getParent() : archiveRoot;
  }

  /**
   * Returns the suffix of archives.
   *
   * @return the suffix with its dot, or an empty text
   */
  public String suffix() {
    return suffix;
  }

  /**
   * Returns the raw file of a stem, beside its archive.
   *
   * @param rolledStem name without compression suffix, relative to the root
   * @return its path
   */
  public Path raw(String rolledStem) {
    return archiveRoot.resolve(rolledStem);
  }

  /**
   * Returns the archive of a stem.
   *
   * @param rolledStem name without compression suffix, relative to the root
   * @return its path, which is that of the raw file if there is no compression
   */
  public Path archive(String rolledStem) {
    return archiveRoot.resolve(rolledStem + suffix);
  }

  /**
   * Returns every path that a stem can have, without duplicates.
   *
   * @param rolledStem name without compression suffix, relative to the root
   * @return the archive first, then the raw files
   */
  public List<Path> all(String rolledStem) {
    Set<Path> all = new LinkedHashSet<>();
    all.add(archive(rolledStem));
    all.add(staging.resolve(rolledStem));
    all.add(raw(rolledStem));
    return List.copyOf(all);
  }

  /**
   * Returns whether a file has one of the paths of a stem.
   *
   * @param files the disk
   * @param rolledStem name without compression suffix, relative to the root
   * @return false if all its paths are free
   * @throws IOException if a path cannot be checked
   */
  public boolean isTaken(Disk files, String rolledStem) throws IOException {
    for (Path path : all(rolledStem)) {
      if (files.exists(path)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the stem of a rolled file or an archive.
   *
   * @param file its path
   * @return its name without compression suffix, relative to {@link #rootOf}
   */
  public String stemOf(Path file) {
    String name = relative(rootOf(file), file);
    return name.endsWith(suffix) ? name.substring(0, name.length() - suffix.length()) : name;
  }

  /**
   * Returns the root directory that a rolled file or an archive lies below.
   *
   * @param file its path
   * @return the staging directory, or that of the archives
   */
  public Path rootOf(Path file) {
    return file.startsWith(staging) ? staging : archiveRoot;
  }

  /** Returns whether a raw file already is its archive, so that there is nothing to do. */
  boolean isInPlace(Path rawFile) {
    return archiveOf(rawFile).equals(rawFile.toAbsolutePath().normalize());
  }

  /** Returns whether there is no compression: each raw file is its archive unless it is staged. */
  boolean isPlain() {
    return suffix.isEmpty();
  }

  /** Returns where a raw file waits that cannot be renamed to its place; null without staging. */
  Path staged(Path rawFile) {
    return staged ? staging.resolve(archiveRoot.relativize(rawFile)) : null;
  }

  /**
   * Returns the archive of a raw file.
   *
   * @param rawFile a path below either root
   * @return a path below the archives' root
   */
  public Path archiveOf(Path rawFile) {
    Path absolute = rawFile.toAbsolutePath().normalize();
    return archiveRoot.resolve(rootOf(absolute).relativize(absolute) + suffix);
  }

  /**
   * Returns what a name means, without reading the file.
   *
   * @param file any path
   * @return {@link Kind#FOREIGN} unless the name matches exactly
   */
  public Kind kindOf(Path file) {
    Path absolute = file.toAbsolutePath().normalize();
    if (staged && absolute.startsWith(staging)) {
      Kind kind = kindOf(relative(staging, absolute), true);
      if (kind != Kind.FOREIGN) {
        return kind;
      }
    }
    return absolute.startsWith(archiveRoot)
        ? kindOf(relative(archiveRoot, absolute), false)
        : Kind.FOREIGN;
  }

  /** Returns what a name means that is relative to a root. */
  Kind kindOf(String name, boolean inStaging) {
    Kind shortened = shortenedKindOf(name);
    if (shortened != Kind.FOREIGN) {
      return inStaging && shortened == Kind.PART ? Kind.FOREIGN : shortened;
    }
    if (done.matcher(name).matches()) {
      return Kind.DONE;
    }
    if (inStaging) {
      return raw.matcher(name).matches() ? Kind.RAW : Kind.FOREIGN;
    }
    if (archive.matcher(name).matches()) {
      return Kind.ARCHIVE;
    }
    if (part.matcher(name).matches()) {
      return Kind.PART;
    }
    if (stockTmp != null && stockTmp.matcher(name).matches()) {
      return Kind.STOCK_TMP;
    }
    return raw.matcher(name).matches() ? Kind.RAW : Kind.FOREIGN;
  }

  private Kind shortenedKindOf(String name) {
    Matcher matcher = shortened.matcher(name);
    if (!matcher.matches()) {
      return Kind.FOREIGN;
    }
    return matcher.group(1).equals("part") ? Kind.PART : Kind.DONE;
  }

  /**
   * Returns the raw name of a file that Logback moved to a .tmp name. If stems end with a number,
   * the name may begin with several stems. The right stem is the one whose archive is not older
   * than the file, because Logback had begun that archive; the archives of lower numbers are older.
   * Without such an archive the shortest stem is taken.
   *
   * @param files the disk
   * @param tmp a file of kind {@link Kind#STOCK_TMP}
   * @param state the state of {@code tmp}
   * @return a path beside {@code tmp}, whether it exists or not
   * @throws IOException if the state of an archive cannot be read
   */
  public Path rawOfStockTmp(Disk files, Path tmp, State state) throws IOException {
    String name = relative(archiveRoot, tmp);
    Matcher rolled = stem.matcher(name);
    Matcher behind = NANO_TMP.matcher(name);
    Path shortest = null;
    for (int end = 1; end < name.length(); end++) {
      if (behind.region(end, name.length()).matches() && rolled.region(0, end).matches()) {
        Path raw = archiveRoot.resolve(name.substring(0, end));
        State archive = files.state(archiveOf(raw));
        if (archive != null && archive.modified().compareTo(state.modified()) >= 0) {
          return raw;
        }
        shortest = shortest == null ? raw : shortest;
      }
    }
    return shortest;
  }

  /**
   * Returns a name for an archive while it is written.
   *
   * @param archiveFile the path of the complete archive
   * @return a new name beside it
   */
  public Path part(Path archiveFile) {
    return sibling(archiveFile, ".part");
  }

  /**
   * Returns a name for a file that is to be deleted.
   *
   * @param file a raw file or an archive
   * @return a new name beside it
   */
  public Path done(Path file) {
    return sibling(file, ".delete");
  }

  private Path sibling(Path file, String ending) {
    String name = file.getFileName().toString();
    String id = "." + ID.getAndIncrement() + ending;
    String beginning = ShortName.fits(name + id) ? name : ShortName.of(name, digest);
    return file.resolveSibling(beginning + id);
  }

  /**
   * Shows all files of the policy to a visitor. Follows no links, and ignores directories that are
   * deeper than the policy's names or vanish meanwhile.
   *
   * @param files the disk
   * @param visitor receives the regular files that are not foreign
   * @throws IOException the first failure, with the others as suppressed; all files that could be
   *     listed and read have been shown
   */
  public void walk(Disk files, Visitor visitor) throws IOException {
    Walk walk = new Walk(files, visitor);
    if (walk.descend(staging, "", 0, staged) && staged) {
      walk.descend(archiveRoot, "", 0, false);
    }
    if (walk.failure != null) {
      throw walk.failure;
    }
  }

  /**
   * Removes the staging directory and the directories in it, if they are empty.
   *
   * @param files the disk
   * @throws IOException if one cannot be listed, or is empty and cannot be removed
   */
  public void cleanStaging(Disk files) throws IOException {
    if (staged) {
      clean(files, staging);
    }
  }

  private static void clean(Disk files, Path directory) throws IOException {
    List<Path> nested = new ArrayList<>();
    try (DirectoryStream<Path> entries = files.list(directory)) {
      for (Path entry : entries) {
        if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
          nested.add(entry);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException none) {
      return;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    for (Path inner : nested) {
      clean(files, inner);
    }
    files.removeIfEmpty(directory);
  }

  /** Returns whether the policy may have files below a directory; others may be large. */
  private boolean mayHold(String directory) {
    Matcher start = raw.matcher(directory + "/");
    return start.matches() || start.hitEnd();
  }

  /** One pass over the directories. Reads the state only of names that match. */
  private final class Walk {
    private final Disk files;
    private final Visitor visitor;
    private IOException failure;

    Walk(Disk files, Visitor visitor) {
      this.files = files;
      this.visitor = visitor;
    }

    private boolean descend(Path directory, String prefix, int level, boolean staging) {
      DirectoryStream<Path> entries;
      try {
        entries = files.list(directory);
      } catch (NoSuchFileException | NotDirectoryException gone) {
        return true;
      } catch (IOException e) {
        remember(e);
        return true;
      }
      try (entries) {
        for (Path entry : entries) {
          if (!take(entry, prefix + entry.getFileName(), level, staging)) {
            return false;
          }
        }
      } catch (DirectoryIteratorException e) {
        remember(e.getCause());
      } catch (IOException ofClose) {
        remember(ofClose);
      }
      return true;
    }

    /** Shows an entry; records a failure, so that the other entries are shown. */
    private boolean take(Path entry, String name, int level, boolean staging) {
      try {
        return show(entry, name, level, staging);
      } catch (IOException e) {
        remember(e);
        return true;
      }
    }

    private boolean show(Path entry, String name, int level, boolean staging) throws IOException {
      if (level < depth) {
        if (!mayHold(name)) {
          return true;
        }
        State state = files.state(entry);
        return state == null
            || !state.directory()
            || descend(entry, name + "/", level + 1, staging);
      }
      Kind kind = kindOf(name, staging);
      if (kind == Kind.FOREIGN) {
        return true;
      }
      State state = files.state(entry);
      return state == null || !state.regular() || visitor.visit(entry, kind, state);
    }

    private void remember(IOException e) {
      if (failure == null) {
        failure = e;
      } else if (failure != e) {
        failure.addSuppressed(e);
      }
    }
  }

  private static String relative(Path root, Path file) {
    String name = root.relativize(file.toAbsolutePath().normalize()).toString();
    return File.separatorChar == '/' ? name : name.replace(File.separatorChar, '/');
  }

  /** Replaces a name that leaves too little room for an ending: its beginning, and a digest. */
  static final class ShortName {
    private static final int MOST_BYTES = 255; // of a name, on the usual file systems
    private static final int KEPT_CHARACTERS = 40; // which are 160 bytes at most

    private ShortName() {}

    static int bytes(String name) {
      return name.getBytes(StandardCharsets.UTF_8).length;
    }

    /** Returns whether a file can have the name. */
    static boolean fits(String name) {
      return bytes(name) <= MOST_BYTES;
    }

    /**
     * Returns a digest in 16 hexadecimal digits, which need no quoting. Two checksums are used,
     * because a message digest loads seventy classes at the start, and a JVM with certified
     * cryptography alone has no MD5.
     */
    static String digest(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      return checksum(new CRC32(), bytes) + checksum(new CRC32C(), bytes);
    }

    private static String checksum(Checksum of, byte[] bytes) {
      of.update(bytes, 0, bytes.length);
      return HexFormat.of().toHexDigits((int) of.getValue());
    }

    /** Returns a short name of at most 177 bytes: the characters kept, a hyphen, and the digest. */
    static String of(String name, String digest) {
      int characters = Math.min(KEPT_CHARACTERS, name.codePointCount(0, name.length()));
      return name.substring(0, name.offsetByCodePoints(0, characters)) + "-" + digest;
    }
  }
}
