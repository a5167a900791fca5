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
 * Chooses the number of a name, so that no name is used twice: one more than the highest number
 * used, which is remembered for the last 1,024 periods or stems and otherwise read from a directory
 * listing. Numbers of files that retention has deleted, and of periods that a stepping clock enters
 * again, are remembered. Not thread-safe.
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

  /** Returns the highest index of a period, -1 if there is none; lists if it is not remembered. */
  int highestIndex(Instant date) throws IOException {
    String first = first(date);
    Integer known = highest.get(key(first));
    if (known == null) {
      known = listed(first, false);
      highest.put(key(first), known);
    }
    return known;
  }

  /** Returns the highest index of a period after a new listing, which shows others' files. */
  int highestIndexNow(Instant date) throws IOException {
    use(date, listed(first(date), false));
    return highestIndex(date);
  }

  /** Returns whether the highest index of a period is remembered. */
  boolean knows(Instant date) {
    return highest.containsKey(key(first(date)));
  }

  /** Records that an index of a period is used. */
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

  /** Returns a stem, with a free number if it was used before; for names without index. */
  String unused(String stem) throws IOException {
    boolean isNew = !highest.containsKey(stem);
    if (isNew && !names.isTaken(files, stem)) {
      highest.put(stem, 0); // a program that moved its archive may know it by that name
      return stem;
    }
    if (isNew || highest.get(stem) == 0) {
      highest.put(stem, listed(stem, true));
    }
    return free(stem);
  }

  /** Returns a stem with a free number higher than all remembered ones; lists no directory. */
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

  /** Lists names with the dates of a stem; returns their highest free number, or index. */
  private int listed(String stem, boolean behind) throws IOException {
    Highest found = new Highest(pattern.partsOf(stem).withoutNumbers(), behind);
    if (pattern.hasIndexInDirectory()) { // no listing of one directory shows all
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

  /** Keeps the highest number of the files that a walk shows. */
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
