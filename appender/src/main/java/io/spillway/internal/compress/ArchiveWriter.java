package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.Disk.State;
import io.spillway.internal.disk.DiskFile;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * Writes one archive under its {@code .part} name, a chunk at a time, so that whoever drives it may
 * rest, stop or wait for more bytes in between. Knows nothing of names and renames.
 */
final class ArchiveWriter implements Closeable {
  /** Forced in between as well: gigabytes forced at once would stall everybody on that disk. */
  private static final long FORCE_EVERY_BYTES = 8L << 20;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final Disk files;
  private final Path part;
  private final PartOutput out;
  private final OutputStream compressor;
  private final State created; // whose identity tells the part from what others put in its place
  private long position;

  /** Creates the part; if this throws, the part may be there all the same. */
  ArchiveWriter(Disk files, Path part, String entryName, Archiver.Settings settings)
      throws IOException {
    this.files = files;
    this.part = part;
    files.createParents(part);
    out = new PartOutput();
    try {
      out.file = files.create(part);
      created = files.state(part);
      compressor = settings.format().compressing(out, entryName, settings.level());
    } catch (IOException | RuntimeException | Error e) {
      Disk.giveBack(out.file);
      throw e;
    }
  }

  Path part() {
    return part;
  }

  /** Bytes of the rolled file that are in. */
  long position() {
    return position;
  }

  /** Takes at most a chunk; false if everything below the end is in. */
  boolean step(InputStream in, byte[] chunk, long end) throws IOException {
    int wanted = (int) Math.min(chunk.length, end - position);
    if (wanted <= 0) {
      return false;
    }
    int count = in.read(chunk, 0, wanted);
    if (count < 0) {
      throw new EOFException("the rolled file ends at " + position + " instead of " + end);
    }
    compressor.write(chunk, 0, count);
    position += count;
    out.forceNowAndThen();
    return true;
  }

  /**
   * The part as its name shows it now, or null if the name stands for anything but what was
   * written.
   */
  State written() throws IOException {
    State now = files.state(part);
    return now != null && now.isSameFile(created) && now.bytes() == out.position ? now : null;
  }

  /** Ends the archive; nothing is written any more. */
  void end() throws IOException {
    compressor.close();
    out.close();
  }

  /** When this returns, the archive is on the disk, but for its name. */
  void seal() throws IOException {
    out.file.sync();
    out.release();
  }

  /** Frees everything. What was written is rubbish unless it was completed. */
  @Override
  public void close() throws IOException {
    try {
      out.release();
    } finally {
      compressor.close();
    }
  }

  /**
   * Between compressor and file. The compressor closes it with itself, also when it is aborted and
   * must not write any more: its memory may be native.
   */
  private static final class PartOutput extends OutputStream {
    private DiskFile file; // stored once: there must be memory for this first
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int buffered;
    private long position; // in the file
    private long written;
    private long forced;
    private boolean discarding;

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (discarding) {
        return;
      }
      written += length;
      if (length > buffer.length - buffered) {
        drain();
      }
      if (length >= buffer.length) {
        append(bytes, offset, length);
      } else {
        System.arraycopy(bytes, offset, buffer, buffered, length);
        buffered += length;
      }
    }

    private void drain() throws IOException {
      int length = buffered;
      buffered = 0;
      if (length > 0 && !discarding) {
        append(buffer, 0, length);
      }
    }

    private void append(byte[] bytes, int offset, int length) throws IOException {
      file.write(position, bytes, offset, length);
      position += length;
    }

    void forceNowAndThen() throws IOException {
      if (written - forced >= FORCE_EVERY_BYTES) {
        file.sync();
        forced = written;
      }
    }

    /** Only the end of what the compressor writes; the file is closed when it has been forced. */
    @Override
    public void close() throws IOException {
      drain();
    }

    void release() throws IOException {
      discarding = true;
      file.close();
    }
  }
}
