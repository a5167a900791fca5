package io.spillway.internal.compress;

import ch.qos.logback.core.rolling.RollingPolicyBase;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.spillway.archive.ArchiveFormat;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/** The archive formats, chosen by the suffix of a file name. */
public final class ArchiveFormats {
  /** The format of names without a suffix of a compression: the archive is the rolled file. */
  public static final ArchiveFormat PLAIN = new Plain();

  private static final int BUFFER_BYTES = 64 * 1024;

  /** What clearly asks for a compression. */
  private static final Pattern COMPRESSION =
      Pattern.compile(
          ".*\\.(gz|zip|zst|xz|bz2?|lz4|7z|rar|z|lzma|br|tgz|snappy|gzip|zstd)",
          Pattern.CASE_INSENSITIVE);

  private ArchiveFormats() {}

  /**
   * Chooses the format for a policy. As Logback does, it takes gzip in place of a format whose
   * library is missing, changing the pattern, and none for an unknown suffix; both with a WARN, as
   * a log matters more than its compression.
   *
   * @param policy has its pattern
   * @return {@link #PLAIN} for no compression
   */
  public static ArchiveFormat choose(RollingPolicyBase policy) {
    String pattern = policy.getFileNamePattern().trim();
    String remedy =
        "take .gz, .zip, .zst or .xz, or put a provider of "
            + ArchiveFormat.class.getName()
            + " on the class path; until then nothing is compressed";
    try {
      ArchiveFormat known = known(pattern);
      if (known != null) {
        return known;
      }
    } catch (LinkageError missing) {
      policy.addWarn(
          "Setting [fileNamePattern] has the value ["
              + pattern
              + "], and the library of its suffix is missing. To do: put com.github.luben:zstd-jni"
              + " (.zst) or org.tukaani:xz (.xz) on the class path; until then .gz is taken.");
      policy.setFileNamePattern(pattern.substring(0, pattern.lastIndexOf('.')) + ".gz");
      return new Gzip();
    } catch (ServiceConfigurationError broken) {
      remedy = "repair the provider: " + broken;
    }
    if (COMPRESSION.matcher(pattern).matches()) {
      policy.addWarn(
          "Setting [fileNamePattern] has the value ["
              + pattern
              + "], a suffix of no format that is there. To do: "
              + remedy
              + ".");
    }
    return PLAIN;
  }

  private static ArchiveFormat known(String pattern) {
    if (pattern.endsWith(".gz")) {
      return new Gzip();
    } else if (pattern.endsWith(".zip")) {
      return new Zip();
    } else if (pattern.endsWith(".zst")) {
      return new ZstdFormat();
    } else if (pattern.endsWith(".xz")) {
      return new XzFormat();
    }
    ClassLoader loader = ArchiveFormat.class.getClassLoader();
    for (ArchiveFormat format : ServiceLoader.load(ArchiveFormat.class, loader)) {
      if (!format.suffix().isEmpty() && pattern.endsWith(format.suffix())) {
        return format;
      }
    }
    return null;
  }

  /** A format of this library. */
  private abstract static class Format implements ArchiveFormat {
    private final String suffix;
    private final int highest;
    private final int standard;

    Format(String suffix, int highestLevel, int standardLevel) {
      this.suffix = suffix;
      highest = highestLevel;
      standard = standardLevel;
    }

    @Override
    public String suffix() {
      return suffix;
    }

    @Override
    public boolean isLevel(int level) {
      return level >= Math.min(1, highest) && level <= highest;
    }

    @Override
    public int defaultLevel() {
      return standard;
    }
  }

  private static final class Plain extends Format {
    Plain() {
      super("", 0, 0);
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
  private static final class Gzip extends Format {
    Gzip() {
      super(".gz", 9, 6);
    }

    @Override
    public OutputStream compressing(OutputStream out, String entryName, int level)
        throws IOException {
      return new GZIPOutputStream(out, BUFFER_BYTES) {
        {
          def.setLevel(level);
        }
      };
    }

    @Override
    public InputStream decompressing(InputStream in) throws IOException {
      return new GZIPInputStream(in, BUFFER_BYTES);
    }
  }

  /**
   * A zip archive with one deflated entry, named as the rolled file. The directory behind the entry
   * is not read back.
   */
  private static final class Zip extends Format {
    Zip() {
      super(".zip", 9, 6);
    }

    @Override
    public OutputStream compressing(OutputStream out, String entryName, int level)
        throws IOException {
      ZipOutputStream zip =
          new ZipOutputStream(new BufferedOutputStream(out, BUFFER_BYTES)) {
            {
              setLevel(level);
              buf = new byte[BUFFER_BYTES]; // the default of 512 bytes costs a native call each
            }
          };
      zip.putNextEntry(new ZipEntry(entryName));
      return zip;
    }

    @Override
    public InputStream decompressing(InputStream in) throws IOException {
      ZipInputStream zip = new ZipInputStream(in);
      if (zip.getNextEntry() == null) {
        throw new ZipException("no zip entry at the beginning");
      }
      return zip;
    }
  }

  /**
   * RFC 8878 with a checksum of the content. Only this class uses the optional library zstd-jni;
   * without it, it fails with a {@link LinkageError}. Levels above 19 take hundreds of megabytes.
   */
  private static final class ZstdFormat extends Format {
    private static final int MAGIC = 0xFD2FB528;

    ZstdFormat() {
      super(".zst", Math.min(19, Zstd.maxCompressionLevel()), 3);
    }

    @Override
    public OutputStream compressing(OutputStream out, String entryName, int level)
        throws IOException {
      return new ZstdOutputStreamNoFinalizer(out, level).setChecksum(true);
    }

    /** Without a frame zstd-jni would find an empty content. */
    @Override
    public InputStream decompressing(InputStream in) throws IOException {
      PushbackInputStream begun = new PushbackInputStream(in, Integer.BYTES);
      byte[] first = begun.readNBytes(Integer.BYTES);
      if (first.length < Integer.BYTES
          || ByteBuffer.wrap(first).order(ByteOrder.LITTLE_ENDIAN).getInt() != MAGIC) {
        throw new EOFException("no zstd frame at the beginning");
      }
      begun.unread(first);
      return new ZstdInputStreamNoFinalizer(begun);
    }
  }

  /** With a CRC64 of the content. Only this class uses the optional library XZ for Java. */
  private static final class XzFormat extends Format {
    XzFormat() {
      super(".xz", LZMA2Options.PRESET_MAX, LZMA2Options.PRESET_DEFAULT);
      new LZMA2Options(); // the constants are in this class already
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
}
