package io.spillway.stress.plan;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.sandbox.Findings;
import io.spillway.stress.verify.FileNames;
import io.spillway.stress.verify.LogLine;
import io.spillway.stress.verify.ReadBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The prepared files of a trial, and how they are read back. */
interface Site {
  /** Returns where the load goes. */
  LoadSpec.Target target();

  /** Returns the figures of the prefilled lines. */
  ReadBackFigures.Prefill prefill();

  /** Returns the system properties for the forked JVM. */
  Map<String, String> properties();

  /** Returns the class path entries that precede the harness in the forked JVM. */
  List<Path> classPath();

  /** Reads all files back and accounts for every line. */
  ReadBackFigures readBack(List<Long> sentByThread) throws IOException;

  /** Returns the class path entries that precede the harness in the JVM of a built-in trial. */
  static List<Path> classPath(PlannedTrial planned) throws IOException {
    return planned.service() == null
        ? planned.trial().library().classPath()
        : planned.service().classPath();
  }

  /** The files of a built-in configuration: all in one directory, with a known layout. */
  record BuiltIn(
      Path active,
      String pattern,
      ReadBackFigures.Prefill prefill,
      List<Path> classPath,
      int messageBytes,
      boolean counted,
      Map<String, String> properties)
      implements Site {

    private static final int ARCHIVES = 7;
    private static final long NO_LIMIT = 1L << 40;

    /** Fills the log file. */
    static Site prepare(
        Path work, PlannedTrial planned, RunOptions options, BooleanSupplier cancelled)
        throws IOException {
      Path logs = Files.createDirectory(work.resolve("logs"));
      Path active = logs.resolve(Trial.LOG_FILE);
      long size = planned.sizeBytes() * (options.rotation() ? 1 : 2);
      long limit = size == 0 ? NO_LIMIT : size;
      return new BuiltIn(
          active,
          planned.trial().archives(logs),
          Prefill.write(active, planned.prefillBytes(options), cancelled),
          Site.classPath(planned),
          options.messageBytes(),
          planned.service() != null && planned.service().isLoggedByServer(),
          Map.of(
              "logs",
              logs.toString(),
              "limit",
              Long.toString(limit),
              "maxIndex",
              Integer.toString(Math.max(ARCHIVES, options.rotations()))));
    }

    @Override
    public LoadSpec.Target target() {
      return new LoadSpec.Target(
          LogLine.LOGGER,
          false,
          messageBytes,
          active.toString(),
          true,
          prefill.bytes(),
          active.getParent().toString(),
          pattern,
          null);
    }

    @Override
    public ReadBackFigures readBack(List<Long> sentByThread) throws IOException {
      if (counted) {
        return ReadBack.counted(active, pattern, sentByThread);
      }
      return ReadBack.of(active.getParent(), active, pattern, prefill, sentByThread);
    }
  }

  /** The files of a user's configuration: its directories below one root, with any layout. */
  record Sandbox(
      LoadSpec.Target target,
      ReadBackFigures.Prefill prefill,
      Map<String, String> properties,
      List<Path> classPath)
      implements Site {

    /**
     * Fills the active file to just below its limit. A file that never rolls over has no limit and
     * is not filled; its appender may empty it at the start.
     */
    static Site prepare(
        Path work, PlannedTrial planned, RunOptions options, BooleanSupplier cancelled)
        throws IOException {
      UserConfiguration.Sandboxed sandboxed = planned.trial().sandboxed();
      UserConfiguration asked = sandboxed.asked();
      Findings.LogFile file = sandboxed.file();
      Path root = work.resolve("files");
      Path active = root.resolve(activeNow(file));
      Files.createDirectories(active.getParent());
      ReadBackFigures.Prefill prefill =
          Prefill.write(active, file.rolls() ? planned.prefillBytes(options) : 0, cancelled);
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
          asked.systemProperties(
              work.resolve("sandbox.json"), root, limit, UserConfiguration.rotations(options));
      return new Sandbox(target, prefill, properties, asked.classPath());
    }

    /** Returns the active file's path, which may differ from that of the probe. */
    private static String activeNow(Findings.LogFile file) {
      return file.named()
          ? file.file()
          : new FileNamePattern(FileNames.withoutPacking(file.fileNamePattern()), new ContextBase())
              .convertMultipleArguments(new Date(), 0);
    }

    @Override
    public ReadBackFigures readBack(List<Long> sentByThread) throws IOException {
      return ReadBack.of(
          Path.of(target.directory()),
          target.named() ? Path.of(target.activeFile()) : null,
          target.fileNamePattern(),
          prefill,
          sentByThread);
    }
  }
}
