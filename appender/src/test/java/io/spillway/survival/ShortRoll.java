package io.spillway.survival;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.ArchivingPolicy;
import io.spillway.rolling.FixedWindowRollingPolicy;
import io.spillway.rolling.SizeAndTimeBasedRollingPolicy;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import io.spillway.testkit.Shortage;
import io.spillway.testkit.Subject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * Memory is short while files are rolled over and compressed. Each event is in one archive or in
 * the active file, in order, and nothing half done stays there once there is memory again.
 */
final class ShortRoll implements AutoCloseable {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final Pattern ARCHIVE = Pattern.compile("app\\.(?:\\d{8}\\.)?(\\d+)\\.log\\.gz");
  private static final String LIST = "app.log.taken"; // by the archive listener
  private static final int BURST = 20;

  private final ShortageChild.Case of;
  private final Path directory;
  private final LoggerContext context = Subject.newContext();
  private final Logger logger = context.getLogger("test");
  private final SpillwayRollingFileAppender<ILoggingEvent> appender =
      new SpillwayRollingFileAppender<>();
  private final Set<Path> given = ConcurrentHashMap.newKeySet(); // to an archive listener
  private ArchivingPolicy policy;

  ShortRoll(ShortageChild.Case of, Path directory) {
    this.of = of;
    this.directory = directory;
  }

  /** In a directory of its own. */
  static void run(ShortageChild.Case of, Path directory) throws Exception {
    Files.createDirectories(directory);
    try (ShortRoll roll = new ShortRoll(of, directory)) {
      roll.start();
      roll.log(0, 3 * BURST);
      of.begin();
      roll.onThread(3 * BURST, of.scenario.events);
      Shortage.end();
      roll.onThread(of.scenario.events, of.scenario.events + 2 * BURST);
      roll.check();
    }
    try (ShortRoll next = new ShortRoll(of, directory)) { // what is left is not mistaken for more
      List<String> before = next.lines();
      next.start();
      next.appender.awaitDelivered(Duration.ofSeconds(10));
      next.await(() -> next.policy.getArchiveMetrics().backlogFiles() == 0);
      of.wrongIf(!next.lines().equals(before), "the next start changes what is there");
      of.wrongIf(next.appender.getMetrics().getLost() > 0, "the next start loses some");
    }
  }

  private boolean isWindow() {
    return of.scenario == ShortageChild.Scenario.ROLL_WINDOW;
  }

  private void start() {
    appender.setContext(context);
    appender.setName("ROLLS");
    appender.setMaxFlushTime("10 minutes");
    appender.setSpillDirectory(directory.resolve("spill").toString());
    appender.setMemoryBuffer("64 KB");
    if (of.scenario != ShortageChild.Scenario.ROLL_NAMED) {
      appender.setFile(directory.resolve("app.log").toString());
    }
    if (of.scenario == ShortageChild.Scenario.ROLL_CONTINUOUS) {
      appender.setCompression("CONTINUOUS");
    }
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    appender.setEncoder(encoder);
    RollingPolicy rolling = isWindow() ? window() : sized();
    rolling.setParent(appender);
    appender.setRollingPolicy(rolling);
    policy = (ArchivingPolicy) rolling;
    policy.setContext(context);
    policy.start();
    appender.setTriggeringPolicy(triggering());
    appender.start();
    of.wrongIf(!appender.isStarted(), "not started");
    logger.addAppender(appender);
  }

  private FixedWindowRollingPolicy window() {
    FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
    window.setFileNamePattern(directory.resolve("app.%i.log.gz").toString());
    window.setMinIndex(1).setMaxIndex(21);
    return window;
  }

  private SizeAndTimeBasedRollingPolicy<ILoggingEvent> sized() {
    SizeAndTimeBasedRollingPolicy<ILoggingEvent> sized = new SizeAndTimeBasedRollingPolicy<>();
    sized.setFileNamePattern(directory.resolve("app.%d{yyyyMMdd}.%i.log.gz").toString());
    sized.setMaxFileSize("10KB");
    sized.setMaxHistory("100");
    if (of.scenario == ShortageChild.Scenario.ROLL_LISTENED) {
      sized.setArchiveListener(given::add);
    }
    return sized;
  }

  @SuppressWarnings("unchecked")
  private TriggeringPolicy<ILoggingEvent> triggering() {
    if (!isWindow()) {
      return (TriggeringPolicy<ILoggingEvent>) policy;
    }
    SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize("10KB");
    size.start();
    return size;
  }

  private void onThread(int begin, int end) throws InterruptedException {
    Thread thread = new Thread(() -> log(begin, end), "app-1");
    thread.setDaemon(true);
    thread.start();
    thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
    of.wrongIf(thread.isAlive(), "log calls wait: " + List.of(thread.getStackTrace()));
  }

  /** In bursts, each of which is written before the next one if that can be had soon. */
  private void log(int begin, int end) {
    for (int i = begin; i < end; i++) {
      of.log(logger, i);
      if (i % BURST == 0) {
        for (int look = 0; look < 20 && appender.getMetrics().getPending() > 0; look++) {
          LockSupport.parkNanos(100_000);
        }
      }
    }
  }

  private void check() {
    SpillwayMetrics metrics = appender.getMetrics();
    await(() -> metrics.getPending() == 0);
    of.wrongIf(metrics.getPending() > 0, "pending " + metrics.getPending());
    await(() -> policy.getArchiveMetrics().backlogFiles() == 0 && unfinished().isEmpty());
    of.wrongIf(!unfinished().isEmpty(), "unfinished: " + unfinished());
    if (of.scenario == ShortageChild.Scenario.ROLL_LISTENED) {
      boolean done = await(this::isGivenAndListed);
      of.wrongIf(!done, given.size() + " given of " + archives() + policy.getArchiveMetrics());
    }
    List<String> lines = lines();
    long different = lines.stream().distinct().count();
    of.wrongIf(lines.size() > different, lines.size() - different + " twice");
    of.wrongIf(
        lines.size() != metrics.getDelivered(),
        lines.size() + " lines, delivered " + metrics.getDelivered());
    of.wrongIf(
        metrics.getAccepted() != metrics.getDelivered() + metrics.getLost(),
        "accepted " + metrics.getAccepted());
    Numbers found = Numbers.of(lines);
    of.wrongIf(found.disorder() > 0, found.disorder() + " out of order");
    long missing = 0;
    for (int i = 0; i < of.scenario.events + 2 * BURST; i++) {
      missing += of.hasReturned(i) && !found.seen().get(i) ? 1 : 0;
    }
    of.wrongIf(
        missing > metrics.getLost() + metrics.getDropped(),
        missing + " missing, " + metrics.getLossByCause());
    of.wrongIf(!of.hasBeenShort() && archives().isEmpty(), "nothing was rolled over");
  }

  private boolean await(BooleanSupplier condition) {
    long start = System.nanoTime();
    boolean done = condition.getAsBoolean();
    while (!done && System.nanoTime() - start < PATIENCE_NANOS) {
      LockSupport.parkNanos(500_000);
      done = condition.getAsBoolean();
    }
    return done;
  }

  private List<Path> files() {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> names(List<Path> files) {
    return files.stream().map(file -> file.getFileName().toString()).toList();
  }

  /** From the oldest to the newest. */
  private List<Path> archives() {
    List<Path> archives = new ArrayList<>();
    files().stream()
        .filter(file -> ARCHIVE.matcher(file.getFileName().toString()).matches())
        .sorted(Comparator.comparingInt(ShortRoll::index))
        .forEach(archives::add);
    if (isWindow()) {
      Collections.reverse(archives);
    }
    return archives;
  }

  private static int index(Path archive) {
    Matcher name = ARCHIVE.matcher(archive.getFileName().toString());
    return name.matches() ? Integer.parseInt(name.group(1)) : -1;
  }

  private Path active() {
    return Path.of(policy == null ? "" : policy.getActiveFileName());
  }

  /** What is neither an archive nor the active file. */
  private List<String> unfinished() {
    List<Path> rest = new ArrayList<>(files());
    rest.removeAll(archives());
    rest.remove(active());
    rest.removeIf(file -> file.getFileName().toString().startsWith(LIST));
    return names(rest);
  }

  /** Whether the listener has all archives, and its list is written. */
  private boolean isGivenAndListed() {
    return given.containsAll(archives()) && !Files.exists(directory.resolve(LIST + ".new"));
  }

  private List<String> lines() {
    List<String> lines = new ArrayList<>();
    try {
      for (Path archive : archives()) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(archive))) {
          new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(lines::add);
        }
      }
      for (String name : unfinished()) {
        if (name.endsWith(".log")) {
          lines.addAll(Files.readAllLines(directory.resolve(name)));
        }
      }
      if (policy != null && Files.exists(active())) {
        lines.addAll(Files.readAllLines(active()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return lines;
  }

  @Override
  public void close() {
    context.stop();
  }
}
