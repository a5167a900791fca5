package io.spillway.rolling;

import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.compress.ArchiveFormats;
import io.spillway.internal.compress.ArchiveFormats.UnsupportedFormatException;
import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.compress.Archiver;
import io.spillway.internal.compress.RolledName;
import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * What a policy stands on once its settings are checked: the names of its files and where they lie.
 * Side by side, unless the archives' directory is on another file system than the active file: then
 * rolled files wait in {@code <active file>.rolled}, and the compressor's copy crosses over.
 * Immutable.
 */
final class Site {
  private static final int MOST_LINKS = 40; // as Linux

  private final ArchivePattern pattern;
  private final Archiver.Settings settings;
  private final NameClaim claim;
  private final Disk files;
  private final String suffix;
  private final Path staging; // null without <file>
  private final ArchiveNames names;

  private Site(
      ArchivePattern pattern,
      Archiver.Settings settings,
      Path active,
      NameClaim claim,
      Disk files) {
    this.pattern = pattern;
    this.settings = settings;
    this.claim = claim;
    this.files = files;
    this.suffix = settings.format().suffix();
    this.staging = active == null ? null : RolledName.waitingRoom(active);
    this.names = new ArchiveNames(pattern.root(), staging, pattern.stems(), suffix);
  }

  /** The settings of compression, as text until they are checked. */
  static final class Texts {
    private static final int HIGHEST_LEVEL = 99; // of any format

    String compressionLevel;
    String compressionCpuShare = "50";
    String maxRandomDelay = "0";

    /** The settings; of no use if something was refused. */
    Archiver.Settings check(ArchiveFormat format, Refusals refusals) {
      int percent = refusals.number("compressionCpuShare", compressionCpuShare, 1, 100);
      Duration delay = Duration.ofMillis(refusals.millis("maxRandomDelay", maxRandomDelay));
      return new Archiver.Settings(format, level(format, refusals), percent / 100.0, delay);
    }

    private int level(ArchiveFormat format, Refusals refusals) {
      if (compressionLevel == null || compressionLevel.isBlank()) {
        return format.defaultLevel();
      }
      int[] levels = IntStream.rangeClosed(1, HIGHEST_LEVEL).filter(format::isLevel).toArray();
      if (levels.length == 0) {
        refusals.refuse(
            "compressionLevel",
            compressionLevel,
            "none, since the names do not end with the suffix of a format that has levels",
            "remove the setting, or let [fileNamePattern] end with .gz");
        return format.defaultLevel();
      }
      return refusals.number(
          "compressionLevel", compressionLevel, levels[0], levels[levels.length - 1]);
    }
  }

  /** Checks the pattern, the directories and what other appenders use; null if one is refused. */
  static Site check(ArchivingPolicy policy, Refusals refusals, Texts texts) {
    return new Check(policy, refusals).site(texts);
  }

  ArchivePattern pattern() {
    return pattern;
  }

  Archiver.Settings settings() {
    return settings;
  }

  NameClaim claim() {
    return claim;
  }

  /** The names, as the compressor knows them. */
  ArchiveNames names() {
    return names;
  }

  /** Of archives, with the dot, or empty. */
  String suffix() {
    return suffix;
  }

  /** A rolled file that waits to be archived. */
  Path raw(String stem) {
    return pattern.root().resolve(stem);
  }

  /** Its archive. */
  Path archive(String stem) {
    return pattern.root().resolve(stem + suffix);
  }

  /** Every path that a stem can have: its archive first, then rolled ones. */
  List<Path> all(String stem) {
    Path staged = staging == null ? raw(stem) : staging.resolve(stem);
    Set<Path> all = new LinkedHashSet<>(); // of which some may be the same
    all.add(archive(stem));
    all.add(staged);
    all.add(raw(stem));
    return List.copyOf(all);
  }

  /** Whether a stem is used. */
  boolean isTaken(String stem) {
    for (Path path : all(stem)) {
      if (files.exists(path)) {
        return true;
      }
    }
    return false;
  }

  /** The stem of a rolled file or an archive. */
  String stemOf(Path file) {
    return pattern.stemOf(isStaged(file) ? staging : pattern.root(), file);
  }

  private boolean isStaged(Path file) {
    return staging != null && file.startsWith(staging);
  }

  /** The fixed directories that a rolled file or an archive lies below. */
  Path rootOf(Path file) {
    return isStaged(file) ? staging : pattern.root();
  }

  /** Removes the directories that rolled files leave behind in the staging directory. */
  void cleanStaging() throws IOException {
    if (staging != null) {
      clean(staging);
    }
  }

  private void clean(Path directory) throws IOException {
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
      clean(inner);
    }
    files.removeIfEmpty(directory);
  }

  /**
   * What a link stands for, whether that exists or not; the file itself if it is no link. Renaming
   * the link instead would leave nothing to archive but the link.
   */
  static Path followed(Path file) {
    Path followed = file;
    try {
      for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(followed); links++) {
        followed = followed.resolveSibling(Files.readSymbolicLink(followed)).normalize();
      }
      return followed;
    } catch (IOException gone) {
      return file;
    }
  }

  /** The directory itself or the first one above it that exists. */
  private static Path nearestExisting(Path directory) {
    Path existing = directory;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return existing;
  }

  /** One check of a policy. */
  private static final class Check {
    private final ArchivingPolicy policy;
    private final Refusals refusals;
    private final Path active;

    Check(ArchivingPolicy policy, Refusals refusals) {
      this.policy = policy;
      this.refusals = refusals;
      this.active = policy.filePath();
    }

    /** The site, or null if something is refused. */
    Site site(Texts texts) {
      policy.checkSettings(refusals);
      if (policy.parent().isPrudent()) {
        refusals.refuse(
            "prudent", true, "false", "give each process a <file> of its own, since it is renamed");
      }
      ArchiveFormat format = format();
      if (format == null) {
        return null;
      }
      Archiver.Settings archiving = texts.check(format, refusals);
      ArchivePattern pattern = refusals.any() ? null : pattern(format);
      if (pattern == null || !isOfItsOwn(pattern)) {
        return null;
      }
      warnUnlessWritable(pattern);
      NameClaim claim = claim(pattern);
      return claim == null ? null : new Site(pattern, archiving, active, claim, policy.files);
    }

    private ArchiveFormat format() {
      String text = policy.getFileNamePattern();
      if (text == null || text.isBlank()) {
        refusals.refuse(
            "fileNamePattern", text, "names such as [" + policy.example() + "]", "set it");
        return null;
      }
      try {
        return ArchiveFormats.forName(text.strip());
      } catch (UnsupportedFormatException e) {
        return instead(text.strip(), e);
      }
    }

    /**
     * What Logback does: it says so and goes on, because a log matters more than its compression.
     */
    private ArchiveFormat instead(String text, UnsupportedFormatException unsupported) {
      ArchiveFormat format = unsupported.instead();
      String pattern = text;
      if (!format.suffix().isEmpty()) {
        pattern = text.substring(0, text.lastIndexOf('.')) + format.suffix();
        policy.setFileNamePattern(pattern);
      }
      policy.addWarn(
          unsupported.getMessage()
              + " Until then rolled files become ["
              + pattern
              + "], "
              + (format.suffix().isEmpty() ? "not compressed." : "compressed by gzip."));
      return format;
    }

    private ArchivePattern pattern(ArchiveFormat format) {
      String text = policy.getFileNamePattern();
      try {
        ArchivePattern pattern =
            new ArchivePattern(text, format.suffix(), policy.indices(), policy.getContext());
        policy.checkPattern(refusals, pattern);
        return refusals.any() ? null : pattern;
      } catch (IllegalArgumentException | DateTimeException e) {
        refuse(
            text,
            "names such as [" + policy.example() + "], and here is " + e.getMessage(),
            "correct the pattern");
        return null;
      }
    }

    private boolean isOfItsOwn(ArchivePattern pattern) {
      boolean collides = active != null && pattern.covers(active);
      if (collides) {
        refuse(
            pattern.text(),
            "names other than that of <file> [" + active + "]",
            "change one of the two");
      }
      return !collides;
    }

    /** Logback starts and writes; what is wrong with a directory may pass. */
    private void warnUnlessWritable(ArchivePattern pattern) {
      Path directory = nearestExisting(pattern.root());
      boolean isDirectory = Files.isDirectory(directory);
      boolean writable = isDirectory && policy.files.isWritable(directory);
      if (!writable) {
        policy.addWarn(
            Refusals.message(
                    "fileNamePattern",
                    pattern.text(),
                    "names in a directory that is writable or can be created, and ["
                        + directory
                        + "] is "
                        + (isDirectory ? "not writable" : "no directory"),
                    "correct the pattern, or the permissions of the directory")
                + " Until then rolled files wait beside the active file, or, if that is in the same"
                + " directory, nothing is rolled over and what is logged goes to the same file.");
      }
    }

    /** Null if another appender uses the names. */
    private NameClaim claim(ArchivePattern pattern) {
      return NameClaim.claim(
          policy.parent(),
          NameClaim.Names.of(policy, pattern),
          message -> policy.refuseNames(refusals, message));
    }

    private void refuse(String value, String allowed, String remedy) {
      refusals.refuse("fileNamePattern", value, allowed, remedy);
    }
  }
}
