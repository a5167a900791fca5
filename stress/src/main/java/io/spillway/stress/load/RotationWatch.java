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
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Sees a rotation by looking at the log directory, so that it works for any appender. The rotation
 * begins when an archive appears or the prefilled file leaves its name; it is over when the
 * prefilled file is gone, nothing half-written is left, and there is an active file again. A {@code
 * .part} says neither: the active file may be archived while it is written, and who writes one
 * keeps the rolled file until it is whole. The prefilled file is known by its length: its inode
 * number may be taken over by its successor. A file that is called like an archive from the
 * beginning has none; then a file like it that comes after it is the active one. Several rotations
 * are one that lasts until there are as many archives, or rolled files if none is compressed.
 */
public final class RotationWatch {

  static final Pattern ARCHIVE = Pattern.compile(".*\\.(gz|zip|xz|zst)");
  private static final Pattern UNFINISHED = Pattern.compile(".*\\.(tmp|delete)");

  private final Path activeFile;
  private final Path directory;
  private final boolean named;
  private final Pattern names; // null for every file
  private final Pattern successors;
  private final boolean packs;
  private final long prefillBytes;
  private final RotationWindow window;
  private final int rotations;

  /** Watches the directory of a target until it has rolled over so many times. */
  public RotationWatch(LoadSpec.Target target, RotationWindow window, int rotations) {
    this.rotations = rotations;
    this.activeFile = Path.of(target.activeFile());
    this.directory = Path.of(target.directory());
    this.names =
        target.fileNamePattern() == null ? null : FileNames.stemsOf(target.fileNamePattern());
    this.named = target.named();
    this.successors =
        target.fileNamePattern() == null ? null : FileNames.of(target.fileNamePattern());
    this.packs = target.fileNamePattern() == null || FileNames.arePacked(target.fileNamePattern());
    this.prefillBytes = target.prefillBytes();
    this.window = window;
  }

  /** Looks once. */
  public void look() throws IOException {
    if (window.ended()) {
      return;
    }
    try {
      look(files());
    } catch (NoSuchFileException e) {
      return; // gone between being listed and being looked at: a better time will come
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

  /** Of a crowded tree, only those that belong to the active file. */
  private List<Path> files() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> found = names == null ? Files.list(directory) : Files.walk(directory)) {
      found.filter(Files::isRegularFile).filter(this::belongs).forEach(files::add);
    } catch (UncheckedIOException gone) {
      throw gone.getCause();
    }
    return files;
  }

  private boolean belongs(Path file) {
    return names == null
        || file.equals(activeFile)
        || FileNames.isRolled(file, activeFile)
        || names.matcher(file.toString()).lookingAt();
  }

  /** Or, without a name of its own, one that came after the active file of the beginning. */
  private boolean isRolled(Path file) {
    return successors != null && successors.matcher(file.toString()).matches()
        || FileNames.isRolled(file, activeFile);
  }

  private boolean isPrefill(Path file) throws IOException {
    return Files.size(file) >= prefillBytes;
  }
}
