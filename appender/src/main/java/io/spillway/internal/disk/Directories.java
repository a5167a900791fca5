package io.spillway.internal.disk;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** What has to be done to a directory so that a name in it survives a power cut. */
public final class Directories {
  private Directories() {}

  /**
   * Returns when the names in a directory are on the disk. An interrupt does not keep it from that,
   * and is still there afterwards.
   *
   * @param directory exists and can be read
   * @throws IOException if it cannot be forced
   */
  public static void force(Path directory) throws IOException {
    if (!directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      return; // Windows opens no directory and journals its names
    }
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted(); // it would close the channel
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
          channel.force(true);
          return;
        } catch (ClosedByInterruptException again) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
