package io.spillway.rolling;

import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.compress.ArchiveFormats;
import io.spillway.internal.compress.ArchiveFormats.UnsupportedFormatException;
import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.compress.Archiver;
import io.spillway.internal.compress.RolledName;
import io.spillway.internal.disk.FilePaths;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;

/**
 * The result of checking a policy's settings.
 *
 * @param pattern the pattern that names the archives
 * @param names the names of the policy's files and their directories. Rolled files lie beside the
 *     archives, unless the archives' directory is on another file system than the active file; then
 *     rolled files wait in {@code <active file>.rolled}, and the compressor writes the archives
 *     across
 * @param settings the settings of compression
 * @param claim the policy's claim to the names
 */
record Site(
    ArchivePattern pattern, ArchiveNames names, Archiver.Settings settings, NameClaim claim) {

  /** The settings of compression, as text until they are checked. */
  static final class Texts {
    private static final int HIGHEST_LEVEL = 99; // of any format

    String compressionLevel;
    String compressionCpuShare = "50";
    String maxRandomDelay = "0";

    /** Returns the parsed settings, which must not be used if one was refused. */
    Archiver.Settings check(ArchiveFormat format, Refusals refusals) {
      int percent = refusals.number("compressionCpuShare", compressionCpuShare, 1, 100);
      Duration delay = Duration.ofMillis(refusals.millis("maxRandomDelay", maxRandomDelay));
      return new Archiver.Settings(format, level(format, refusals), percent / 100.0, delay);
    }

    /**
     * Drops a compression level that the substitute format does not have, since it may be a level
     * of the missing format. Returns a sentence for the warning, or an empty text.
     */
    String ignored(ArchiveFormat instead) {
      int level = Refusals.readNumber(compressionLevel, instead.defaultLevel());
      if (instead.isLevel(level)) {
        return "";
      }
      compressionLevel = null;
      return " Until then [compressionLevel] [" + level + "] is ignored.";
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

  /** Checks settings, directories and other appenders' names; returns null if one is refused. */
  static Site check(ArchivingPolicy policy, Refusals refusals, Texts texts) {
    return new Check(policy, refusals).site(texts);
  }

  /** Returns the directory itself or the first one above it that exists. */
  private static Path nearestExisting(Path directory) {
    Path existing = directory;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return existing;
  }

  /** One check of a policy. */
  private static final class Check {
    private static final long SECONDS_OF_A_MONTH = 2_629_746;

    private final ArchivingPolicy policy;
    private final Refusals refusals;
    private final Path active;

    Check(ArchivingPolicy policy, Refusals refusals) {
      this.policy = policy;
      this.refusals = refusals;
      this.active = policy.filePath();
    }

    /** Returns the site, or null if a setting is refused. */
    Site site(Texts texts) {
      policy.checkSettings(refusals);
      if (policy.parent().isPrudent()) {
        refusals.refuse(
            "prudent", true, "false", "give each process a <file> of its own, since it is renamed");
      }
      ArchiveFormat format = format(texts);
      if (format == null) {
        return null;
      }
      Archiver.Settings archiving = texts.check(format, refusals);
      ArchivePattern pattern = refusals.any() ? null : pattern(format);
      NameClaim.Names used = pattern == null ? null : NameClaim.Names.of(policy, pattern);
      if (used == null || isFileCovered(used)) {
        return null;
      }
      warnOfDates(pattern);
      warnUnlessWritable(pattern);
      NameClaim claim = claim(used);
      return claim == null ? null : new Site(pattern, names(pattern, format), archiving, claim);
    }

    private ArchiveNames names(ArchivePattern pattern, ArchiveFormat format) {
      Path staging = active == null ? null : RolledName.stagingDirectory(active);
      boolean leavesTmp = pattern.hasDate(); // Logback's fixed window leaves none
      return new ArchiveNames(pattern.root(), staging, pattern.stems(), format.suffix(), leavesTmp);
    }

    private ArchiveFormat format(Texts texts) {
      String text = policy.getFileNamePattern();
      if (text == null || text.isBlank()) {
        refusals.refuse(
            "fileNamePattern", text, "names such as [" + policy.example() + "]", "set it");
        return null;
      }
      try {
        return ArchiveFormats.forName(text.strip());
      } catch (UnsupportedFormatException e) {
        return instead(text.strip(), texts, e);
      }
    }

    /** Uses another format and warns, as Logback: a log matters more than its compression. */
    private ArchiveFormat instead(
        String text, Texts texts, UnsupportedFormatException unsupported) {
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
              + (format.suffix().isEmpty() ? "not compressed." : "compressed by gzip.")
              + texts.ignored(format));
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

    private boolean isFileCovered(NameClaim.Names used) {
      boolean covered = used.coverTheFile();
      if (covered) {
        refuse(
            used.patternText(),
            "names other than that of <file> [" + active + "]",
            "change one of the two");
      }
      return covered;
    }

    /** Warns if dates of the next twelve months have characters that file names cannot have. */
    private void warnOfDates(ArchivePattern pattern) {
      String trouble = null;
      for (int month = 0; month < 12 && trouble == null; month++) {
        Instant date = Instant.now().plusSeconds(month * SECONDS_OF_A_MONTH);
        trouble = FilePaths.trouble(pattern.printed(date, policy.sampleIndex()));
      }
      if (trouble != null) {
        policy.addWarn(
            "Setting [fileNamePattern] has the value [" + pattern.text() + "]: " + trouble);
      }
    }

    /** Only warns: Logback starts and writes as well, and a directory's fault may pass. */
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

    /** Claims the names; returns null if another appender uses them. */
    private NameClaim claim(NameClaim.Names used) {
      return NameClaim.claim(
          policy.parent(), used, message -> policy.refuseNames(refusals, message));
    }

    private void refuse(String value, String allowed, String remedy) {
      refusals.refuse("fileNamePattern", value, allowed, remedy);
    }
  }
}
