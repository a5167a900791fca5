package io.spillway.rolling;

import io.spillway.compress.ArchiveNames;
import io.spillway.compress.ArchiveNames.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** Finds used numbers by listing: at start, and when the clock re-enters an unknown period. */
final class NameSearch {
  private final ArchivePattern pattern;
  private final Places places;
  private final Moves moves;

  NameSearch(ArchivePattern pattern, Places places, Moves moves) {
    this.pattern = pattern;
    this.places = places;
    this.moves = moves;
  }

  /** The highest index beside a stem, with the same dates; -1 if there is none. */
  int highestIndex(String stem) throws IOException {
    return highest(stem, ArchivePattern.Parts::index, -1);
  }

  /** The highest free number of a stem; 0 if there is none. */
  int highestFreeNumber(String stem) throws IOException {
    return highest(stem, ArchivePattern.Parts::freeNumber, 0);
  }

  private int highest(String stem, ToIntFunction<ArchivePattern.Parts> number, int none)
      throws IOException {
    String sought = pattern.partsOf(stem).withoutNumbers();
    ArchiveNames names = places.names();
    int[] highest = {none};
    if (pattern.hasIndexInDirectory()) { // then no listing of one directory can count
      names.walk(
          (file, kind, bytes) -> {
            count(file, kind, sought, number, highest);
            return true;
          });
      return highest[0];
    }
    Set<Path> directories =
        places.all(stem).stream().map(Path::getParent).collect(Collectors.toSet());
    for (Path directory : directories) {
      moves.list(directory, file -> count(file, names.kindOf(file), sought, number, highest));
    }
    return highest[0];
  }

  private void count(
      Path file,
      Kind kind,
      String sought,
      ToIntFunction<ArchivePattern.Parts> number,
      int[] highest) {
    if (kind == Kind.RAW || kind == Kind.ARCHIVE) {
      ArchivePattern.Parts parts = pattern.partsOf(places.stemOf(file));
      if (parts != null && parts.withoutNumbers().equals(sought)) {
        highest[0] = Math.max(highest[0], number.applyAsInt(parts));
      }
    }
  }
}
