package io.spillway.stress.load;

import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.verify.FileNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Detects a rotation from the files in the log directory, which works for any appender. The
 * rotation begins when an archive appears or the prefilled file is renamed. It ends when the
 * prefilled file is gone, no incomplete file is left, and an active file exists again. A {@code
 * .part} file indicates neither: the active file may be archived while it is written, and the
 * compressor keeps the rolled file until the archive is complete. The prefilled file is recognized
 * by its length, because its successor may get the same inode number. A log file without a fixed
 * name is called like an archive from the beginning; its successor is the next file of that
 * pattern. Several rotations count as one, which ends when each has an archive, or a rolled file if
 * files are not compressed.
 */
public final class RotationWatch {

  static final Pattern ARCHIVE = Pattern.compile(".*\\.(gz|zip|xz|zst)");
  private static final Pattern UNFINISHED = Pattern.compile(".*\\.(tmp|delete)");

  private final Path activeFile;
  private final Path directory;
  private final boolean named;
  private final Pattern names;
  private final Pattern successors;
  private final boolean packs;
  private final long prefillBytes;
  private final RotationWindow window;
  private final int rotations;

  /** Creates a watch of a target's directory that ends after the given number of rotations. */
  public RotationWatch(LoadSpec.Target target, RotationWindow window, int rotations) {
    this.rotations = rotations;
    this.activeFile = Path.of(target.activeFile());
    this.directory = Path.of(target.directory());
    this.named = target.named();
    // the pattern of an appender that never rolls over is its file's name
    String pattern = Objects.requireNonNullElse(target.fileNamePattern(), target.activeFile());
    this.names = FileNames.stemsOf(pattern);
    this.successors = FileNames.of(pattern);
    this.packs = FileNames.arePacked(pattern);
    this.prefillBytes = target.prefillBytes();
    this.window = window;
  }

  /** Checks the directory once. */
  public void look() throws IOException {
    if (window.ended()) {
      return;
    }
    try {
      look(files());
    } catch (NoSuchFileException e) {
      return; // a file was deleted after it was listed; the next check sees the result
    }
  }

  private void look(List<Path> files) throws IOException {
    int archives = 0;
    int rolled = 0;
    boolean unfinished = false;
    boolean prefillActive = false;
    boolean prefillElsewhere = false;
    for (Path file : files) {
      String name = file.getFileName().toString();
      boolean active = file.equals(activeFile);
      boolean packed = ARCHIVE.matcher(name).matches();
      archives += packed && !active ? 1 : 0;
      unfinished |= UNFINISHED.matcher(name).matches();
      rolled += !packed && !active && isRolled(file) ? 1 : 0;
      if (!packed && isPrefill(file)) {
        prefillActive |= active;
        prefillElsewhere |= !active;
      }
    }
    boolean successor = !named && rolled > 0;
    long now = System.nanoTime();
    boolean moved = prefillElsewhere && !prefillActive;
    if (!window.begun() && (archives > 0 || unfinished || moved || successor)) {
      window.begin(now);
    }
    boolean reopened =
        window.begun() && (named ? !prefillActive && Files.exists(activeFile) : successor);
    if (reopened && !window.reopened()) {
      window.reopen(now);
    }
    boolean waits = named ? prefillElsewhere : prefillActive;
    boolean packedUp = !waits && archives >= rotations && !unfinished;
    boolean rolledUp = (prefillElsewhere || !named) && rolled >= rotations;
    if (reopened && (packs ? packedUp : rolledUp)) {
      window.end(now);
    }
  }

  /** Returns the files that belong to the log; other files in the tree are ignored. */
  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = Files.walk(directory)) {
      found.filter(Files::isRegularFile).filter(this::belongs).forEach(files::add);
    } catch (UncheckedIOException gone) {
      throw gone.getCause();
    }
    return files;
  }

  private boolean belongs(Path file) {
    return file.toString().startsWith(activeFile.toString())
        || names.matcher(file.toString()).lookingAt();
  }

  /** Returns whether a file is called like an archive, compressed or not. */
  private boolean isRolled(Path file) {
    return successors.matcher(file.toString()).matches();
  }

  private boolean isPrefill(Path file) throws IOException {
    return Files.size(file) >= prefillBytes;
  }
}
