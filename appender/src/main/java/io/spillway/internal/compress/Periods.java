package io.spillway.internal.compress;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import ch.qos.logback.core.rolling.helper.SizeAndTimeBasedArchiveRemover;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The files of a pattern with dates: their names, those that are there, and the deletion of those
 * whose time is over. Names, periods and retention are Logback's; here they are matched against
 * what is on the disk.
 */
public final class Periods {
  private static final Pattern TOKEN = Pattern.compile("%[-.0-9]*(?:d(?:\\{[^}]*})?|i)");
  private static final String INDEX = String.valueOf(Integer.MAX_VALUE); // in a sample
  private static final String MORE = "(?:\\.\\d{1,9})?"; // of a name that was taken
  private static final long[] REPEATS = { // seconds: minute to week, a month, two kinds of years
    60, 3_600, 43_200, 86_400, 604_800, 2_678_400, 31_536_000, 31_622_400
  };

  private final Context context;
  private final String raw; // the pattern of rolled files
  private final String suffix; // of archives
  private final FileNamePattern names;
  private final FileNamePattern archives;
  private final RollingCalendar calendar;

  /** Creates the files of a pattern, which is given without the suffix of its archives. */
  public Periods(String rawPattern, String suffix, Context context) {
    this.context = context;
    this.raw = rawPattern;
    this.suffix = suffix;
    names = new FileNamePattern(raw, context);
    archives = new FileNamePattern(raw + suffix, context);
    DateTokenConverter<Object> date = names.getPrimaryDateTokenConverter();
    calendar =
        date.getZoneId() == null
            ? new RollingCalendar(date.getDatePattern())
            : new RollingCalendar(
                date.getDatePattern(), TimeZone.getTimeZone(date.getZoneId()), Locale.getDefault());
  }

  /** Returns whether names have an index. */
  public boolean isIndexed() {
    return names.hasIntegerTokenCOnverter();
  }

  /** Returns the name of a rolled file. */
  public String name(Instant date, int index) {
    return names.convertMultipleArguments(date, index);
  }

  /** Returns whether different periods have the same name, which Logback does not find of HH. */
  public boolean isRepeating() {
    Instant first = Instant.parse("2025-01-01T12:00:00Z");
    Instant next = calendar.getNextTriggeringDate(first);
    return Arrays.stream(REPEATS)
        .mapToObj(first::plusSeconds)
        .anyMatch(later -> !later.isBefore(next) && name(first, 0).equals(name(later, 0)));
  }

  /** Returns whether one period has several names, as an auxiliary date is finer. */
  public boolean isFinerThanItself(Instant now) {
    Instant begin = calendar.getEndOfNextNthPeriod(now, 0);
    Instant end = calendar.getNextTriggeringDate(begin).minusMillis(1);
    return !name(begin, 0).equals(name(end, 0));
  }

  /** Returns the index in a name of a period; 0 if there is none, -1 if it is of another period. */
  public int index(String name, Instant date) {
    Matcher matcher = matching(name(date, Integer.MAX_VALUE), "").matcher(name);
    return matcher.matches() ? index(matcher) : -1;
  }

  private static int index(Matcher matched) {
    return matched.groupCount() == 0 ? 0 : Integer.parseInt(matched.group(1));
  }

  /** Returns what matches names such as a sample, the index as a group. */
  private static Pattern matching(String sample, String more) {
    String[] literals = sample.split(INDEX, -1);
    StringBuilder regex = new StringBuilder(Pattern.quote(literals[0]));
    for (int i = 1; i < literals.length; i++) {
      regex.append(i == 1 ? "(\\d{1,9})" : "\\d{1,9}").append(Pattern.quote(literals[i]));
    }
    return Pattern.compile(regex + more);
  }

  /** Returns the highest index of a period on the disk, -1 if there is none. */
  public int highestIndex(Instant date) {
    Pattern all = inDirectory(date, "(?:" + Pattern.quote(suffix) + ")?");
    return list(date, all).stream().mapToInt(file -> index(all, file)).max().orElse(-1);
  }

  private static int index(Pattern names, Path file) {
    Matcher matcher = names.matcher(file.getFileName().toString());
    return matcher.matches() ? index(matcher) : 0;
  }

  /** Returns what matches the files of a period, without their directory. */
  private Pattern inDirectory(Instant date, String more) {
    String sample = name(date, Integer.MAX_VALUE);
    return matching(sample.substring(sample.lastIndexOf('/') + 1), MORE + more);
  }

  private List<Path> list(Instant date, Pattern matching) {
    Path directory = Path.of(name(date, 0)).toAbsolutePath().getParent();
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(file -> matching.matcher(file.getFileName().toString()).matches())
          .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
          .toList();
    } catch (IOException | UncheckedIOException none) {
      return List.of();
    }
  }

  /** What earlier runs left. */
  public record Left(List<Path> raws, List<Path> archives) {}

  /** Finds what earlier runs left, oldest first, and deletes parts. */
  public Left recover(ArchiveFiles files) throws IOException {
    Path root = Path.of(raw.substring(0, root()).isEmpty() ? "." : raw.substring(0, root()));
    List<Path> raws = new ArrayList<>();
    List<Path> whole = new ArrayList<>();
    if (!Files.isDirectory(root)) {
      return new Left(raws, whole);
    }
    String regex = regex(raw.substring(root()));
    Pattern rolled = Pattern.compile(regex + MORE);
    Pattern archive = Pattern.compile(regex + MORE + Pattern.quote(suffix));
    Pattern part = Pattern.compile(regex + ".*" + Pattern.quote(Archives.PART));
    Pattern tmp = Pattern.compile("(" + regex + ")-?\\d{6,}\\.tmp"); // Logback was killed there
    boolean isTold = !raw.endsWith("}") && !raw.endsWith("%d") && !raw.endsWith("%i");
    for (Path file : below(root)) {
      String name = root.relativize(file).toString().replace('\\', '/');
      Matcher ofLogback = tmp.matcher(name);
      if (part.matcher(name).matches()) {
        files.delete(file);
      } else if (isTold && ofLogback.matches() && !files.exists(root.resolve(ofLogback.group(1)))) {
        files.rename(file, root.resolve(ofLogback.group(1)));
        raws.add(root.resolve(ofLogback.group(1)));
      } else if (archive.matcher(name).matches()) {
        whole.add(file);
      } else if (rolled.matcher(name).matches()) {
        raws.add(file);
      }
    }
    Comparator<Path> byAge = Comparator.comparing(Periods::time);
    raws.sort(byAge);
    whole.sort(byAge);
    return new Left(raws, whole);
  }

  private static FileTime time(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException gone) {
      return FileTime.fromMillis(0);
    }
  }

  /** Returns the length of what all names begin with, up to a directory. */
  private int root() {
    Matcher token = TOKEN.matcher(raw);
    return raw.lastIndexOf('/', token.find() ? token.start() : raw.length()) + 1;
  }

  private List<Path> below(Path root) throws IOException {
    Path sample = Path.of(name(Instant.EPOCH, 0)).toAbsolutePath().normalize();
    int depth = sample.getNameCount() - root.toAbsolutePath().normalize().getNameCount();
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        Set.of(),
        depth,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
            boolean isGone = e instanceof NoSuchFileException; // rolled over meanwhile
            boolean isForeign = e instanceof AccessDeniedException; // lost+found of a volume
            if (!isGone && !isForeign) {
              throw e;
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  /** Returns what matches the names of all periods: a date is what Logback says it looks like. */
  private String regex(String pattern) {
    StringBuilder regex = new StringBuilder();
    Matcher token = TOKEN.matcher(pattern);
    int end = 0;
    while (token.find()) {
      regex.append(Pattern.quote(pattern.substring(end, token.start())));
      String date = new FileNamePattern(token.group(), context).toRegex();
      regex.append(token.group().endsWith("i") ? "\\d+" : date.replaceAll("\\{(\\d)}", "{$1,}"));
      end = token.end();
    }
    return regex + Pattern.quote(pattern.substring(end));
  }

  /** Returns a name in the directory of all names, which no other pattern has. */
  public Path listOfTaken() {
    String name = TOKEN.matcher(raw.substring(root())).replaceAll("_").replace('/', '_');
    return Path.of(raw.substring(0, root()) + name + ".taken");
  }

  /**
   * Logback's remover of old archives, on the compressor thread: which periods are over, and what a
   * cap leaves, is for Logback to say. It is told of names with a {@code .N} as well, not of the
   * active file, and of rolled files that wait only when their period is over.
   */
  public final class Retention {
    private final Archives of;
    private final int maxHistory;
    private final long totalSizeCap;
    private Remover remover;
    private Instant last = Instant.MIN;

    /** Creates the retention of archives; {@code totalSizeCap} 0 is no cap. */
    public Retention(Archives of, int maxHistory, long totalSizeCap) {
      this.of = of;
      this.maxHistory = maxHistory;
      this.totalSizeCap = totalSizeCap;
    }

    /** Asks for a clean as of a time. None is left out, as each reaches other periods. */
    public void ask(Instant now) {
      of.clean(() -> clean(now));
    }

    private void clean(Instant now) {
      if (now.isBefore(last) || remover == null) { // Logback's refuses a clock that was set back
        remover = new Remover();
        remover.setContext(new InPlace());
        remover.setMaxHistory(maxHistory);
        remover.setTotalSizeCap(totalSizeCap);
      }
      last = now;
      remover.cleanAsynchronously(now); // the only public way to the cap
    }

    private final class Remover extends SizeAndTimeBasedArchiveRemover {
      Remover() {
        super(archives, calendar);
      }

      @Override
      public void addInfo(String message) {}

      @Override
      public void addWarn(String message) {
        of.reports.warn("archive.retention", message);
      }

      @Override
      protected File[] getFilesInPeriod(Instant date) {
        return list(date, inDirectory(date, Pattern.quote(suffix))).stream()
            .filter(file -> !of.names.isActive(file))
            .map(Path::toFile)
            .toArray(File[]::new);
      }

      /** Newest first. */
      @Override
      protected void descendingSort(File[] files, Instant date) {
        Pattern all = inDirectory(date, Pattern.quote(suffix));
        Comparator<File> byIndex =
            Comparator.comparing(file -> index(all, Path.of(file.getPath())));
        Arrays.sort(files, byIndex.reversed());
      }

      @Override
      public void cleanPeriod(Instant date) {
        if (!suffix.isEmpty()) {
          list(date, inDirectory(date, "")).forEach(this::delete);
        }
        super.cleanPeriod(date);
      }

      private void delete(Path rolled) {
        synchronized (of) {
          try {
            if (!of.names.isActive(rolled)) {
              of.delete(rolled);
            }
          } catch (IOException e) {
            addWarn("Cannot delete [" + rolled + "]: " + e);
          }
        }
      }
    }
  }

  /** A context whose executor runs what it gets at once. */
  private static final class InPlace extends ContextBase {
    private final ExecutorService executor =
        (ExecutorService)
            Proxy.newProxyInstance(
                Periods.class.getClassLoader(),
                new Class<?>[] {ExecutorService.class},
                (proxy, method, arguments) -> {
                  if (arguments != null && arguments[0] instanceof Runnable task) {
                    task.run();
                  }
                  return CompletableFuture.completedFuture(null);
                });

    @Override
    public ExecutorService getAlternateExecutorService() {
      return executor;
    }
  }
}
