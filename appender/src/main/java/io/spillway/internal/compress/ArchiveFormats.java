package io.spillway.internal.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.spillway.archive.ArchiveFormat;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/** Selects the archive format by the suffix of a file name. */
public final class ArchiveFormats {
  /** The format of names without a compression suffix; leaves the bytes as they are. */
  public static final ArchiveFormat PLAIN = new Plain();

  private static final String ALLOWED = ".gz, .zip, .zst, .xz, or none of them for no compression";

  /**
   * Suffixes, in any case, that clearly request a compression; a refusal is better than silently
   * not compressing. The supported ones are listed for upper case; their lower case is matched
   * before.
   */
  private static final List<String> UNSUPPORTED =
      List.of(
          ".bz2", ".bz", ".lz4", ".7z", ".rar", ".z", ".lzma", ".br", ".tgz", ".sz", ".snappy",
          ".gzip", ".zstd", ".gz", ".zip", ".zst", ".xz");

  private ArchiveFormats() {}

  /**
   * Returns the format of archives whose names follow a pattern.
   *
   * @param fileNamePattern as the user set it; only its end counts
   * @return the format; {@link #PLAIN} if the pattern ends with no suffix of a compression
   * @throws UnsupportedFormatException if the format of the suffix is not available; holds the
   *     remedy, and the format that Logback would use
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

  /** Returns whether an archive may store the rolled file's name; unknown formats may. */
  static boolean keepsName(ArchiveFormat format) {
    return !(format instanceof GzipFormat
        || format instanceof ZstdFormat
        || format instanceof XzFormat);
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

  /** No compression: the archive is the rolled file, copied only to another file system. */
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

  /** RFC 1952, one member per archive; for {@code gzip}, {@code zcat} and {@code zgrep}. */
  static final class GzipFormat implements ArchiveFormat {
    private static final int BUFFER_BYTES = 64 * 1024;

    /** The default of zlib, {@code gzip} and Logback. */
    private static final int DEFAULT_LEVEL = 6;

    @Override
    public String suffix() {
      return ".gz";
    }

    @Override
    public boolean isLevel(int level) {
      return level >= Deflater.BEST_SPEED && level <= Deflater.BEST_COMPRESSION;
    }

    @Override
    public int defaultLevel() {
      return DEFAULT_LEVEL;
    }

    @Override
    public OutputStream compressing(OutputStream out, String entryName, int level)
        throws IOException {
      return new Leveled(out, level);
    }

    @Override
    public InputStream decompressing(InputStream in) throws IOException {
      return new GZIPInputStream(in, BUFFER_BYTES);
    }

    private static final class Leveled extends GZIPOutputStream {
      private boolean ended;

      Leveled(OutputStream out, int level) throws IOException {
        super(out, BUFFER_BYTES);
        def.setLevel(level);
      }

      @Override
      public void close() throws IOException {
        if (ended) {
          return;
        }
        ended = true;
        try {
          super.close();
        } finally {
          def.end(); // frees native memory at once, also after a failed close
        }
      }
    }
  }

  /**
   * RFC 8878 with a checksum of the content, readable by {@code zstd} and {@code zstdcat}. Only
   * this class uses the optional library zstd-jni; without it, the class fails with a {@link
   * LinkageError}.
   */
  static final class ZstdFormat implements ArchiveFormat {
    private static final int DEFAULT_LEVEL = 3;

    /** The "ultra" levels above take hundreds of megabytes of native memory. */
    private static final int HIGHEST_LEVEL = 19;

    private static final int MAGIC_BYTES = 4;
    private static final int MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC = 0x184D2A50; // and 15 more: no content

    /** Loads the library and its native part. */
    void requireLibrary() {
      Zstd.maxCompressionLevel();
    }

    @Override
    public String suffix() {
      return ".zst";
    }

    @Override
    public boolean isLevel(int level) {
      return level >= 1 && level <= HIGHEST_LEVEL;
    }

    @Override
    public int defaultLevel() {
      return DEFAULT_LEVEL;
    }

    @Override
    public OutputStream compressing(OutputStream out, String entryName, int level)
        throws IOException {
      ZstdOutputStreamNoFinalizer zstd = new ZstdOutputStreamNoFinalizer(out, level);
      zstd.setChecksum(true);
      return zstd;
    }

    @Override
    public InputStream decompressing(InputStream in) throws IOException {
      PushbackInputStream begun = new PushbackInputStream(in, MAGIC_BYTES);
      byte[] first = begun.readNBytes(MAGIC_BYTES);
      if (first.length < MAGIC_BYTES) {
        throw new EOFException("too short for a frame, which even an empty file makes");
      }
      int magic = ByteBuffer.wrap(first).order(ByteOrder.LITTLE_ENDIAN).getInt();
      if (magic != MAGIC && magic >>> 4 != SKIPPABLE_MAGIC >>> 4) {
        throw new IOException("no zstd frame at the beginning"); // zstd-jni would detect it later
      }
      begun.unread(first);
      return new ZstdInputStreamNoFinalizer(begun);
    }
  }

  /**
   * The .xz format with a CRC64 of the content. Only this class uses the optional library XZ for
   * Java; without it, the class fails with a {@link LinkageError}.
   */
  static final class XzFormat implements ArchiveFormat {
    private static final int DEFAULT_LEVEL = LZMA2Options.PRESET_DEFAULT; // as in Logback

    /** Loads the library. */
    void requireLibrary() {
      new LZMA2Options();
    }

    @Override
    public String suffix() {
      return ".xz";
    }

    @Override
    public boolean isLevel(int level) {
      return level >= 1 && level <= LZMA2Options.PRESET_MAX;
    }

    @Override
    public int defaultLevel() {
      return DEFAULT_LEVEL;
    }

    @Override
    public OutputStream compressing(OutputStream out, String entryName, int level)
        throws IOException {
      return new XZOutputStream(out, new LZMA2Options(level));
    }

    @Override
    public InputStream decompressing(InputStream in) throws IOException {
      return new XZInputStream(in);
    }
  }

  /** Thrown if a name requests a compression that is not available; the message has the remedy. */
  public static final class UnsupportedFormatException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient ArchiveFormat instead;

    UnsupportedFormatException(String message, ArchiveFormat instead, Throwable cause) {
      super(message, cause);
      this.instead = instead;
    }

    /**
     * Returns the format that Logback uses for such a name: gzip if only a library is missing,
     * otherwise no compression.
     *
     * @return gzip, or {@link ArchiveFormats#PLAIN}
     */
    public ArchiveFormat instead() {
      return instead;
    }
  }
}
