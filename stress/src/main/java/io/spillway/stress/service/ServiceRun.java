package io.spillway.stress.service;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Prefill;
import io.spillway.stress.load.RotationWatch;
import io.spillway.stress.plan.Cancellation;
import io.spillway.stress.plan.RunDirectory;
import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.ResultFiles;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.ServiceFigure;
import io.spillway.stress.report.ServiceResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.verify.ReadBack;
import io.spillway.stress.watch.Watch;
import io.spillway.stress.watch.WatchFigures;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Runs services under load, one trial after the other, in the calling thread. */
public final class ServiceRun {

  /**
   * Highest rate as a share of the rate at full speed; more would leave no processor time for a log
   * and the client.
   */
  private static final double SHARE = 0.5;

  private static final double CALIBRATION_SECONDS = 5;

  /**
   * Share of the measured time after which the rotation is due, up to {@link #MOST_BEFORE_ROTATION}
   * seconds.
   */
  private static final double BEFORE_ROTATION = 0.25;

  private static final double MOST_BEFORE_ROTATION = 5;

  /** Bytes of a line that the layout of the built-in configurations adds. */
  private static final int LAYOUT_BYTES = 76;

  private static final int DEFAULT_LINE_BYTES = 120;
  private static final long NO_LIMIT = 1L << 40;
  private static final double START_SECONDS = 60;
  private static final double PATIENCE_SECONDS = 150;
  private static final double DYING_SECONDS = 3;
  private static final double LEAST_WATCHED = 0.9; // of the measured time
  private static final double MOST_LATE_SECONDS = 1; // that a recorder may take to start
  private static final Path OWN_STATUS = Path.of("/proc/self/status");
  private static final String MAY_USE = "Cpus_allowed_list:";
  private static final String SERVICE = "its";
  private static final String TASKSET = "taskset";
  private static final int FRAMES = 6;
  private static final double LEAST_THREAD_SECONDS = 0.01;
  private static final int POLL_MILLIS = 20;
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;
  private static final double MINUTE = 60;
  private static final long ENOUGH_FOR_P99 = 100;
  private static final long ENOUGH_FOR_P999 = 1_000;
  private static final String SILENT = "<configuration><root level=\"OFF\"/></configuration>";
  private static final String FILE_APPENDER =
      "class=\"ch.qos.logback.core.rolling.RollingFileAppender\">";

  private final Plan plan;
  private final PrintStream out;
  private final boolean terminal;
  private final Queue<ServiceJvm> running = new ConcurrentLinkedQueue<>();
  private volatile RunDirectory directory; // of a run that has begun
  private Progress progress;
  private int finished; // trials
  private Container container; // of the trial that runs, or null
  private CompletableFuture<Void> nextLog; // being copied, or null

  /** Prepares a run; it has no effect before {@link #execute()}. */
  public ServiceRun(Plan plan, PrintStream out, boolean terminal) {
    this.plan = plan;
    this.out = out;
    this.terminal = terminal;
  }

  /**
   * The plan of a run.
   *
   * @param scenario the scenario, with published figures
   * @param calibrated the service whose calibration limits rates, or null for no limit
   * @param trials the trials in their order
   * @param results the directory in which each run creates its directory
   * @param keep whether log files are kept
   * @param commandLine arguments of the command line
   */
  public record Plan(
      RunResult.Scenario scenario,
      ServiceTrial calibrated,
      List<ServiceTrial> trials,
      Path results,
      boolean keep,
      List<String> commandLine) {}

  /** A finished run and its files. */
  public record Finished(ServiceResult result, ResultFiles files) {}

  /**
   * Executes the run.
   *
   * @throws RefusedException if it is not possible with its settings
   */
  public Finished execute() throws IOException, InterruptedException {
    Instant startedAt = Instant.now();
    for (ServiceTrial trial : plan.trials) {
      ServiceJvm.classPath(trial.application().kind());
      if (trial.cpus() != null && !isInstalled(TASKSET)) {
        throw new RefusedException(
            trial.name() + ": 'cpus' needs the program " + TASKSET + ", which is not installed");
      }
      Set<Integer> processors = ownProcessors();
      if (trial.cpus() != null
          && (ServiceTrial.processors(trial.cpus()).isEmpty()
              || !processors.containsAll(ServiceTrial.processors(trial.cpus())))) {
        throw new RefusedException(
            trial.name()
                + ": 'cpus' is '"
                + trial.cpus()
                + "'; allowed here: some of "
                + processors);
      }
      if (trial.log() != null) {
        configuration(trial); // refused before others have been measured for minutes
      }
    }
    try (Cancellation cancellation = new Cancellation(this::cleanUp);
        Progress told = Progress.to(out, terminal, estimate())) {
      progress = told;
      directory = RunDirectory.create(plan.results);
      out.printf(
          "%s, about %.0f s in all, in %s%n",
          Progress.trials(plan.trials.size()), estimate(), directory.root());
      try {
        return run(startedAt, cancellation);
      } catch (RefusedException e) {
        directory.deleteAll(); // a refused run has no figures
        throw e;
      } catch (IOException | RuntimeException e) {
        if (cancellation.cancelled()) {
          throw new Cancellation.Cancelled(e);
        }
        throw e;
      } finally {
        endAll();
        if (!plan.keep) {
          directory.deleteWork();
        }
      }
    }
  }

  private void endAll() {
    running.forEach(ServiceJvm::close);
    Container ended = container;
    container = null;
    if (ended != null) {
      ended.close();
    }
  }

  private void cleanUp() throws IOException {
    endAll();
    if (directory != null) {
      directory.deleteAll();
    }
  }

  private Finished run(Instant startedAt, Cancellation cancellation)
      throws IOException, InterruptedException {
    List<Double> rates =
        plan.trials.stream()
            .map(ServiceTrial::client)
            .filter(client -> !client.closedLoop())
            .map(ServiceTrial.Client::rate)
            .toList();
    ServiceResult.Calibration calibration =
        plan.calibrated == null || rates.isEmpty() ? null : calibrate(rates);
    List<ServiceTrial> trials = plan.trials;
    if (calibration != null) {
      trials =
          trials.stream().map(trial -> trial.at(calibration.rate(trial.client().rate()))).toList();
    }
    directory.writePrefills(
        new TreeSet<>(trials.stream().map(this::prefillBytes).filter(n -> n > 0).toList()),
        cancellation::cancelled);
    List<ServiceResult.Trial> results = new ArrayList<>();
    for (int i = 0; i < trials.size(); i++) {
      ServiceTrial trial = trials.get(i);
      ServiceTrial next = i + 1 < trials.size() ? trials.get(i + 1) : null;
      progress.begin(trial.name(), seconds(trial));
      ServiceResult.Trial measured = run(trial, () -> beginLog(next, cancellation::cancelled));
      cancellation.check();
      results.add(measured);
      finished++;
      progress.note(summary(measured));
    }
    ServiceResult result = result(startedAt, calibration, results);
    ResultFiles files = new ResultFiles(directory.root());
    files.write(result);
    return new Finished(result, files);
  }

  /** Returns the figures of a finished trial in a line, for progress output. */
  private static String summary(ServiceResult.Trial trial) {
    return Stream.of(ServiceFigure.values())
        .filter(figure -> figure.of(trial) != null)
        .map(figure -> figure + " " + figure.text(trial))
        .reduce((a, b) -> a + ", " + b)
        .orElse(String.join("; ", trial.reasons()));
  }

  private ServiceResult result(
      Instant startedAt, ServiceResult.Calibration calibration, List<ServiceResult.Trial> trials) {
    List<String> reasons = new ArrayList<>();
    for (ServiceResult.Trial trial : trials) {
      if (trial.role() == TrialResult.Role.SUBJECT
          || trial.verdict() == Judge.Verdict.INCONCLUSIVE) {
        trial.reasons().forEach(reason -> reasons.add(trial.name() + ": " + reason));
      }
    }
    return new ServiceResult(
        ServiceResult.SCHEMA,
        startedAt.toString(),
        (Instant.now().toEpochMilli() - startedAt.toEpochMilli()) / MILLIS,
        plan.commandLine,
        measured(trials),
        calibration,
        RunResult.Machine.current(),
        trials,
        ServiceResult.verdictOf(trials),
        reasons);
  }

  private RunResult.Scenario measured(List<ServiceResult.Trial> trials) {
    Map<String, ServiceResult.Trial> byName = new HashMap<>();
    trials.forEach(trial -> byName.put(trial.name(), trial));
    List<RunResult.Published> published = new ArrayList<>();
    for (RunResult.Published row : plan.scenario.published()) {
      ServiceResult.Trial trial = byName.get(row.trial());
      String text =
          trial == null ? null : ServiceFigure.named(row.figure()).orElseThrow().text(trial);
      published.add(
          new RunResult.Published(
              row.what(),
              row.published(),
              row.figure(),
              trial == null ? null : row.trial(),
              null,
              text));
    }
    return new RunResult.Scenario(
        plan.scenario.name(), plan.scenario.description(), plan.scenario.source(), published);
  }

  private ServiceResult.Calibration calibrate(List<Double> rates)
      throws IOException, InterruptedException {
    progress.begin("calibration", CALIBRATION_SECONDS);
    ServiceResult.Trial trial = run(plan.calibrated.flatOut(CALIBRATION_SECONDS), () -> {});
    if (trial.figures() == null) {
      throw new IOException("The calibration failed: " + trial.reasons());
    }
    double flatOut = trial.figures().requestsPerSecond();
    return ServiceResult.Calibration.of(flatOut, SHARE, rates);
  }

  private double estimate() {
    return plan.trials.stream().mapToDouble(ServiceRun::seconds).sum();
  }

  private static double seconds(ServiceTrial trial) {
    ServiceTrial.Client client = trial.client();
    double around = 9 + trial.rotationBytes() / 300e6;
    double search = client.search() == null ? 0 : 9 * 1.3 * client.search().stepSeconds();
    return around + client.warmUpSeconds() + client.seconds() + search;
  }

  private long prefillBytes(ServiceTrial trial) {
    if (trial.rotationBytes() == 0 || trial.log() == null) {
      return 0;
    }
    double measured = Math.min(trial.client().seconds() * BEFORE_ROTATION, MOST_BEFORE_ROTATION);
    double bytes =
        (trial.client().warmUpSeconds() + measured)
            * trial.client().rate()
            * trial.application().number("lines", 1)
            * (trial.application().number("lineBytes", DEFAULT_LINE_BYTES) + LAYOUT_BYTES);
    long length = trial.rotationBytes() - (long) bytes;
    if (length <= 0) {
      throw new RefusedException(
          trial.name()
              + ": a rotation at "
              + trial.rotationBytes()
              + " bytes comes before it is due: this load writes "
              + (long) bytes
              + " bytes until then. Allowed here: a larger 'rotation', or a lower 'rate'");
    }
    return length;
  }

  private Places places(ServiceTrial trial) throws IOException {
    String folder = trial.folder();
    return new Places(directory.figures(folder), directory.work(folder));
  }

  /** Begins to copy the prefilled log of a trial; does nothing if there is none. */
  private void beginLog(ServiceTrial trial, BooleanSupplier cancelled) {
    long bytes = trial == null ? 0 : prefillBytes(trial);
    if (bytes > 0) {
      nextLog = CompletableFuture.runAsync(() -> copyLog(trial, bytes, cancelled));
    }
  }

  private void copyLog(ServiceTrial trial, long bytes, BooleanSupplier cancelled) {
    try {
      Prefill.copy(directory.prefill(bytes), places(trial).log(), cancelled);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void awaitLog(ServiceTrial trial) throws IOException {
    if (nextLog == null) {
      beginLog(trial, () -> false);
    }
    CompletableFuture<Void> log = nextLog;
    nextLog = null;
    try {
      if (log != null) {
        log.join();
      }
    } catch (CompletionException e) {
      throw new IOException("The log of " + trial.name() + " cannot be prepared", e.getCause());
    }
  }

  /**
   * Runs a trial.
   *
   * @param whenEnded called when measuring has ended, before the log is read
   */
  private ServiceResult.Trial run(ServiceTrial trial, Runnable whenEnded)
      throws IOException, InterruptedException {
    Places files = places(trial);
    String configuration = trial.log() == null ? SILENT : configuration(trial);
    Files.writeString(files.configuration(), configuration);
    long prefill = prefillBytes(trial);
    ServiceResult.Figures figures = null;
    List<String> reasons = new ArrayList<>();
    List<String> doubts = new ArrayList<>();
    try {
      awaitLog(trial);
      container = trial.containerBytes() == 0 ? null : Container.withLimit(trial.containerBytes());
      figures = measure(trial, files, prefill, whenEnded, doubts);
      judge(trial, figures, reasons);
    } catch (IOException | RuntimeException e) { // else earlier trials would have no report
      // If the service dies, the watch or the client fails first, with a less specific message.
      ServiceJvm.Ended service =
          running.isEmpty() ? null : running.peek().failedWithin(DYING_SECONDS);
      if (service != null && service.refused() && finished == 0) {
        throw new RefusedException(trial.name() + ": " + service.getMessage());
      }
      if (container != null && container.hasKilled()) {
        reasons.add(
            "it was killed: it needs more memory than its container has, "
                + megabytes(trial.containerBytes()));
      } else if (service != null) {
        (service.isExcused() ? doubts : reasons).add(service.getMessage());
      } else if (e instanceof ServiceJvm.Ended ended && !ended.isExcused()) {
        reasons.add(e.getMessage());
      } else {
        doubts.add(
            "it could not be measured, with its files in "
                + directory.root()
                + ": "
                + (e instanceof ServiceJvm.Ended || e instanceof RefusedException
                    ? e.getMessage()
                    : e));
      }
    } finally {
      endAll();
      running.clear();
      if (!plan.keep) {
        directory.deleteWork(trial.folder());
      }
    }
    Judge.Verdict verdict = Judge.Verdict.PASSED;
    if (!reasons.isEmpty()) {
      verdict = Judge.Verdict.VIOLATED;
    } else if (!doubts.isEmpty()) {
      verdict = Judge.Verdict.INCONCLUSIVE;
    }
    reasons.addAll(doubts);
    return new ServiceResult.Trial(
        trial.name(),
        trial.role(),
        settings(trial),
        trial.log() == null ? null : configuration,
        figures,
        verdict,
        reasons);
  }

  /** The directories of a trial. */
  private record Places(Path figures, Path work) {

    Path configuration() {
      return figures.resolve("logback.xml");
    }

    Path logs() throws IOException {
      return Files.createDirectories(work.resolve("logs"));
    }

    Path log() throws IOException {
      return logs().resolve("app.log");
    }
  }

  private static Map<String, Object> settings(ServiceTrial trial) {
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("application", trial.application());
    settings.put("log", trial.log() == null ? "none" : trial.log().name());
    settings.put("client", trial.client());
    settings.put("cpus", trial.cpus());
    settings.put("heap", trial.heap());
    settings.put("containerBytes", trial.containerBytes());
    settings.put("rotationBytes", trial.rotationBytes());
    settings.put("stall", trial.stall());
    settings.put("limits", trial.limits());
    return settings;
  }

  /**
   * Returns the configuration of the trial's log, with a stalling file appender if the trial has a
   * stall.
   */
  private static String configuration(ServiceTrial trial) {
    String text = trial.log().configuration();
    if (trial.stall() == null) {
      return text;
    }
    if (!text.contains(FILE_APPENDER)) {
      throw new RefusedException(
          trial.name() + ": 'stall' is for logs over Logback's RollingFileAppender alone");
    }
    return text.replace(
        FILE_APPENDER, "class=\"io.spillway.stress.services.StallingFileAppender\">");
  }

  private ServiceResult.Figures measure(
      ServiceTrial trial, Places files, long prefill, Runnable whenEnded, List<String> doubts)
      throws IOException, InterruptedException {
    ServiceTrial.Client client = trial.client();
    List<String> command = serviceCommand(trial, files);
    ServiceJvm application =
        start(
            SERVICE,
            container == null ? command : container.around(command),
            files,
            "service-stderr.txt");
    int port = Integer.parseInt(application.await("port", START_SECONDS));
    // The first watch stops a JVM while its flight recorder starts, and takes seconds. The client
    // measures by its own clock, so it is started afterwards.
    watch(application, 1, files.work);
    Path clientFigures = files.figures.resolve("client.json").toAbsolutePath();
    Path spec = files.work.resolve("client-spec.json").toAbsolutePath();
    Json.write(spec, new LoadClient.Spec(port, client, clientFigures.toString()));
    RotationWindow window = new RotationWindow();
    try (RotationPoll poll = new RotationPoll(files, prefill, window)) {
      ServiceJvm asking =
          start(ServiceJvm.CLIENT, clientCommand(trial, spec), files, "client-stderr.txt");
      asking.await(LoadClient.MEASURING, client.warmUpSeconds() + START_SECONDS);
      ServiceTrial.Stall stall = trial.stall();
      Map<String, Double> before =
          application.ask(
              stall == null ? "figures" : "stall " + stall.after() + " " + stall.seconds(),
              PATIENCE_SECONDS);
      WatchFigures watched = watch(application, (int) Math.round(client.seconds()), files.figures);
      asking.await(LoadClient.MEASURED, PATIENCE_SECONDS);
      Map<String, Double> after = application.ask("figures", PATIENCE_SECONDS);
      asking.tell(LoadClient.SEARCH); // it may have ended if there is no search
      asking.awaitEnd(PATIENCE_SECONDS + (client.search() == null ? 0 : seconds(trial) * 2));
      poll.awaitEnd(PATIENCE_SECONDS);
      Long resident = application.mostResidentBytes().orElse(null);
      Map<String, Double> last = application.ask("stop", PATIENCE_SECONDS);
      application.awaitEnd(PATIENCE_SECONDS);
      whenEnded.run();
      LoadClient.Figures load = Json.read(clientFigures, LoadClient.Figures.class);
      doubt(watched, load.startEpochMillis(), client.seconds(), doubts);
      long lines =
          ReadBack.lines(files.log())
              - (prefill == 0 ? 0 : directory.prefillFigures(prefill).lines());
      Observed service =
          new Observed(watched, before, after, Math.round(last.get("logged")), lines, resident);
      return figures(client, load, window, service, notes(trial, watched));
    }
  }

  /** Adds a doubt if the watch lost events, or did not cover the measured time. */
  static void doubt(
      WatchFigures watched, long measuringEpochMillis, double seconds, List<String> doubts) {
    if (!watched.complete()) {
      doubts.add("the flight recorder lost events, so that waits may be missing");
    }
    if (watched.seconds() < LEAST_WATCHED * seconds) {
      doubts.add(
          String.format("its threads were watched for %.1f of %.0f s", watched.seconds(), seconds));
    }
    long began = Instant.parse(watched.startedAt()).toEpochMilli();
    double late = (began - measuringEpochMillis) / MILLIS;
    if (late > Math.max(MOST_LATE_SECONDS, (1 - LEAST_WATCHED) * seconds)) {
      doubts.add(String.format("its threads were not watched in the first %.1f s", late));
    }
  }

  private ServiceJvm start(String whose, List<String> command, Places files, String errors)
      throws IOException {
    ServiceJvm jvm =
        ServiceJvm.start(
            whose, command, files.work, files.figures.resolve(errors).toAbsolutePath());
    running.add(jvm);
    return jvm;
  }

  private List<String> serviceCommand(ServiceTrial trial, Places files) throws IOException {
    ServiceTrial.Application application = trial.application();
    List<String> command = new ArrayList<>(pinned(trial.cpus()));
    command.add(ChildCommand.java());
    command.add("-Xmx" + trial.heap());
    command.add(ChildCommand.EXIT_OUT_OF_MEMORY);
    command.add("-XX:FlightRecorderOptions=repository=recorder"); // a killed JVM leaves it
    command.add("-Dlogs=" + files.logs().toAbsolutePath());
    command.add("-Dlimit=" + (trial.rotationBytes() == 0 ? NO_LIMIT : trial.rotationBytes()));
    command.add("-Dlogback.configurationFile=" + files.configuration().toAbsolutePath());
    command.add("-cp");
    command.add(ServiceJvm.classPath(application.kind()));
    command.add("io.spillway.stress.services.Service");
    command.add(application.kind());
    command.add(Integer.toString(application.threads()));
    application.work().forEach((name, value) -> command.add(name + "=" + value));
    return command;
  }

  /**
   * Returns the client's command; the client gets the processors that the service does not use, if
   * there are any.
   */
  private static List<String> clientCommand(ServiceTrial trial, Path spec) {
    List<String> others = new ArrayList<>();
    if (trial.cpus() != null) {
      Set<Integer> left = ownProcessors();
      left.removeAll(ServiceTrial.processors(trial.cpus()));
      left.forEach(processor -> others.add(Integer.toString(processor)));
    }
    List<String> command = new ArrayList<>(pinned(String.join(",", others)));
    command.add(ChildCommand.java());
    command.addAll(List.of("-Xmx512m", "-Xss256k", "-XX:+UseSerialGC", "-cp"));
    command.add(
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .reduce((a, b) -> a + File.pathSeparator + b)
            .orElseThrow());
    command.add(LoadClient.class.getName());
    command.add(spec.toString());
    return command;
  }

  /** Returns the processors that this process may use, as it may be pinned itself. */
  private static Set<Integer> ownProcessors() {
    try (Stream<String> lines = Files.lines(OWN_STATUS)) {
      return lines
          .filter(line -> line.startsWith(MAY_USE))
          .findFirst()
          .map(line -> ServiceTrial.processors(line.substring(MAY_USE.length())))
          .orElseThrow(() -> new IOException("no " + MAY_USE));
    } catch (IOException | UncheckedIOException notTold) {
      return ServiceTrial.processors("0-" + (Runtime.getRuntime().availableProcessors() - 1));
    }
  }

  private static List<String> pinned(String cpus) {
    return cpus == null || cpus.isEmpty() ? List.of() : List.of(TASKSET, "-c", cpus);
  }

  private static boolean isInstalled(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /** Watches which frames hold up threads of the application, for the given number of seconds. */
  private WatchFigures watch(ServiceJvm application, int seconds, Path results)
      throws IOException, InterruptedException {
    Watch.Options options = new Watch.Options(application.pid(), seconds, results);
    return new Watch(options, new PrintStream(PrintStream.nullOutputStream()), false).execute();
  }

  /**
   * What a run observed of the service.
   *
   * @param before the service's own figures when the measurement began
   * @param after the service's own figures when the measurement ended
   * @param logged how many lines the service has logged
   * @param lines how many lines are in the log files
   * @param residentBytes the largest resident set, or null if it is not known
   */
  private record Observed(
      WatchFigures watched,
      Map<String, Double> before,
      Map<String, Double> after,
      long logged,
      long lines,
      Long residentBytes) {
    double growth(String figure) {
      return after.get(figure) - before.get(figure);
    }
  }

  private static ServiceResult.Figures figures(
      ServiceTrial.Client client,
      LoadClient.Figures load,
      RotationWindow window,
      Observed service,
      List<String> notes)
      throws IOException {
    double logging = 0;
    double other = 0;
    List<ServiceResult.HeldUp> heldUp = new ArrayList<>();
    WatchFigures watched = service.watched;
    for (WatchFigures.Group group : watched.heldUp()) {
      if (isOfLogging(group)) {
        continue;
      }
      logging += group.logging() ? group.threadSeconds() : 0;
      other += group.logging() ? 0 : group.threadSeconds();
      if (heldUp.size() < FRAMES && group.threadSeconds() >= LEAST_THREAD_SECONDS) {
        heldUp.add(
            new ServiceResult.HeldUp(
                group.frame(),
                group.logging(),
                group.threadSeconds(),
                group.threads(),
                group.heldBy()));
      }
    }
    return new ServiceResult.Figures(
        responses(load, 0, load.seconds().size()),
        rotating(load, window),
        load.answered() / client.seconds(),
        load.failed(),
        load.unmade(),
        window.ended() ? (window.endNanos() - window.startNanos()) / NANOS : null,
        service.growth("cpuSeconds") * 1e6 / Math.max(1, load.answered()),
        service.growth("gcSeconds") / client.seconds(),
        service.residentBytes,
        logging * MINUTE / watched.seconds(),
        logging + other == 0 ? null : logging / (logging + other),
        service.logged,
        service.logged - service.lines,
        load.highestRate(),
        heldUp,
        service.after,
        notes);
  }

  /** Returns whether the waits are a logging library's own thread's, which is meant to wait. */
  private static boolean isOfLogging(WatchFigures.Group group) {
    for (int i = group.stack().size() - 1; i >= 0; i--) {
      String frame = group.stack().get(i);
      if (!frame.startsWith("java.") && !frame.startsWith("jdk.")) {
        return LoggingFrames.isLogging(frame);
      }
    }
    return false;
  }

  private static ServiceResult.Responses rotating(LoadClient.Figures load, RotationWindow window)
      throws IOException {
    if (!window.begun()) {
      return null;
    }
    double from = secondOf(load, window.startNanos());
    double to = window.ended() ? secondOf(load, window.endNanos()) : load.seconds().size();
    return responses(load, (int) Math.floor(from), (int) Math.ceil(to));
  }

  private static double secondOf(LoadClient.Figures load, long nanos) {
    double millis = System.currentTimeMillis() - (System.nanoTime() - nanos) / 1e6;
    return (millis - load.startEpochMillis()) / MILLIS;
  }

  private static ServiceResult.Responses responses(LoadClient.Figures load, int from, int to)
      throws IOException {
    try {
      Histogram all = load.histogram(from, to);
      long count = all.getTotalCount();
      return new ServiceResult.Responses(
          count,
          count == 0 ? null : all.getValueAtPercentile(50) / MILLIS,
          count < ENOUGH_FOR_P99 ? null : all.getValueAtPercentile(99) / MILLIS,
          count < ENOUGH_FOR_P999 ? null : all.getValueAtPercentile(99.9) / MILLIS,
          all.getMaxValue() / MILLIS);
    } catch (DataFormatException e) {
      throw new IOException("The client's figures cannot be read", e);
    }
  }

  private void judge(ServiceTrial trial, ServiceResult.Figures figures, List<String> reasons) {
    ServiceTrial.Limits limits = trial.limits();
    if (figures.heldUpSecondsPerMinute() > limits.heldUpSecondsPerMinute()) {
      reasons.add(
          String.format(
              "its threads were held up in log calls for %.2f thread-seconds a minute; allowed:"
                  + " %.2f",
              figures.heldUpSecondsPerMinute(), limits.heldUpSecondsPerMinute()));
    }
    if (figures.lost() > limits.loss() || figures.lost() < 0) {
      reasons.add(
          "of "
              + figures.logged()
              + " log calls "
              + (figures.logged() - figures.lost())
              + " lines are in the files; allowed to be lost: "
              + limits.loss());
    }
    Double p99 = figures.responses().p99();
    if (limits.p99Millis() != null && (p99 == null || p99 > limits.p99Millis())) {
      reasons.add(
          "p99 of responses was "
              + (p99 == null ? "not measured" : String.format("%.1f ms", p99))
              + String.format("; allowed: %.1f ms", limits.p99Millis()));
    }
    if (trial.rotationBytes() > 0 && trial.log() != null && figures.rotationSeconds() == null) {
      reasons.add("no finished rotation was seen");
    }
    Long resident = figures.residentBytes();
    if (trial.containerBytes() > 0
        && container == null
        && resident != null
        && resident > trial.containerBytes()) {
      reasons.add(
          megabytes(resident)
              + " of memory were resident; its container has "
              + megabytes(trial.containerBytes()));
    }
    if (figures.failed() > 0 || figures.unmade() > 0) {
      reasons.add(figures.failed() + " requests failed, " + figures.unmade() + " were not made");
    }
  }

  private List<String> notes(ServiceTrial trial, WatchFigures watched) {
    List<String> notes = new ArrayList<>(watched.notes());
    if (trial.containerBytes() > 0) {
      notes.add(
          container == null
              ? "no control group can be made here: resident memory is compared with the limit of"
                  + " the container, which nobody enforces"
              : "the limit of the container is that of " + container.describe());
    }
    return notes;
  }

  private static String megabytes(long bytes) {
    return (bytes >> 20) + " MB";
  }

  /** Polls the log directory in its own thread until the rotation is over. */
  private static final class RotationPoll implements AutoCloseable {

    private final RotationWatch watch;
    private final RotationWindow window;
    private final boolean wanted;
    private final Thread thread = new Thread(this::poll, "rotation-watch");

    RotationPoll(Places files, long prefill, RotationWindow window) throws IOException {
      String log = files.log().toString();
      this.window = window;
      wanted = prefill > 0;
      watch =
          new RotationWatch(
              new LoadSpec.Target(
                  null, false, 0, log, true, prefill, files.logs().toString(), null, null),
              window,
              1);
      thread.setDaemon(true);
      if (wanted) {
        thread.start();
      }
    }

    private void poll() {
      try {
        while (!window.ended()) {
          watch.look();
          Thread.sleep(POLL_MILLIS);
        }
      } catch (IOException e) {
        System.err.println("The log directory cannot be watched: " + e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Waits until the rotation is over, so that no half-written archive is read. */
    void awaitEnd(double seconds) throws InterruptedException {
      if (window.begun()) {
        thread.join((long) (seconds * MILLIS));
      }
    }

    @Override
    public void close() {
      thread.interrupt();
    }
  }
}
