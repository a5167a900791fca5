package io.spillway.rolling;

import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what the thread that writes does, and dies or fails in renames on demand. */
final class CountingFiles extends Disk {
  /** The process is gone. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
      super("crash of the test", null, false, false);
    }
  }

  final AtomicInteger operationsOfWriter = new AtomicInteger();
  final AtomicInteger listingsOfWriter = new AtomicInteger();
  final AtomicInteger renamesOfWriter = new AtomicInteger();
  private int untilCrash = -1; // guarded by this
  private boolean crashAfter; // guarded by this
  private volatile boolean crashed;
  private volatile IOException failure;

  /** Dies in so many renames of the compressor, just before or just after it. */
  synchronized void crash(int renamesFromNow, boolean after) {
    untilCrash = renamesFromNow;
    crashAfter = after;
  }

  boolean isCrashed() {
    return crashed;
  }

  /** Every rename of the writer fails so; null ends that. */
  void fail(IOException with) {
    failure = with;
  }

  private boolean isWriter() {
    return !Thread.currentThread().getName().equals("spillway-compressor");
  }

  private void count() {
    if (crashed && !isWriter()) {
      throw new Crash(); // from then on nothing has an effect on the disk
    }
    if (isWriter()) {
      operationsOfWriter.incrementAndGet();
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    count();
    if (isWriter()) {
      renamesOfWriter.incrementAndGet();
      if (failure != null) {
        throw failure;
      }
      super.rename(from, to);
      return;
    }
    boolean crash;
    synchronized (this) {
      crash = untilCrash >= 0 && untilCrash-- == 0;
      crashed |= crash && !crashAfter;
    }
    count();
    super.rename(from, to);
    crashed |= crash;
    count();
  }

  @Override
  public State state(Path file) throws IOException {
    count();
    return super.state(file);
  }

  @Override
  public void createEmpty(Path file) throws IOException {
    count();
    super.createEmpty(file);
  }

  @Override
  public boolean isWritable(Path directory) {
    count();
    return super.isWritable(directory);
  }

  @Override
  public boolean removeIfEmpty(Path directory) throws IOException {
    count();
    return super.removeIfEmpty(directory);
  }

  @Override
  public DirectoryStream<Path> list(Path directory) throws IOException {
    count();
    if (isWriter()) {
      listingsOfWriter.incrementAndGet();
    }
    return super.list(directory);
  }
}
