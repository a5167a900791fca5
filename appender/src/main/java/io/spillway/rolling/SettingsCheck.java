package io.spillway.rolling;

import io.spillway.compress.ArchiveFormat;
import io.spillway.compress.ArchiveSettings;
import java.time.Duration;
import java.util.stream.IntStream;

/** The settings of compression, as text until they are checked. */
final class SettingsCheck {
  private static final int HIGHEST_LEVEL = 99; // of any format

  String compressionLevel;
  String compressionCpuShare = "50";
  String maxRandomDelay = "0";

  SettingsCheck() {}

  /** The settings; of no use if something was refused. */
  ArchiveSettings check(ArchiveFormat format, Refusals refusals) {
    int percent = refusals.number("compressionCpuShare", compressionCpuShare, 1, 100);
    Duration delay = Duration.ofMillis(refusals.millis("maxRandomDelay", maxRandomDelay));
    return new ArchiveSettings(format, level(format, refusals), percent / 100.0, delay);
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
