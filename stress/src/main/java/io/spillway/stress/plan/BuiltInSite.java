package io.spillway.stress.plan;

import io.spillway.stress.load.LoadTarget;
import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.verify.LogLine;
import io.spillway.stress.verify.ReadBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** One of the harness's own configurations: everything in one directory, a layout that is known. */
record BuiltInSite(
    Path active,
    ReadBackFigures.Prefill prefill,
    List<Path> classPath,
    int messageBytes,
    Map<String, String> properties)
    implements Site {

  /**
   * Copies the prefilled file.
   *
   * @param prefilled has one of the length that the trial needs
   * @param classPath what comes before the harness
   */
  static Site prepare(
      Path work,
      PlannedTrial planned,
      PrefillFiles prefilled,
      List<Path> classPath,
      RunOptions options,
      BooleanSupplier cancelled)
      throws IOException {
    Path logs = Files.createDirectory(work.resolve("logs"));
    Path active = logs.resolve("app.log");
    long length = planned.prefillBytes(options);
    Prefill.copy(prefilled.file(length), active, cancelled);
    long limit = planned.sizeBytes() * (options.rotation() ? 1 : 2);
    return new BuiltInSite(
        active,
        prefilled.figures(length),
        classPath,
        options.messageBytes(),
        Map.of("logs", logs.toString(), "limit", Long.toString(limit)));
  }

  @Override
  public LoadTarget target() {
    return new LoadTarget(
        LogLine.LOGGER,
        false,
        messageBytes,
        active.toString(),
        true,
        prefill.bytes(),
        active.getParent().toString(),
        null,
        null);
  }

  @Override
  public ReadBackFigures readBack(List<Long> sentByThread) throws IOException {
    return ReadBack.of(active, prefill, sentByThread);
  }
}
