package io.spillway.stress.sandbox;

import java.util.List;

/**
 * The findings of a probe on a configuration that Logback has interpreted.
 *
 * @param refusal why no trial can be made of it and what to do about that; null if one can
 * @param notes what Logback reports, and differences from the configuration as its owner knows it
 * @param files its files, those of the most special loggers first
 */
public record Findings(String refusal, List<String> notes, List<LogFile> files) {

  /**
   * A file that a configuration writes.
   *
   * @param appender name of the appender
   * @param type class of the appender
   * @param file the active file, relative to the sandbox
   * @param named whether the active file has a separate name, rather than that of its archive
   * @param fileNamePattern pattern of the archives, relative to the sandbox; null if it never rolls
   *     over
   * @param maxFileSizeBytes size at which it rolls over; 0 if that is not what triggers it
   */
  public record LogFile(
      String appender,
      String type,
      String file,
      boolean named,
      String fileNamePattern,
      long maxFileSizeBytes) {

    /** Returns whether it rolls over. */
    public boolean rolls() {
      return fileNamePattern != null;
    }

    /** Returns whether it rolls over by the clock alone. */
    public boolean rollsByClock() {
      return rolls() && maxFileSizeBytes == 0;
    }
  }
}
