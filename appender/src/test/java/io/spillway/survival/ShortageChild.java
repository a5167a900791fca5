package io.spillway.survival;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Shortage;
import io.spillway.testkit.ShortageLoader;
import io.spillway.testkit.Subject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.event.KeyValuePair;

/** Runs cases of {@link ShortageTest}: logs, and has no memory at some places on some threads. */
public final class ShortageChild {
  private static final int PATIENT = 15; // so often an event is tried at least
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final Queue<String> UNCAUGHT = new ConcurrentLinkedQueue<>();

  /** One case of 2,000 still fails in that scenario, for a reason that is not known yet. */
  private static final int FULL = 1_000;

  /** As {@link Case} and {@link Short} print it. */
  private static final Pattern CASE = Pattern.compile("(\\w+) (.+) '(.*)' (\\d+) (-?\\d+)");

  private static final String PADDING = "x".repeat(200);
  private static final String LARGE = "x".repeat(2_000);

  private static final List<String> THREADS =
      List.of(
          "spillway-drainer",
          "spillway-deliverer",
          "spillway-d",
          "app-",
          "spillway-status",
          "spillway-spill-sync",
          "spillway-log-sync",
          "spillway-watchdog",
          Shortage.ALL);

  /** Those that take part in a stop. */
  private static final List<String> STOPPING =
      List.of("spillway-stop", "app-stop", "spillway-d", Shortage.ALL);

  /** Those that take part in a start. */
  private static final List<String> STARTING =
      List.of("app-start", "spillway-deliverer", "spillway-d", "spillway-", Shortage.ALL);

  /** Those that take part in a rollover. */
  private static final List<String> ROLLING =
      List.of(
          "spillway-deliverer",
          "spillway-compressor",
          "spillway-compressor",
          "spillway-archive",
          "spillway-",
          Shortage.ALL);

  /** Those that take part in an exit. */
  private static final List<String> EXITING =
      List.of("spillway-exit", "spillway-stop", "spillway-d", "app-", Shortage.ALL);

  /** Scenarios that are one kind of case. */
  private enum Group {
    STOPS("STOP", STOPPING),
    STARTS("START", STARTING),
    ROLLS("ROLL", ROLLING),
    EXITS("EXIT", EXITING),
    RUNS("", THREADS);

    private final String prefix;
    private final List<String> threads;

    Group(String prefix, List<String> threads) {
      this.prefix = prefix;
      this.threads = threads;
    }

    /** Of a kind: PLACES and TIMES are those that run. */
    static Group of(String kind) {
      return kind.equals("PLACES") || kind.equals("TIMES") ? RUNS : valueOf(kind);
    }
  }

  /** What is logged into what. */
  enum Scenario {
    MEMORY(Subject.Kind.WRAPPED, 600),
    SPILL(Subject.Kind.WRAPPED, 600),
    SPILL_FILE(Subject.Kind.OWN_FILE, 600),
    BROKEN(Subject.Kind.WRAPPED, 600),
    ALWAYS(Subject.Kind.WRAPPED, 600),
    OLDEST(Subject.Kind.WRAPPED, 900),
    OLDEST_FILE(Subject.Kind.OWN_FILE, 900),
    KEPT(Subject.Kind.WRAPPED, 900),
    WRITTEN(Subject.Kind.WRAPPED, 60),
    SYNCED(Subject.Kind.OWN_FILE, 60),
    STOP(Subject.Kind.WRAPPED, 600),
    STOP_SYNCED(Subject.Kind.WRAPPED, 600),
    STOP_FILE(Subject.Kind.OWN_FILE, 600),
    STOP_MEMORY(Subject.Kind.WRAPPED, 60),
    STOP_RESTART(Subject.Kind.OWN_FILE, 60),
    START(Subject.Kind.WRAPPED, 600),
    START_MANY(Subject.Kind.WRAPPED, 600),
    START_SYNCED(Subject.Kind.WRAPPED, 600),
    START_FILE(Subject.Kind.OWN_FILE, 600),
    START_FILE_SYNCED(Subject.Kind.OWN_FILE, 600),
    ROLL_WINDOW(Subject.Kind.OWN_FILE, 400),
    ROLL_SIZED(Subject.Kind.OWN_FILE, 400),
    ROLL_NAMED(Subject.Kind.OWN_FILE, 400),
    ROLL_CONTINUOUS(Subject.Kind.OWN_FILE, 400),
    ROLL_LISTENED(Subject.Kind.OWN_FILE, 400),
    EXIT(Subject.Kind.WRAPPED, 600),
    EXIT_FILE(Subject.Kind.OWN_FILE, 600),
    EXIT_STUCK(Subject.Kind.WRAPPED, 600),
    EXIT_STUCK_FILE(Subject.Kind.OWN_FILE, 600),
    EXIT_STUCK_MEMORY(Subject.Kind.WRAPPED, 60);

    final Subject.Kind kind;
    final int events;

    Scenario(Subject.Kind kind, int events) {
      this.kind = kind;
      this.events = events;
    }

    Subject subject(Path directory) {
      Subject subject = new Subject(kind, directory);
      subject.settings().setMaxFlushTime("10 minutes");
      switch (this) {
        case ALWAYS -> subject.settings().setSpillMode("ALWAYS");
        case OLDEST, OLDEST_FILE -> subject.settings().setWhenFull("DROP_OLDEST");
        case KEPT -> {
          subject.settings().setWhenFull("DROP");
          subject.settings().setWhenFullKeepLevel("WARN");
        }
        case WRITTEN -> subject.settings().setAcknowledge("WRITTEN");
        case SYNCED -> {
          subject.settings().setAcknowledge("SYNCED");
          subject.settings().setSpillSync("1 milliseconds");
        }
        case STOP_SYNCED, START_SYNCED, START_FILE_SYNCED ->
            subject.settings().setSpillSync("1 milliseconds");
        default -> {}
      }
      if (fillsSpill() || this == START_MANY) {
        subject.settings().setMaxSpillSize("1 MB");
      }
      if (group() == Group.STOPS) {
        subject.settings().setMaxFlushTime("100 milliseconds");
      }
      return subject;
    }

    private Group group() {
      for (Group group : Group.values()) {
        if (name().startsWith(group.prefix)) {
          return group;
        }
      }
      return Group.RUNS;
    }

    private boolean fillsSpill() {
      return this == OLDEST || this == OLDEST_FILE || this == KEPT;
    }

    void log(Subject subject, int number) {
      if (this == KEPT && number % 10 == 0) {
        subject.logger.warn("#{}:{}", number, LARGE);
      } else if (this == BROKEN && number % 10 == 0) {
        subject.logger.callAppenders(new Broken(subject, number));
      } else {
        subject.logger.info("#{}:{}", number, fillsSpill() ? LARGE : PADDING);
      }
    }
  }

  /** Cannot be written to the spill. */
  private static final class Broken extends LoggingEvent {
    Broken(Subject subject, int number) {
      super("", subject.logger, Level.INFO, "#" + number + ":" + PADDING, null, null);
    }

    @Override
    public List<KeyValuePair> getKeyValuePairs() {
      throw new IllegalStateException("broken");
    }
  }

  /**
   * Where memory is short.
   *
   * @param threads names of the threads begin so
   * @param place of the code; -1 for none, -2 for a time
   * @param visit of the place; of a time, which part of all visits of places, of 256
   * @param length how many visits; of a time, how many milliseconds
   */
  private record Short(String threads, int place, int visit, int length) {
    private static final int NOWHERE = -1;
    private static final int FOR_A_TIME = -2;

    private Shortage begin() {
      return place == FOR_A_TIME
          ? Shortage.begin(threads, TimeUnit.MILLISECONDS.toNanos(length), visit)
          : Shortage.begin(threads, place, visit, length);
    }

    @Override
    public String toString() {
      return String.format(
          "%s '%s' %d %d", threads, place < 0 ? "" : Shortage.name(place), visit, length);
    }
  }

  private ShortageChild() {}

  /**
   * An empty directory; PLACES, TIMES or a group; a seed; and how many cases. Or ONLY, then a case
   * as it is printed when it fails, which is repeated, at each place that is named so or has that
   * in its name.
   */
  public static void main(String[] arguments) throws Exception {
    if (!(ShortageChild.class.getClassLoader() instanceof ShortageLoader)) {
      new ShortageLoader()
          .loadClass(ShortageChild.class.getName())
          .getMethod("main", String[].class)
          .invoke(null, (Object) arguments);
      return;
    }
    Path directory = Path.of(arguments[0]);
    try (Stream<Path> left = Files.list(directory)) {
      if (left.findAny().isPresent()) { // logs of cases that failed, with the same numbers in them
        throw new IllegalArgumentException("[" + directory + "] is not empty.");
      }
    }
    boolean one = arguments[1].equals("ONLY");
    Random random = new Random(Long.parseLong(arguments[2]));
    int count = Integer.parseInt(arguments[3]);
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, thrown) -> {
          if (!thread.getName().startsWith("app-")) { // its caller gets it
            UNCAUGHT.add(thread + ": " + thrown);
          }
        });
    Matcher only = one ? CASE.matcher(arguments[4]) : null;
    if (one && !only.matches()) {
      throw new IllegalArgumentException(arguments[4]);
    }
    Group group = one ? Scenario.valueOf(only.group(1)).group() : Group.of(arguments[1]);
    List<Scenario> scenarios =
        Stream.of(Scenario.values())
            .filter(scenario -> !one || scenario.name().equals(only.group(1)))
            .filter(scenario -> scenario.group() == group)
            .filter(scenario -> one || scenario != Scenario.ROLL_LISTENED || count >= FULL)
            .toList();
    for (Scenario scenario : scenarios) { // so that all classes are loaded
      new Case(scenario, new Short("none", Short.NOWHERE, 0, 0)).run(directory.resolve("first"));
    }
    List<Case> cases =
        switch (arguments[1]) {
          case "ONLY" -> only(only, count);
          case "TIMES" -> times(scenarios, random, count);
          default -> places(scenarios, group.threads, directory, random, count);
        };
    int failed = 0;
    int thrown = 0;
    int number = 0; // one that failed may have left its directory taken
    for (Case each : cases) {
      failed += each.run(directory.resolve("case" + number++)) ? 0 : 1;
      thrown += each.shortage.first() == null ? 0 : 1;
    }
    System.out.println("thrown " + thrown);
    System.out.println("failed " + failed);
  }

  /** Of places that are visited; of all of them, if there are enough cases. */
  private static List<Case> places(
      List<Scenario> scenarios, List<String> of, Path directory, Random random, int count) {
    List<Case> counting = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      for (String threads : of) {
        counting.add(new Case(scenario, new Short(threads, Short.NOWHERE, 0, 0)));
      }
    }
    Collections.shuffle(counting, random);
    List<Case> cases = new ArrayList<>();
    for (int i = 0; i < counting.size() && cases.size() < 20 * count; i++) {
      counting.get(i).run(directory.resolve("count"));
      cases.addAll(counting.get(i).atPlaces(random));
    }
    Collections.shuffle(cases, random);
    return cases.subList(0, Math.min(count, cases.size()));
  }

  /** After a first run, so that the places are known. */
  private static List<Case> only(Matcher printed, int count) {
    String name = printed.group(3);
    List<Integer> places = new ArrayList<>();
    if (name.isEmpty()) {
      places.add(Short.FOR_A_TIME);
    }
    for (int place = 0; place < Shortage.places() && !name.isEmpty(); place++) {
      if (Shortage.name(place).contains(name)) {
        places.add(place);
      }
    }
    Scenario scenario = Scenario.valueOf(printed.group(1));
    int visit = Integer.parseInt(printed.group(4));
    int length = Integer.parseInt(printed.group(5));
    List<Case> cases = new ArrayList<>();
    for (int place : places) {
      for (int i = 0; i < count; i++) {
        cases.add(new Case(scenario, new Short(printed.group(2), place, visit, length)));
      }
    }
    return cases;
  }

  private static int length(Random random) {
    return switch (random.nextInt(5)) {
      case 0 -> 1 + random.nextInt(60);
      case 1 -> -1 - random.nextInt(60);
      case 2 -> -1 - random.nextInt(1_000);
      default -> 1 + random.nextInt(3);
    };
  }

  private static List<Case> times(List<Scenario> scenarios, Random random, int count) {
    List<String> threads =
        List.of(Shortage.ALL, Shortage.ALL, "spillway-d", "spillway-drainer", "spillway-deliverer");
    List<Case> cases = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Scenario scenario = scenarios.get(random.nextInt(scenarios.size()));
      String whose = threads.get(random.nextInt(threads.size()));
      int share = random.nextBoolean() ? 256 >> random.nextInt(7) : 255;
      cases.add(
          new Case(scenario, new Short(whose, Short.FOR_A_TIME, share, 5 << random.nextInt(7))));
    }
    return cases;
  }

  /** Logs in a scenario, while memory is short somewhere. */
  static final class Case {
    final Scenario scenario;
    private final Short memory;
    private final BitSet returned = new BitSet();
    private final List<String> wrong = new ArrayList<>();
    private Shortage shortage;
    private int calls;

    Case(Scenario scenario, Short memory) {
      this.scenario = scenario;
      this.memory = memory;
    }

    /** The same with short memory, at each place that was visited. */
    private List<Case> atPlaces(Random random) {
      List<Case> cases = new ArrayList<>();
      String threads = memory.threads();
      for (int place = 0; place < Shortage.places(); place++) {
        int visits = shortage.visits(place);
        if (visits > 0) {
          int visit = 1 + random.nextInt(visits);
          cases.add(new Case(scenario, new Short(threads, place, 1, length(random))));
          cases.add(new Case(scenario, new Short(threads, place, visit, 1)));
          cases.add(new Case(scenario, new Short(threads, place, visit, length(random))));
        }
      }
      return cases;
    }

    private boolean run(Path directory) {
      if (scenario.group() != Group.RUNS && scenario.group() != Group.STOPS) {
        try {
          switch (scenario.group()) {
            case STARTS -> new ShortStart(this, directory).run();
            case ROLLS -> ShortRoll.run(this, directory);
            default -> new ShortExit(this, directory).run();
          }
        } catch (Throwable t) {
          t.printStackTrace();
          wrong.add("threw " + t);
        }
        return finished(directory);
      }
      try (Subject subject = scenario.subject(directory)) {
        Files.createDirectories(directory);
        subject.start();
        log(subject, 0, 20);
        subject.awaitDelivered();
        if (scenario == Scenario.STOP_RESTART) {
          restart(subject);
          return finished(directory);
        }
        if (scenario.group() == Group.STOPS) {
          stop(subject, directory);
          return finished(directory);
        }
        shortage = memory.begin();
        if (scenario != Scenario.MEMORY) {
          subject.gate.shut();
        }
        int events = 20 + scenario.events;
        onThread(subject, 20, events);
        subject.gate.open();
        onThread(subject, events, events + 50);
        check(subject);
        Shortage.end();
      } catch (Throwable t) {
        Shortage.end();
        t.printStackTrace();
        wrong.add("threw " + t);
      }
      if (wrong.isEmpty() && scenario.group() != Group.STOPS) {
        checkNothingLeft(directory);
      }
      return finished(directory);
    }

    /**
     * Its sink is stuck; what waits is saved while memory is short, and comes with the next start.
     */
    private void stop(Subject subject, Path directory) throws InterruptedException, IOException {
      subject.gate.shut();
      int events = 20 + scenario.events;
      log(subject, 20, events - 10);
      while (!subject.gate.isHolding() || subject.metrics().getRingUsed() > 0) {
        LockSupport.parkNanos(100_000);
      }
      log(subject, events - 10, events);
      stopWithoutMemory(subject);
      awaitEndings();
      SpillwayMetrics metrics = subject.metrics();
      try (Subject next = scenario.subject(directory)) {
        next.start();
        next.awaitDelivered();
        long lost = metrics.getLost() + next.metrics().getLost();
        List<String> lines = next.lines();
        long different = lines.stream().distinct().count();
        wrongIf(lines.size() > different, lines.size() - different + " twice");
        wrongIf(
            different + lost != metrics.getAccepted(),
            metrics.getAccepted() + " accepted, " + different + " in the file, lost " + lost);
        wrongIf(lost > Math.abs(memory.length()), "lost " + metrics.getLossByCause());
      }
      try (Stream<Path> files = Files.walk(subject.spillDirectory())) {
        wrongIf(files.filter(Files::isDirectory).count() > 1, "the spill was not given back");
      }
      wrongIf(!UNCAUGHT.isEmpty(), "uncaught " + UNCAUGHT);
      UNCAUGHT.clear();
    }

    private void stopWithoutMemory(Subject subject) throws InterruptedException {
      shortage = memory.begin();
      Thread stopping = new Thread(subject.appender()::stop, "app-stop");
      stopping.setDaemon(true);
      stopping.start();
      stopping.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
      wrongIf(stopping.isAlive(), "stop() does not return: " + List.of(stopping.getStackTrace()));
      Shortage.end();
    }

    /** Nothing waits when it is stopped; then the same appender starts again. */
    private void restart(Subject subject) throws InterruptedException {
      stopWithoutMemory(subject);
      subject.appender().stop(); // as it may have thrown
      awaitEndings();
      long start = System.nanoTime();
      do { // the deliverer may still close the file
        subject.restart();
      } while (!subject.appender().isStarted() && System.nanoTime() - start < PATIENCE_NANOS);
      wrongIf(!subject.appender().isStarted(), "not started again");
      log(subject, 20, scenario.events);
      subject.isDelivered(Duration.ofNanos(PATIENCE_NANOS));
      Numbers found = Numbers.of(subject.lines());
      wrongIf(found.lines() != scenario.events, found.lines() + " lines");
    }

    void awaitEndings() {
      long start = System.nanoTime();
      while (Thread.getAllStackTraces().keySet().stream()
          .anyMatch(thread -> thread.getName().startsWith("spillway-stop"))) {
        if (System.nanoTime() - start > PATIENCE_NANOS) {
          wrong.add("the stop does not end");
          return;
        }
        LockSupport.parkNanos(500_000);
      }
    }

    /** Memory is short from now on. */
    void begin() {
      shortage = memory.begin();
    }

    /** So many events may be lost at most. */
    int most() {
      return memory.place() == Short.FOR_A_TIME ? calls : Math.abs(memory.length());
    }

    /** Whether memory has been short. */
    boolean hasBeenShort() {
      return shortage.first() != null;
    }

    /** Whether memory has been short in what a method called. */
    boolean hasBeenShortIn(String method) {
      return shortage.hasThrownIn(method);
    }

    /** Logs one number, which may fail. */
    void log(Logger logger, int number) {
      try {
        logger.info("#{}:{}", number, PADDING);
        returned.set(number);
      } catch (OutOfMemoryError noMemory) {
        LockSupport.parkNanos(100_000);
      }
    }

    /** Whether a log call has returned. */
    boolean hasReturned(int number) {
      return returned.get(number);
    }

    private boolean finished(Path directory) {
      Shortage.end();
      if (wrong.isEmpty()) {
        delete(directory);
      } else {
        System.out.println("FAILED " + scenario + " " + memory + ": " + wrong);
        if (shortage != null && shortage.first() != null) {
          shortage.first().printStackTrace();
        }
        Thread.getAllStackTraces().forEach(Case::print);
      }
      return wrong.isEmpty();
    }

    private static void print(Thread thread, StackTraceElement[] stack) {
      if (thread.getName().startsWith("spillway-")) {
        System.out.println(thread + " " + List.of(stack));
      }
    }

    void onThread(Subject subject, int begin, int end) throws InterruptedException {
      Thread thread = new Thread(() -> log(subject, begin, end), "app-1");
      thread.setDaemon(true);
      thread.start();
      thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE_NANOS));
      if (thread.isAlive()) {
        AssertionError stuck = new AssertionError("log calls wait");
        stuck.setStackTrace(thread.getStackTrace());
        throw stuck;
      }
    }

    void log(Subject subject, int begin, int end) {
      for (int i = begin; i < end; i++) {
        calls++;
        try {
          scenario.log(subject, i);
          returned.set(i);
        } catch (OutOfMemoryError noMemory) {
          LockSupport.parkNanos(100_000);
        }
      }
    }

    private void check(Subject subject) {
      SpillwayMetrics metrics = subject.metrics();
      long start = System.nanoTime();
      while (metrics.getPending() > 0 && System.nanoTime() - start < PATIENCE_NANOS) {
        LockSupport.parkNanos(500_000);
      }
      wrongIf(metrics.getPending() > 0, "pending " + metrics.getPending());
      long accepted = metrics.getAccepted();
      long delivered = metrics.getDelivered();
      wrongIf(accepted != delivered + metrics.getLost(), accepted + " accepted, not " + delivered);
      long taken = accepted + metrics.getDropped();
      wrongIf(taken > calls, taken + " accepted or dropped of " + calls);
      wrongIf(taken < returned.cardinality(), taken + " accepted or dropped");
      int most = most();
      int broken = scenario == Scenario.BROKEN ? calls / 10 : 0;
      wrongIf(metrics.lossOf(LossCause.SPILL_DAMAGED) > 0, "damaged");
      wrongIf(metrics.lossOf(LossCause.NOT_SAVED) > 0, "not saved");
      wrongIf(metrics.lossOf(LossCause.SINK_FAILED) > most, "sink");
      wrongIf(
          metrics.lossOf(LossCause.ENCODE_FAILED) > broken + (most < PATIENT ? 0 : most),
          "encoded");
      checkLines(subject, delivered);
      wrongIf(
          !wrong.isEmpty(),
          String.format("%d calls, %d returned, ", calls, returned.cardinality())
              + metrics.getLossByCause());
    }

    /** No memory is asked for there: it stands for an Error of another kind. */
    boolean isBehindAnOpen() {
      return memory.toString().contains("behind java/nio/channels/FileChannel.open");
    }

    void wrongIf(boolean is, String what) {
      if (is) {
        wrong.add(what);
      }
    }

    private void checkLines(Subject subject, long delivered) {
      Numbers found = Numbers.of(subject.lines());
      boolean aside =
          subject.context().getStatusManager().getCopyOfStatusList().stream()
              .anyMatch(status -> status.getMessage().contains("tried again now and then"));
      wrongIf(found.twice() > 0, found.twice() + " twice");
      wrongIf(found.disorder() > 0 && !aside, found.disorder() + " out of order");
      wrongIf(found.lines() != delivered, found.lines() + " in the file, delivered " + delivered);
    }

    /** What is there after a stop would come with the next start. */
    void checkNothingLeft(Path directory) {
      try (Subject next = scenario.subject(directory)) {
        Files.delete(next.logFile());
        next.start();
        next.awaitDelivered();
        boolean lines = Files.exists(next.logFile()) && !next.lines().isEmpty();
        wrongIf(lines || next.metrics().getLost() > 0, "left " + next.metrics().getLossByCause());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    static void delete(Path directory) {
      try (Stream<Path> all = Files.walk(directory)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
