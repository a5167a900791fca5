package io.spillway.rolling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;

/** Removes the directories that rolled files leave behind in a staging directory. */
final class StagingCleaner {
  private final Places places;
  private final Moves moves;
  private final Lock lock;

  StagingCleaner(Places places, Moves moves, Lock lock) {
    this.places = places;
    this.moves = moves;
    this.lock = lock;
  }

  /** Removes what is empty. */
  void clean() throws IOException {
    if (places.isStaged()) {
      clean(places.rawRoot());
    }
  }

  private void clean(Path directory) throws IOException {
    List<Path> nested = new ArrayList<>();
    moves.list(
        directory,
        entry -> {
          if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
            nested.add(entry);
          }
        });
    for (Path inner : nested) {
      clean(inner);
    }
    lock.lock(); // else a rollover that has just created it would miss it
    try {
      moves.removeIfEmpty(directory);
    } finally {
      lock.unlock();
    }
  }
}
