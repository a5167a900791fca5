package io.spillway.testkit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/** An ext4 of its own on a loop device, which can be made to answer nobody for a while. */
public final class LoopDisk implements AutoCloseable {
  private static final long BYTES = 64 << 20;

  private final Path directory;
  private final Path image;

  /** Mounts one, or skips the test where that is forbidden. */
  public LoopDisk(Path parent) {
    directory = parent.resolve("disk");
    image = parent.resolve("disk.img");
    try {
      Files.createDirectories(directory);
      try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
        file.setLength(BYTES);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    require(Shell.attempt("mkfs.ext4", "-q", "-F", image));
    mount();
  }

  private void mount() {
    require(Shell.attempt("mount", "-o", "loop", image, directory));
  }

  private static void require(Shell.Result result) {
    Assumptions.assumeTrue(
        result.exitCode() == 0,
        () ->
            "skipped, an ext4 cannot be mounted on a loop device here (be root, CAP_SYS_ADMIN;"
                + " e2fsprogs, util-linux): "
                + result);
  }

  /** Its root. */
  public Path directory() {
    return directory;
  }

  /** Whoever writes waits from now on, as for a disk that hangs. */
  public void freeze() {
    require(Shell.attempt("fsfreeze", "-f", directory));
  }

  /** It goes on. */
  public void thaw() {
    Shell.attempt("fsfreeze", "-u", directory);
  }

  /**
   * What a power cut leaves: from now on nothing reaches the disk, and of what was written only
   * that is there which an fsync had covered. Every use of it fails until {@link #mountAgain}.
   */
  public void cutPower() {
    // FS_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH; Java has no ioctl.
    String shutdown =
        "open(my $d, '<', $ARGV[0]) or die $!; my $f = pack('L', 2);"
            + " ioctl($d, 0x8004587d, $f) or die $!";
    Shell.run("perl", "-e", shutdown, directory);
  }

  /** After {@link #cutPower}, when nobody uses it any more: replays the journal. */
  public void mountAgain() {
    Shell.run("umount", directory);
    mount();
  }

  @Override
  public void close() {
    thaw();
    Shell.attempt("umount", "-l", directory);
  }
}
