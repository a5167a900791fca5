package io.spillway.stress.load;

import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/** Periodically sums up the lengths of all files below some directories. For one thread. */
final class DiskWatch {

  private static final long INTERVAL_NANOS = 100_000_000;

  private final List<Path> directories;
  private final long beforeBytes;
  private long peakBytes;
  private long nextLookNanos;

  /** Creates a watch and takes the first sum. */
  DiskWatch(List<Path> directories) throws IOException {
    this.directories = List.copyOf(directories);
    beforeBytes = sum().bytes;
    peakBytes = beforeBytes;
  }

  /** Takes a sum if the interval has passed. */
  void look(long nowNanos) throws IOException {
    if (nextLookNanos == 0 || nowNanos >= nextLookNanos) {
      nextLookNanos = nowNanos + INTERVAL_NANOS;
      peakBytes = Math.max(peakBytes, sum().bytes);
    }
  }

  /** Takes a last sum and returns the figures. */
  LoadFigures.Disk figures() throws IOException {
    Sum after = sum();
    peakBytes = Math.max(peakBytes, after.bytes);
    return new LoadFigures.Disk(beforeBytes, peakBytes, after.bytes, after.archiveBytes);
  }

  private Sum sum() throws IOException {
    Sum sum = new Sum();
    for (Path directory : directories) {
      Files.walkFileTree(directory, sum);
    }
    return sum;
  }

  private static final class Sum extends SimpleFileVisitor<Path> {
    private long bytes;
    private long archiveBytes;

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      bytes += attributes.size();
      if (RotationWatch.ARCHIVE.matcher(file.getFileName().toString()).matches()) {
        archiveBytes += attributes.size();
      }
      return FileVisitResult.CONTINUE;
    }

    /** Ignores the failure: a file may be deleted after it was listed. */
    @Override
    public FileVisitResult visitFileFailed(Path file, IOException gone) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException gone) {
      return FileVisitResult.CONTINUE;
    }
  }
}
