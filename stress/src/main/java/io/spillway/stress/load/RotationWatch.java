package io.spillway.stress.load;

import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.verify.FileNames;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
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
 * files are not compressed. The parent process is told of its beginning and its end.
 */
final class RotationWatch {

  private static final Pattern ARCHIVE = Pattern.compile(".*\\.(gz|zip|xz|zst)");
  private static final Pattern UNFINISHED = Pattern.compile(".*\\.(tmp|delete)");

  private final LoadSpec.Target target;
  private final Path activeFile;
  private final Pattern names;
  private final Pattern successors;
  private final boolean packs;
  private final RotationWindow window;
  private final int rotations;
  private boolean reopened; // the active file is another one, which may grow as large

  RotationWatch(LoadSpec.Target target, RotationWindow window, int rotations) {
    this.target = target;
    this.rotations = rotations;
    this.activeFile = Path.of(target.activeFile());
    // the pattern of an appender that never rolls over is its file's name
    String pattern = Objects.requireNonNullElse(target.fileNamePattern(), target.activeFile());
    this.names = FileNames.stemsOf(pattern);
    this.successors = FileNames.of(pattern);
    this.packs = FileNames.arePacked(pattern);
    this.window = window;
  }

  /** Checks the directory once. */
  void look() throws IOException {
    if (window.ended()) {
      return;
    }
    try (Stream<Path> found = Files.walk(Path.of(target.directory()))) {
      look(found.filter(Files::isRegularFile).filter(this::belongs).toList());
    } catch (NoSuchFileException | UncheckedIOException e) {
      return; // a file was deleted after it was listed; the next check sees the result
    }
  }

  /** Returns whether a file belongs to the log; other files in the tree are ignored. */
  private boolean belongs(Path file) {
    return file.toString().startsWith(target.activeFile())
        || names.matcher(file.toString()).lookingAt();
  }

  private void look(List<Path> files) throws IOException {
    int archives = 0;
    int rolled = 0;
    boolean unfinished = false;
    boolean prefillActive = false;
    boolean prefillElsewhere = false;
    for (Path file : files) {
      String name = file.toString();
      boolean active = file.equals(activeFile);
      boolean packed = ARCHIVE.matcher(name).matches();
      archives += packed && !active ? 1 : 0;
      unfinished |= UNFINISHED.matcher(name).matches();
      rolled += !packed && !active && successors.matcher(name).matches() ? 1 : 0;
      if (!packed && Files.size(file) >= target.prefillBytes()) {
        prefillActive |= active;
        prefillElsewhere |= !active;
      }
    }
    boolean named = target.named();
    boolean successor = !named && rolled > 0;
    long now = System.nanoTime();
    boolean moved = prefillElsewhere && !prefillActive;
    if (!window.begun() && (archives > 0 || unfinished || moved || successor)) {
      window.begin(now);
      Child.say(Child.ROTATION_BEGAN);
    }
    reopened |= window.begun() && (named ? !prefillActive && Files.exists(activeFile) : successor);
    boolean waits = named ? prefillElsewhere : prefillActive;
    boolean packedUp = !waits && archives >= rotations && !unfinished;
    boolean rolledUp = (prefillElsewhere || !named) && rolled >= rotations;
    if (reopened && (packs ? packedUp : rolledUp)) {
      window.end(now);
      Child.say(Child.ROTATION_ENDED);
    }
  }
}
