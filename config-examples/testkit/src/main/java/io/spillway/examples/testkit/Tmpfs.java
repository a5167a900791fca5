package io.spillway.examples.testkit;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A separate small file system; skips the test where it cannot be mounted. */
public final class Tmpfs implements AutoCloseable {
  private static final int BLOCK = 4096;

  private final Path directory;

  /**
   * Mounts a tmpfs.
   *
   * @param directory the mount point, created if missing
   * @param size its size in the syntax of mount
   */
  public Tmpfs(Path directory, String size) throws IOException {
    this.directory = Files.createDirectories(directory);
    String refusal = run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs");
    assumeThat(refusal)
        .as("skipped, a tmpfs cannot be mounted here (be root, CAP_SYS_ADMIN)")
        .isEmpty();
  }

  /** Runs a command and returns its output; mount and umount print nothing when they succeed. */
  private String run(String... command) throws IOException {
    List<String> words = new ArrayList<>(List.of(command));
    words.add(directory.toString());
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Returns the mount point. */
  public Path directory() {
    return directory;
  }

  /** Fills all free space with the returned file; deleting the file frees the space. */
  public Path fill() throws IOException {
    Path ballast = directory.resolve("ballast");
    try (OutputStream out = Files.newOutputStream(ballast)) {
      while (directory.toFile().getUsableSpace() > 0) {
        out.write(new byte[BLOCK]);
      }
    }
    return ballast;
  }

  @Override
  public void close() throws IOException {
    run("umount", "-l");
  }
}
