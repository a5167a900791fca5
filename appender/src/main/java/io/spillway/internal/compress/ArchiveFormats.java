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

  /** Whether an archive may tell the name of what is in it; unknown formats may. */
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

  /** RFC 1952, one member an archive, as {@code gzip}, {@code zcat} and {@code zgrep} read it. */
  static final class GzipFormat implements ArchiveFormat {
    private static final int BUFFER_BYTES = 64 * 1024;

    /** What zlib, {@code gzip} and Logback take. */
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
          def.end(); // its memory is native: after a failed close the heap would not press for it
        }
      }
    }
  }

  /**
   * RFC 8878 with a checksum of the content, as {@code zstd} and {@code zstdcat} read it. The one
   * class that names the optional library: it fails with a {@link LinkageError} without it.
   */
  static final class ZstdFormat implements ArchiveFormat {
    private static final int DEFAULT_LEVEL = 3;

    /** The "ultra" levels above take hundreds of megabytes of native memory. */
    private static final int HIGHEST_LEVEL = 19;

    private static final int MAGIC_BYTES = 4;
    private static final int MAGIC = 0xFD2FB528;
    private static final int SKIPPABLE_MAGIC =
        0x184D2A50; // and the 15 above, which hold no content

    /** Loads the native library, too. */
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
        throw new IOException("no zstd frame at the beginning"); // zstd-jni would see it too late
      }
      begun.unread(first);
      return new ZstdInputStreamNoFinalizer(begun);
    }
  }

  /**
   * The .xz format with a CRC64 of the content. The one class that names the optional library: it
   * fails with a {@link LinkageError} without it.
   */
  static final class XzFormat implements ArchiveFormat {
    private static final int DEFAULT_LEVEL = LZMA2Options.PRESET_DEFAULT; // as Logback's

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
