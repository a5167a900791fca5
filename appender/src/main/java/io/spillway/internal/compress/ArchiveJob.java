package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A rolled file that is to become an archive: it is compressed, or compared with an archive of its
 * name, a chunk at a time, so that the compressor thread can rest or stop in between. Renames
 * nothing. {@link #raw}, {@link #gone} and what tells of failures change under the lock of its
 * {@link Archives}; what is volatile is also read without it. All else belongs to the compressor
 * thread.
 */
final class ArchiveJob {
  /** What the comparison of a rolled file with an archive of the same name finds. */
  enum Check {
    /** The archive holds all of the rolled file. */
    EQUAL,
    /** The archive ends early, or is unreadable behind a beginning that is equal. */
    CUT,
    /** The archive is of another file. */
    DIFFERENT
  }

  /** Bytes between two forces; gigabytes forced at once would stall all users of the disk. */
  private static final long FORCE_EVERY_BYTES = 8L << 20;

  volatile Path raw; // a window's shift renames it
  boolean gone; // not to be done: the file was deleted, or is written again
  volatile int failures; // in a row
  long retryAtNanos;
  long bytes; // length of the rolled file, once it is begun

  private InputStream in; // null unless begun
  private ArchiveFiles files;
  private FileChannel file; // the part, or the archive to compare with
  private Path part; // null unless compressing, as the next two
  private PartOutput out;
  private OutputStream compressor;
  private InputStream archive; // null unless comparing
  private InputStream content;
  private long done; // bytes that are compressed or compared
  private boolean more; // content of the archive behind the end of the rolled file

  ArchiveJob(Path raw) {
    this.raw = raw;
  }

  boolean isBegun() {
    return in != null;
  }

  boolean isComparing() {
    return archive != null;
  }

  /** Returns the unfinished archive, which may exist; null if there is none. */
  Path part() {
    return part;
  }

  /**
   * Opens the files, which keep their content whatever their names become. Lock held.
   *
   * @param other the archive to compare with; null to compress
   */
  void open(ArchiveFiles operations, Path other) throws IOException {
    files = operations;
    bytes = Files.size(raw);
    in = Files.newInputStream(raw);
    if (other != null) {
      file = FileChannel.open(other); // to read, which Linux forces as well
      archive = Channels.newInputStream(file);
    }
  }

  /** Creates the part, in which the file has the name of the entry. */
  void compress(Path unfinished, String entry, Archives.Settings settings) throws IOException {
    part = unfinished;
    file = files.create(part);
    out = new PartOutput();
    compressor = settings.format.compressing(out, entry, settings.level());
  }

  /** Compresses a chunk; returns false at the end. */
  boolean compressChunk(byte[] chunk) throws IOException {
    int wanted = (int) Math.min(chunk.length, bytes - done);
    if (wanted <= 0) {
      return false;
    }
    int count = in.read(chunk, 0, wanted);
    if (count < 0) {
      throw new EOFException("the rolled file ends at " + done + " instead of " + bytes);
    }
    compressor.write(chunk, 0, count);
    done += count;
    if (out.written - out.forced >= FORCE_EVERY_BYTES) {
      files.force(file);
      out.forced = out.written;
    }
    return true;
  }

  /** Completes the part; returns its length. */
  long end() throws IOException {
    if (in.read() >= 0) {
      throw new IOException("another program writes to the rolled file");
    }
    compressor.close();
    return out.written;
  }

  /** Forces the part, or the archive that is compared, to the disk, without its name. */
  void force() throws IOException {
    files.force(file);
  }

  /** Compares a chunk; returns null while the outcome is open. */
  Check compareChunk(byte[] chunk, ArchiveFormat format) throws IOException {
    int half = chunk.length / 2;
    int count;
    try {
      if (content == null) {
        content = format.decompressing(archive);
      }
      count = content.read(chunk, 0, half);
    } catch (IOException | RuntimeException unreadable) {
      return more ? Check.DIFFERENT : Check.CUT;
    }
    if (count < 0) { // a raw file that ends early was cut by a power cut, as nothing forces it
      return more || done >= bytes ? Check.EQUAL : Check.CUT;
    }
    int found = in.readNBytes(chunk, half, count);
    if (!Arrays.equals(chunk, 0, found, chunk, half, half + found)) {
      return Check.DIFFERENT;
    }
    done += found;
    more |= found < count;
    return null;
  }

  /**
   * Frees all resources; the job can be begun anew. A compressor that is given up is closed as
   * well, because its memory may be native; what it writes then is discarded.
   *
   * @return the last failure, null if there is none
   */
  Exception close() {
    Closeable[] all = {file, compressor, content, archive, in};
    if (out != null) {
      out.discarding = true;
    }
    file = null;
    compressor = null;
    content = null;
    archive = null;
    in = null;
    part = null;
    done = 0;
    more = false;
    Exception failure = null;
    for (Closeable each : all) {
      try {
        if (each != null) {
          each.close();
        }
      } catch (IOException | RuntimeException e) { // a format may throw anything
        failure = e;
      }
    }
    return failure;
  }

  /** The part, to which compressors write tens of kilobytes at a time. */
  private final class PartOutput extends OutputStream {
    private long written;
    private long forced;
    private boolean discarding;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int length) throws IOException {
      if (!discarding) {
        files.write(file, ByteBuffer.wrap(from, offset, length));
        written += length;
      }
    }
  }
}
