package io.spillway.internal.disk;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A {@link RandomAccessFile}: no interrupt can close it, unlike a {@code FileChannel}. It remembers
 * where the descriptor stands, so that sequential access costs no seek.
 */
final class RandomAccessDiskFile implements DiskFile {

  /** The run time takes native memory for as much as is read at once. */
  private static final int CHUNK = 1 << 20;

  private final RandomAccessFile file;
  private long descriptorPosition;

  RandomAccessDiskFile(Path path, String mode) throws IOException {
    try {
      file = new RandomAccessFile(path.toFile(), mode);
    } catch (FileNotFoundException e) {
      boolean allowed = Files.isReadable(path) && (mode.equals("r") || Files.isWritable(path));
      throw Files.exists(path) && !allowed ? new AccessDeniedException(path.toString()) : e;
    }
  }

  @Override
  public synchronized void read(long position, byte[] bytes, int offset, int length)
      throws IOException {
    for (int done = 0; done < length; ) {
      int count = readSome(position + done, bytes, offset + done, length - done);
      if (count < 0) {
        throw new EOFException();
      }
      done += count;
    }
  }

  @Override
  public synchronized int readSome(long position, byte[] bytes, int offset, int length)
      throws IOException {
    seek(position);
    try {
      int count = file.read(bytes, offset, Math.min(CHUNK, length));
      descriptorPosition = position + Math.max(0, count);
      return count;
    } catch (IOException e) {
      descriptorPosition = -1;
      throw e;
    }
  }

  @Override
  public synchronized void write(long position, byte[] bytes, int offset, int length)
      throws IOException {
    seek(position);
    try {
      file.write(bytes, offset, length);
      descriptorPosition = position + length;
    } catch (IOException e) {
      descriptorPosition = -1;
      throw e;
    }
  }

  private void seek(long position) throws IOException {
    if (position != descriptorPosition) {
      file.seek(position);
      descriptorPosition = position;
    }
  }

  @Override
  public long size() throws IOException {
    return file.length();
  }

  @Override
  public synchronized void truncate(long size) throws IOException {
    descriptorPosition = -1;
    file.setLength(size);
  }

  @Override
  public void sync() throws IOException {
    file.getFD().sync();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
