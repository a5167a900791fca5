package io.spillway.rolling;

import io.spillway.compress.ArchiveFormat;
import io.spillway.compress.ArchiveFormats;
import io.spillway.compress.ArchiveSettings;
import io.spillway.compress.UnsupportedFormatException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;

/** Checks the pattern, the directories and what other appenders use; refuses what cannot be. */
final class SiteCheck {
  private final ArchivingPolicy policy;
  private final Refusals refusals;
  private final Path active;

  SiteCheck(ArchivingPolicy policy, Refusals refusals) {
    this.policy = policy;
    this.refusals = refusals;
    this.active = policy.filePath();
  }

  /** The site, or null if something is refused. */
  Site check(SettingsCheck settings) {
    policy.checkSettings(refusals);
    if (policy.parent().isPrudent()) {
      refusals.refuse(
          "prudent", true, "false", "give each process a <file> of its own, since it is renamed");
    }
    ArchiveFormat format = format();
    if (format == null) {
      return null;
    }
    ArchiveSettings archiving = settings.check(format, refusals);
    ArchivePattern pattern = refusals.any() ? null : pattern(format);
    if (pattern == null || !isOfItsOwn(pattern)) {
      return null;
    }
    warnUnlessWritable(pattern);
    Places places = new Places(pattern, format.suffix(), active, policy.moves);
    NameClaim claim = claim(pattern);
    return claim == null
        ? null
        : new Site(pattern, places, archiving, SharedNames.of(pattern), claim);
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

  /** What Logback does: it says so and goes on, because a log matters more than its compression. */
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
    Path directory = Places.nearestExisting(pattern.root());
    boolean isDirectory = Files.isDirectory(directory);
    boolean writable = isDirectory && policy.moves.isWritable(directory);
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
              + " Nothing is rolled over until then; what is logged goes to the same file.");
    }
  }

  /** Null if another appender uses the names. */
  private NameClaim claim(ArchivePattern pattern) {
    return NameClaims.of(policy.getContext())
        .claim(
            policy.parent(),
            FileNames.of(policy, pattern),
            message -> policy.refuseNames(refusals, message));
  }

  private void refuse(String value, String allowed, String remedy) {
    refusals.refuse("fileNamePattern", value, allowed, remedy);
  }
}
