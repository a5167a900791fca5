package io.spillway.examples;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A small file system of its own; skips the test where it cannot be mounted. */
final class Tmpfs implements AutoCloseable {
  private static final int BLOCK = 4096;

  private final Path directory;

  Tmpfs(Path directory, String size) throws IOException {
    this.directory = Files.createDirectories(directory);
    String refusal = run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs");
    Assumptions.assumeTrue(
        refusal.isEmpty(),
        () -> "skipped, a tmpfs cannot be mounted here (be root, CAP_SYS_ADMIN): " + refusal);
  }

  /** What the command says; mount and umount say nothing when they succeed. */
  private String run(String... command) throws IOException {
    List<String> words = new ArrayList<>(List.of(command));
    words.add(directory.toString());
    Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  Path directory() {
    return directory;
  }

  /** Takes all the space there is, until the file that is returned is deleted. */
  Path fill() throws IOException {
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
