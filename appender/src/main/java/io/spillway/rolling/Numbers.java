package io.spillway.rolling;

import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.compress.ArchiveNames.Kind;
import io.spillway.internal.disk.Disk;
import io.spillway.internal.metrics.Reports;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Which number a name gets, so that none is used twice: the next behind the highest that was used,
 * as far as is remembered, or else that a listing finds. What was used by files that retention has
 * deleted since, and a clock that steps back and forth, are remembered. Not thread-safe.
 */
final class Numbers {
  private static final int REMEMBERED = 1024;

  private final ArchivePattern pattern;
  private final ArchiveNames names;
  private final Disk files;
  private final Reports reports;
  private final Map<String, Integer> highest =
      new LinkedHashMap<>(64, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
          return size() > REMEMBERED;
        }
      };

  Numbers(ArchivePattern pattern, ArchiveNames names, Disk files, Reports reports) {
    this.pattern = pattern;
    this.names = names;
    this.files = files;
    this.reports = reports;
  }

  /** The highest index of a period, -1 if there is none; lists if that is not remembered. */
  int highestIndex(Instant date) throws IOException {
    String first = first(date);
    Integer known = highest.get(key(first));
    if (known == null) {
      known = listed(first, false);
      highest.put(key(first), known);
    }
    return known;
  }

  /** The same, after a look at what others did. */
  int highestIndexNow(Instant date) throws IOException {
    use(date, listed(first(date), false));
    return highestIndex(date);
  }

  /** Whether the highest index of a period is remembered. */
  boolean knows(Instant date) {
    return highest.containsKey(key(first(date)));
  }

  /** An index of a period is used. */
  void use(Instant date, int index) {
    raise(key(first(date)), index);
  }

  private void raise(String key, int number) {
    Integer known = highest.get(key);
    if (known == null || known < number) {
      highest.put(key, number);
    }
  }

  private String first(Instant date) {
    return pattern.stem(date, 0);
  }

  private static String key(String firstStem) {
    return "index of " + firstStem;
  }

  /** The stem of a period that was never used, or one behind it; for names without index. */
  String unused(String stem) throws IOException {
    boolean isNew = !highest.containsKey(stem);
    if (isNew && !names.isTaken(files, stem)) {
      highest.put(stem, 0); // whoever has taken its archive away may know it by that name
      return stem;
    }
    if (isNew || highest.get(stem) == 0) {
      highest.put(stem, listed(stem, true));
    }
    return free(stem);
  }

  /** A stem with a number behind it that is higher than all that are known; lists nothing. */
  String free(String stem) throws IOException {
    int number = pattern.partsOf(stem).freeNumber();
    String base = number == 0 ? stem : stem.substring(0, stem.lastIndexOf('.'));
    number = Math.max(number, highest.getOrDefault(base, 0));
    String free;
    do {
      number++;
      free = ArchivePattern.free(base, number);
    } while (names.isTaken(files, free));
    raise(base, number);
    reports.warn(
        "taken",
        "The name ["
            + names.archive(base)
            + "] is taken, or was used before, and nothing is overwritten: the next file becomes ["
            + names.archive(free)
            + "]. This happens when the clock steps back, or after a crash.");
    return free;
  }

  /** The highest number beside a stem, with the same dates: behind the name, or its index. */
  private int listed(String stem, boolean behind) throws IOException {
    Highest found = new Highest(pattern.partsOf(stem).withoutNumbers(), behind);
    if (pattern.hasIndexInDirectory()) { // then no listing of one directory can count
      names.walk(files, found);
      return found.number;
    }
    Set<Path> directories = new HashSet<>();
    for (Path path : names.all(stem)) {
      directories.add(path.getParent());
    }
    for (Path directory : directories) {
      try (DirectoryStream<Path> entries = files.list(directory)) {
        for (Path file : entries) {
          found.visit(file, names.kindOf(file), null);
        }
      } catch (NoSuchFileException | NotDirectoryException gone) {
        continue; // nothing in it
      } catch (DirectoryIteratorException e) {
        throw e.getCause();
      }
    }
    return found.number;
  }

  /** The highest number of the files that it is shown. */
  private final class Highest implements ArchiveNames.Visitor {
    private final String sought;
    private final boolean behind;
    private int number;

    Highest(String sought, boolean behind) {
      this.sought = sought;
      this.behind = behind;
      this.number = behind ? 0 : -1;
    }

    @Override
    public boolean visit(Path file, Kind kind, Disk.State state) {
      if (kind == Kind.RAW || kind == Kind.ARCHIVE) {
        ArchivePattern.Parts parts = pattern.partsOf(names.stemOf(file));
        if (parts != null && parts.withoutNumbers().equals(sought)) {
          number = Math.max(number, behind ? parts.freeNumber() : parts.index());
        }
      }
      return true;
    }
  }
}
