package io.spillway.rolling;

import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import io.spillway.internal.compress.ArchiveNames;
import io.spillway.internal.compress.ArchiveNames.Kind;
import io.spillway.internal.disk.Disk;
import io.spillway.rolling.ArchivePattern.Parts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Deletes files that exceed {@code maxHistory} or {@code totalSizeCap}, as Logback does. Rolled
 * files that wait for the compressor expire like archives, and count towards the total once they
 * are archives. Called on the compressor's thread, so that the compressor uses no file meanwhile.
 */
final class Retention {
  private final TimeBasedRollingPolicy<?> policy;
  private final Ages ages;
  private final int maxHistory;
  private final long capBytes;
  private volatile Instant asOf; // time of the last rollover, null before the first
  private volatile Instant since; // time of the first rollover; files expired since are deleted

  /** An existing file; {@code underWay} if it is a rolled file whose archive is being written. */
  private record Found(Path file, long bytes, Parts parts, boolean raw, boolean underWay) {}

  /** A file that is kept, and its age in periods. */
  private record Kept(Found found, int age) implements Comparable<Kept> {
    /** Orders the newest first. */
    @Override
    public int compareTo(Kept other) {
      if (age != other.age) {
        return Integer.compare(age, other.age);
      }
      Parts parts = found.parts;
      Parts others = other.found.parts;
      return parts.index() != others.index()
          ? Integer.compare(others.index(), parts.index())
          : Integer.compare(others.freeNumber(), parts.freeNumber());
    }
  }

  /**
   * Creates the retention of a policy.
   *
   * @param maxHistory number of periods kept before the current one
   * @param capBytes most bytes of all archives, 0 for no bound
   */
  Retention(TimeBasedRollingPolicy<?> policy, int maxHistory, long capBytes) {
    this.policy = policy;
    this.ages = new Ages(policy.pattern(), maxHistory);
    this.maxHistory = maxHistory;
    this.capBytes = capBytes;
  }

  /** Records a rollover: from now on, files that have expired at this time are deleted. */
  void rolledOver(long nowMillis) {
    Instant now = Instant.ofEpochMilli(nowMillis);
    if (since == null || now.isBefore(since)) {
      since = now;
    }
    asOf = now; // written last: a thread that sees it also sees since
  }

  /**
   * Deletes the files that had expired at the last rollover, as Logback does, however late the
   * compressor is.
   *
   * @throws IOException if a directory cannot be listed; files of other directories are deleted
   *     before it is thrown
   */
  void enforce() throws IOException {
    Instant now = asOf;
    if (now == null) {
      return;
    }
    Finder finder = new Finder();
    IOException failure = null;
    try {
      policy.names().walk(policy.files, finder);
    } catch (IOException e) {
      failure = e; // a partial listing makes no file older and no total larger
    }
    enforce(finder.rolled(), now);
    if (failure != null) {
      throw failure;
    }
  }

  private void enforce(List<Found> found, Instant now) {
    Set<String> names = new HashSet<>();
    for (Found file : found) {
      names.add(file.parts().withoutNumbers());
    }
    Map<String, Integer> known = ages.of(names, now, since);
    List<Kept> kept = new ArrayList<>();
    int expired = 0;
    for (Found file : found) {
      Integer age = known.get(file.parts().withoutNumbers());
      if (age != null && age > maxHistory) {
        expired += delete(file) ? 1 : 0;
      } else if (age != null) {
        kept.add(new Kept(file, age));
      }
    }
    report(expired, "maxHistory", maxHistory);
    if (capBytes > 0) {
      cap(kept);
    }
  }

  /** Collects the files that retention counts. */
  private final class Finder implements ArchiveNames.Visitor {
    private final List<Found> found = new ArrayList<>();

    List<Found> rolled() {
      Set<Path> written = policy.written();
      List<Found> rolled = new ArrayList<>();
      for (Found file : found) {
        if (!written.contains(file.file())) {
          rolled.add(file);
        }
      }
      return rolled;
    }

    @Override
    public boolean visit(Path file, Kind kind, Disk.State state) {
      policy.archiver().progressed();
      if (kind == Kind.RAW || kind == Kind.ARCHIVE) {
        Parts parts = policy.pattern().partsOf(policy.names().stemOf(file));
        boolean raw = kind == Kind.RAW;
        if (parts != null) {
          boolean underWay = raw && policy.archiver().isArchiving(file);
          found.add(new Found(file, state.bytes(), parts, raw, underWay));
        }
      }
      return true;
    }
  }

  /**
   * Deletes the oldest files above the cap. A rolled file that waits does not count: its archive
   * takes a fraction of its size, and a burst of rolled files would delete most archives although
   * the archives of the burst have room beside them. A waiting file is deleted if newer archives
   * alone exceed the cap, as its archive would be.
   */
  private void cap(List<Kept> kept) {
    kept.sort(null);
    long total = 0;
    int deleted = 0;
    for (Kept file : kept) {
      total += file.found().raw() ? 0 : file.found().bytes();
      if (total > capBytes) {
        deleted += delete(file.found()) ? 1 : 0;
      }
    }
    report(deleted, "totalSizeCap", capBytes);
  }

  private void report(int deleted, String setting, long value) {
    if (deleted > 0) {
      policy.reports.info(
          "retention." + setting,
          "Deleted " + deleted + " files, since [" + setting + "] is [" + value + "].");
    }
  }

  /**
   * Deletes a file and its empty directories. A file under way is deleted once it is archived,
   * which is soon; its directory is in use until then.
   */
  private boolean delete(Found found) {
    if (found.underWay()) {
      return false;
    }
    Path file = found.file();
    boolean deleted = true;
    try {
      Path done = policy.discard(file);
      if (done == null) { // a clock step has made it the active file since it was listed
        return false;
      }
      Files.deleteIfExists(done);
    } catch (NoSuchFileException gone) { // another process has deleted it since it was listed
      deleted = false;
    } catch (IOException e) {
      policy.reports.failure(
          "retention",
          "Cannot delete ["
              + file
              + "], which is too old or too much; trying again later. To do: check that its"
              + " directory is writable and its disk is healthy.",
          e);
      return false;
    }
    if (policy.pattern().hasNestedDirectories()) {
      removeEmptyAbove(file);
    }
    return deleted;
  }

  private void removeEmptyAbove(Path file) {
    Path root = policy.names().rootOf(file);
    Path directory = file.getParent();
    try {
      while (!directory.equals(root) && policy.files.removeIfEmpty(directory)) {
        directory = directory.getParent();
      }
    } catch (IOException e) { // the file itself is deleted
      policy.reports.warn(
          "retention.directory",
          "Cannot remove the empty directory [" + directory + "]: " + e + ". To do: remove it.");
    }
  }

  /**
   * Finds how many periods ago a name was made. A period counts only if the pattern prints that
   * name for it, so that no file is ever taken for older than it is. The date in the name tells
   * which periods are tried; if it cannot be read, every period is tried, back from now. Used by
   * one thread.
   */
  static final class Ages {
    /** How far beyond maxHistory the first clean looks, as in Logback; older files stay. */
    private static final Duration LOOKED_BACK = Duration.ofDays(32);

    private static final int MOST_LOOKED_BACK = 14 * 24; // in periods, as in Logback

    /**
     * How many periods beyond {@code maxHistory} are searched at most. Cleans after the first look
     * back at least as far, and also reach what has expired since the first rollover.
     */
    private static final int MOST_SEARCHED = 10_000;

    /** The greatest age of a name that was in the future at its last search without success. */
    private static final int AGED = 1;

    private static final int LONGEST_HISTORY = 1_000_000; // periods searched at most

    /** By how many periods a count of periods may be wrong, for example when clocks change. */
    private static final int NEAR = 3;

    private static final Pattern QUOTED = Pattern.compile("'[^']*'");
    private static final Pattern NUMBERS =
        Pattern.compile("(?=.*[yu])(?:[yuMdHms]|[^\\p{Alpha}'])*");

    private final ArchivePattern pattern;
    private final Periods periods;
    private final Dates dates; // null if they cannot be read
    private final int maxHistory;
    private final Set<String> unknown = new HashSet<>(); // searched before, not found
    private Instant last = Instant.MIN;

    Ages(ArchivePattern pattern, int maxHistory) {
      this.pattern = pattern;
      this.periods = Periods.of(pattern.primaryDate());
      this.dates = Dates.of(pattern.primaryDate());
      this.maxHistory = maxHistory;
    }

    /**
     * Returns the ages of names in periods; unknown names are left out.
     *
     * @param names as {@link ArchivePattern.Parts#withoutNumbers}
     * @param since the time of the first rollover, however late its clean is
     */
    Map<String, Integer> of(Collection<String> names, Instant now, Instant since) {
      long beyond = beyond(now, since);
      if (dates != null) {
        return read(names, now, Math.min(maxHistory + beyond, Integer.MAX_VALUE));
      }
      forgetAfterStep(now);
      Set<String> sought = new HashSet<>(names);
      unknown.retainAll(sought);
      Map<String, Integer> ages = new HashMap<>();
      int wanted = sought.size() - unknown.size();
      long last = Math.min(maxHistory, LONGEST_HISTORY) + Math.min(beyond, MOST_SEARCHED);
      for (int age = 0; age <= last && (wanted > 0 || age <= AGED); age++) {
        String name = name(now, age);
        if (sought.contains(name) && ages.putIfAbsent(name, age) == null && !unknown.remove(name)) {
          wanted--;
        }
      }
      sought.removeAll(ages.keySet());
      unknown.addAll(sought);
      return ages;
    }

    /** Reads the ages from the names' dates; the cost does not depend on the number of periods. */
    private Map<String, Integer> read(Collection<String> names, Instant now, long last) {
      Map<String, Integer> ages = new HashMap<>();
      for (String name : names) {
        for (Instant date : dates.read(pattern.dateOf(name))) {
          int age = ageOf(name, date, now, last);
          if (age >= 0) {
            ages.put(name, age);
            break;
          }
        }
      }
      return ages;
    }

    /** Returns the age of a name by its date; -1 if no period near that date prints it. */
    private int ageOf(String name, Instant date, Instant now, long last) {
      long about = between(date, now);
      long end = Math.min(about + NEAR, last);
      for (long age = Math.max(0, about - NEAR); age <= end; age++) {
        if (name.equals(name(now, (int) age))) {
          return (int) age;
        }
      }
      return -1;
    }

    private long between(Instant date, Instant now) {
      return date.isAfter(now) ? 0 : periods.between(date, now);
    }

    private String name(Instant now, int age) {
      return pattern.partsOf(pattern.stem(periods.before(now, age), 1)).withoutNumbers();
    }

    /** Returns how many periods beyond {@code maxHistory} a clean looks back. */
    private long beyond(Instant now, Instant since) {
      Instant first = now.isBefore(since) ? now : since;
      long back = Math.min(periods.between(now, now.plus(LOOKED_BACK)), MOST_LOOKED_BACK);
      return back + periods.between(first, now);
    }

    /** Forgets unknown names after a clock step: a name of the future may be in the past now. */
    private void forgetAfterStep(Instant now) {
      if (now.isBefore(last) || last == Instant.MIN || now.isAfter(periods.before(last, -2))) {
        unknown.clear();
      }
      last = now;
    }

    /** Reads dates that a pattern of numbers has printed. */
    private static final class Dates {
      private final DateTimeFormatter format;
      private final ZoneId zone;

      private Dates(DateTimeFormatter format, ZoneId zone) {
        this.format = format;
        this.zone = zone;
      }

      /** Returns null if the pattern has names of months, half days, weeks or parts of a second. */
      static Dates of(DateTokenConverter<?> token) {
        String letters = QUOTED.matcher(token.getDatePattern()).replaceAll("");
        if (!NUMBERS.matcher(letters).matches() || letters.contains("MMM")) {
          return null;
        }
        DateTimeFormatter format =
            new DateTimeFormatterBuilder()
                .appendPattern(token.getDatePattern())
                .parseDefaulting(ChronoField.MONTH_OF_YEAR, 1)
                .parseDefaulting(ChronoField.DAY_OF_MONTH, 1)
                .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
                .parseDefaulting(ChronoField.MINUTE_OF_HOUR, 0)
                .parseDefaulting(ChronoField.SECOND_OF_MINUTE, 0)
                .toFormatter(Locale.getDefault());
        ZoneId zone = token.getZoneId();
        return new Dates(format, zone == null ? ZoneId.systemDefault() : zone);
      }

      /** Returns a date's instants, the later first if it occurs twice; none for a 13th month. */
      List<Instant> read(String text) {
        if (text == null) {
          return List.of();
        }
        try {
          ZonedDateTime date = LocalDateTime.from(format.parse(text)).atZone(zone);
          return List.of(date.withLaterOffsetAtOverlap().toInstant(), date.toInstant());
        } catch (DateTimeException none) {
          return List.of();
        }
      }
    }
  }
}
