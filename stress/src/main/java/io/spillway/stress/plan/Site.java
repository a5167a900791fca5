package io.spillway.stress.plan;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.sandbox.Probe;
import io.spillway.stress.verify.FileNames;
import io.spillway.stress.verify.LogLine;
import io.spillway.stress.verify.ReadBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The prepared files of a trial, and how they are read back.
 *
 * @param target where the load goes
 * @param prefill the figures of the prefilled lines
 * @param properties the system properties for the forked JVM
 * @param classPath the class path entries that precede the harness in the forked JVM
 * @param counted whether a server writes the lines, which can only be counted then
 */
record Site(
    LoadSpec.Target target,
    ReadBackFigures.Prefill prefill,
    Map<String, String> properties,
    List<Path> classPath,
    boolean counted) {

  private static final Pattern ARCHIVES =
      Pattern.compile("(?:fileNamePattern>|filePattern=\")\\$\\{(?:sys:)?logs}/([^<\"]+)");

  private static final String LOG_FILE = "app.log";
  private static final int LEAST_ARCHIVES = 7;
  private static final long NO_LIMIT = 1L << 40;

  /** Fills the log file of a trial to just below its limit. */
  static Site prepare(Path work, Trial trial, RunOptions options) throws IOException {
    return trial.sandboxed() == null
        ? builtIn(Files.createDirectory(work.resolve("logs")), trial, options)
        : sandboxed(work, trial, options);
  }

  /** Prepares the files of a built-in configuration: all in one directory, with known names. */
  private static Site builtIn(Path logs, Trial trial, RunOptions options) throws IOException {
    Path active = logs.resolve(LOG_FILE);
    Matcher pattern = ARCHIVES.matcher(trial.configuration());
    ReadBackFigures.Prefill prefill =
        Prefill.write(active, trial.prefillBytes(options), RunDirectory::cancelled);
    LoadSpec.Target target =
        new LoadSpec.Target(
            LogLine.LOGGER,
            false,
            options.messageBytes(),
            active.toString(),
            true,
            prefill.bytes(),
            logs.toString(),
            logs.resolve(pattern.find() ? pattern.group(1) : LOG_FILE).toString(),
            null);
    long limit = trial.sizeBytes() * (options.rotation() ? 1 : 2);
    Map<String, String> properties =
        Map.of(
            "logs", logs.toString(),
            "limit", Long.toString(limit == 0 ? NO_LIMIT : limit),
            "maxIndex", Integer.toString(Math.max(LEAST_ARCHIVES, options.rotations())));
    boolean counted = trial.service() != null && trial.service().isLoggedByServer();
    return new Site(target, prefill, properties, trial.classPath(), counted);
  }

  /**
   * Prepares the files of a user's configuration: its directories below one root. A file that never
   * rolls over has no limit and is not filled; its appender may empty it at the start.
   */
  private static Site sandboxed(Path work, Trial trial, RunOptions options) throws IOException {
    UserConfiguration.Sandboxed sandboxed = trial.sandboxed();
    UserConfiguration asked = sandboxed.asked();
    Probe.LogFile file = sandboxed.file();
    Path root = work.resolve("files");
    Path active = root.resolve(activeNow(file));
    Files.createDirectories(active.getParent());
    ReadBackFigures.Prefill prefill =
        Prefill.write(
            active, file.rolls() ? trial.prefillBytes(options) : 0, RunDirectory::cancelled);
    LoadSpec.Target target =
        new LoadSpec.Target(
            asked.logger(),
            true,
            options.messageBytes(),
            active.toString(),
            file.named(),
            prefill.bytes(),
            root.toString(),
            file.rolls() ? root.resolve(file.fileNamePattern()).toString() : null,
            options.rotation() && file.rollsByClock() ? file.appender() : null);
    long limit = options.rotation() ? sandboxed.limitBytes() : 2 * sandboxed.sizeBytes();
    Map<String, String> properties =
        asked.systemProperties(work.resolve("sandbox.json"), root, limit, options.rotationsDue());
    return new Site(target, prefill, properties, asked.classPath(), false);
  }

  /** Returns the active file's path, which may differ from that of the probe. */
  private static String activeNow(Probe.LogFile file) {
    return file.named()
        ? file.file()
        : new FileNamePattern(FileNames.withoutPacking(file.fileNamePattern()), new ContextBase())
            .convertMultipleArguments(new Date(), 0);
  }

  /** Reads all files back and accounts for every line. */
  ReadBackFigures readBack(List<Long> sentByThread) throws IOException {
    Path active = target.named() ? Path.of(target.activeFile()) : null;
    return counted
        ? ReadBack.counted(active, target.fileNamePattern(), sentByThread)
        : ReadBack.of(
            Path.of(target.directory()), active, target.fileNamePattern(), prefill, sentByThread);
  }
}
