package io.spillway.stress.load;

import io.spillway.stress.record.RotationWindow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Sees a rotation by looking at the log directory, so that it works for any appender. The rotation
 * begins when an archive appears or the prefilled file leaves its name; it is over when the
 * prefilled file is gone, nothing half-written is left, and there is an active file again. A {@code
 * .part} says neither: the active file may be archived while it is written, and who writes one
 * keeps the rolled file until it is whole. The prefilled file is known by its length: its inode
 * number may be taken over by its successor.
 */
final class RotationWatch {

  private static final Pattern ARCHIVE = Pattern.compile(".*\\.(gz|zip|xz|zst)");
  private static final Pattern UNFINISHED = Pattern.compile(".*\\.(tmp|delete)");

  private final Path activeFile;
  private final long prefillBytes;
  private final RotationWindow window;

  RotationWatch(Path activeFile, long prefillBytes, RotationWindow window) {
    this.activeFile = activeFile;
    this.prefillBytes = prefillBytes;
    this.window = window;
  }

  /** Looks once. */
  void look() throws IOException {
    if (window.ended()) {
      return;
    }
    boolean archive = false;
    boolean unfinished = false;
    boolean prefillActive = false;
    boolean prefillElsewhere = false;
    for (Path file : files()) {
      String name = file.getFileName().toString();
      boolean active = file.equals(activeFile);
      boolean packed = ARCHIVE.matcher(name).matches();
      archive |= packed && !active;
      unfinished |= UNFINISHED.matcher(name).matches();
      if (!packed && isPrefill(file)) {
        prefillActive |= active;
        prefillElsewhere |= !active;
      }
    }
    long now = System.nanoTime();
    boolean moved = prefillElsewhere && !prefillActive;
    if (!window.begun() && (archive || unfinished || moved)) {
      window.begin(now);
    }
    boolean gone = !prefillActive && !prefillElsewhere;
    if (window.begun() && gone && archive && !unfinished && Files.exists(activeFile)) {
      window.end(now);
    }
  }

  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = Files.list(activeFile.getParent())) {
      found.filter(Files::isRegularFile).forEach(files::add);
    }
    return files;
  }

  /** A file may vanish between being listed and being looked at. */
  private boolean isPrefill(Path file) throws IOException {
    try {
      return Files.size(file) >= prefillBytes;
    } catch (NoSuchFileException e) {
      return false;
    }
  }
}
