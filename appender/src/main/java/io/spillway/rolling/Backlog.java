package io.spillway.rolling;

import io.spillway.compress.ArchiveNames;
import io.spillway.compress.ArchiveNames.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The oldest rolled files that wait to be archived, an index of what lies in the directory, so that
 * asking for the next one lists nothing. What does not fit in is found again by listing. Added to
 * by the thread that rolls over, asked by the compressor's.
 */
final class Backlog {
  private static final int LIMIT = 10_000;

  private final Moves moves;
  private final Set<Path> waiting = new LinkedHashSet<>(); // guarded by this
  private boolean incomplete; // guarded by this; first set when the start's sweep is through

  private record Dated(Path file, FileTime time) {
    static final Comparator<Dated> BY_AGE =
        Comparator.comparing(Dated::time).thenComparing(Dated::file);
  }

  Backlog(Moves moves) {
    this.moves = moves;
  }

  /** One more, the newest. */
  synchronized void add(Path raw) {
    if (waiting.size() < LIMIT) {
      waiting.add(raw);
    } else {
      incomplete = true;
    }
  }

  /** Others may have appeared. */
  synchronized void listAgain() {
    incomplete = true;
  }

  /** The oldest that may be taken, or null. */
  Path next(ArchiveNames names, Predicate<Path> usable) throws IOException {
    Path next = firstOf(usable);
    if (next == null && isToBeListed()) {
      try {
        list(names);
      } catch (IOException e) {
        listAgain();
        throw e;
      }
      next = firstOf(usable);
    }
    return next;
  }

  private synchronized boolean isToBeListed() {
    boolean list = incomplete;
    incomplete = false;
    return list;
  }

  private Path firstOf(Predicate<Path> usable) {
    List<Path> known;
    synchronized (this) {
      for (Iterator<Path> all = waiting.iterator(); all.hasNext(); ) {
        if (!moves.exists(all.next())) {
          all.remove(); // archived, or under another name now
        }
      }
      known = List.copyOf(waiting);
    }
    return known.stream().filter(usable).findFirst().orElse(null);
  }

  private void list(ArchiveNames names) throws IOException {
    PriorityQueue<Dated> oldest = new PriorityQueue<>(Dated.BY_AGE.reversed());
    boolean[] tooMany = {false};
    names.walk(
        (file, kind, bytes) -> {
          if (kind == Kind.RAW) {
            FileTime time = modified(file);
            if (time != null) {
              oldest.add(new Dated(file, time));
            }
            if (oldest.size() > LIMIT) {
              oldest.remove();
              tooMany[0] = true;
            }
          }
          return true;
        });
    List<Dated> found = new ArrayList<>(oldest);
    found.sort(Dated.BY_AGE);
    synchronized (this) {
      List<Path> newer = List.copyOf(waiting);
      waiting.clear();
      found.forEach(raw -> waiting.add(raw.file()));
      waiting.addAll(newer);
      incomplete |= tooMany[0];
    }
  }

  private static FileTime modified(Path file) throws IOException {
    try {
      return Files.getLastModifiedTime(file);
    } catch (NoSuchFileException gone) {
      return null;
    }
  }
}
