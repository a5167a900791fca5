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
 * Writes one archive under its {@code .part} name, a chunk at a time, so that the compressor thread
 * can rest, stop or wait for more bytes between chunks. Renames nothing.
 */
final class ArchiveWriter implements Closeable {
  /** Bytes between two forces; gigabytes forced at once would stall all users of the disk. */
  private static final long FORCE_EVERY_BYTES = 8L << 20;

  private static final int BUFFER_BYTES = 64 * 1024;

  private final Disk files;
  private final Path part;
  private final PartOutput out;
  private final OutputStream compressor;
  private final State created; // to detect that another file replaced the part
  private long position;

  /** Creates the part, which may exist even if the constructor throws. */
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
      Disk.closeQuietly(out.file);
      throw e;
    }
  }

  Path part() {
    return part;
  }

  /** Returns how many bytes of the rolled file are compressed. */
  long position() {
    return position;
  }

  /** Compresses at most a chunk; returns false if all bytes below the end are compressed. */
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
   * Returns the state of the part, or null if its name stands for another file, or for less or more
   * than was written.
   */
  State written() throws IOException {
    State now = files.state(part);
    return now != null && now.isSameFile(created) && now.bytes() == out.position ? now : null;
  }

  /** Completes the archive; nothing is written afterwards. */
  void end() throws IOException {
    compressor.close();
    out.close();
  }

  /** Forces the archive to the disk, without its name, and closes the file. */
  void seal() throws IOException {
    out.file.sync();
    out.release();
  }

  /** Frees all resources. The part is of no use unless the archive was completed. */
  @Override
  public void close() throws IOException {
    try {
      out.release();
    } finally {
      compressor.close();
    }
  }

  /**
   * The buffer between compressor and file. An aborted compressor is closed, too, because its
   * memory may be native; what it writes then is discarded.
   */
  private static final class PartOutput extends OutputStream {
    private DiskFile file; // created after this object, which needs memory
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

    /** Writes what is buffered. The file stays open until it has been forced. */
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
