package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Finds the format that a file name asks for by its suffix. */
public final class ArchiveFormats {
  /** Leaves the bytes as they are; what a name without a compression suffix gets. */
  public static final ArchiveFormat PLAIN = new Plain();

  private static final String ALLOWED = ".gz, .zip, .zst, .xz, or none of them for no compression";

  /**
   * Suffixes by which a user clearly asks for a compression, in any case; quietly not compressing
   * is worse. Those that are supported have been found before, unless they are in another case.
   */
  private static final List<String> UNSUPPORTED =
      List.of(
          ".bz2", ".bz", ".lz4", ".7z", ".rar", ".z", ".lzma", ".br", ".tgz", ".sz", ".snappy",
          ".gzip", ".zstd", ".gz", ".zip", ".zst", ".xz");

  private ArchiveFormats() {}

  /**
   * The format of archives with such names.
   *
   * @param fileNamePattern as the user set it; only its end counts
   * @return {@link #PLAIN} if it ends with no suffix of a compression
   * @throws UnsupportedFormatException if it ends with the suffix of one that is not at hand; it
   *     says what to do, and what Logback would do meanwhile
   */
  public static ArchiveFormat forName(String fileNamePattern) throws UnsupportedFormatException {
    if (fileNamePattern.endsWith(".gz")) {
      return new GzipFormat();
    }
    if (fileNamePattern.endsWith(".zip")) {
      return new ZipFormat();
    }
    if (fileNamePattern.endsWith(".zst")) {
      return zstd(fileNamePattern);
    }
    if (fileNamePattern.endsWith(".xz")) {
      return xz(fileNamePattern);
    }
    ArchiveFormat provided = provided(fileNamePattern);
    if (provided != null) {
      return provided;
    }
    String lower = fileNamePattern.toLowerCase(Locale.ROOT);
    for (String suffix : UNSUPPORTED) {
      if (lower.endsWith(suffix)) {
        throw refused(
            fileNamePattern,
            "use one of these, or put a jar that provides "
                + ArchiveFormat.class.getName()
                + " for ["
                + suffix
                + "] on the class path",
            PLAIN,
            null);
      }
    }
    return PLAIN;
  }

  private static ArchiveFormat zstd(String pattern) throws UnsupportedFormatException {
    try {
      ZstdFormat format = new ZstdFormat();
      format.requireLibrary();
      return format;
    } catch (LinkageError missing) {
      throw refused(
          pattern,
          "[.zst] needs com.github.luben:zstd-jni on the class path, and a directory"
              + " [java.io.tmpdir] from which its native library can be loaded; add that"
              + " dependency, or use [.gz]",
          new GzipFormat(),
          missing);
    }
  }

  private static ArchiveFormat xz(String pattern) throws UnsupportedFormatException {
    try {
      XzFormat format = new XzFormat();
      format.requireLibrary();
      return format;
    } catch (LinkageError missing) {
      throw refused(
          pattern,
          "[.xz] needs org.tukaani:xz on the class path; add that dependency, or use [.gz]",
          new GzipFormat(),
          missing);
    }
  }

  private static ArchiveFormat provided(String pattern) throws UnsupportedFormatException {
    try {
      ClassLoader loader = ArchiveFormat.class.getClassLoader();
      for (ArchiveFormat format : ServiceLoader.load(ArchiveFormat.class, loader)) {
        if (!format.suffix().isEmpty() && pattern.endsWith(format.suffix())) {
          return format;
        }
      }
      return null;
    } catch (ServiceConfigurationError broken) {
      throw refused(pattern, "repair the provider of archive formats: " + broken, PLAIN, broken);
    }
  }

  private static UnsupportedFormatException refused(
      String pattern, String remedy, ArchiveFormat instead, Throwable why) {
    return new UnsupportedFormatException(
        "Setting [fileNamePattern] has the value ["
            + pattern
            + "]; allowed: names that end with "
            + ALLOWED
            + ". To do: "
            + remedy
            + ".",
        instead,
        why);
  }

  /** No compression: the archive is the rolled file's bytes, copied only to another file system. */
  private static final class Plain implements ArchiveFormat {
    @Override
    public String suffix() {
      return "";
    }

    @Override
    public boolean isLevel(int level) {
      return level == 0;
    }

    @Override
    public int defaultLevel() {
      return 0;
    }

    @Override
    public OutputStream compressing(OutputStream out, String entryName, int level) {
      return out;
    }

    @Override
    public InputStream decompressing(InputStream in) {
      return in;
    }
  }

  /** A file name asks for a compression that is not at hand; the message says what to do. */
  public static final class UnsupportedFormatException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient ArchiveFormat instead;

    UnsupportedFormatException(String message, ArchiveFormat instead, Throwable cause) {
      super(message, cause);
      this.instead = instead;
    }

    /**
     * What Logback does with such a name: gzip where only a library is missing, else nothing.
     *
     * @return gzip, or {@link ArchiveFormats#PLAIN}
     */
    public ArchiveFormat instead() {
      return instead;
    }
  }
}
