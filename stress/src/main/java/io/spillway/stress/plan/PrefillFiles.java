package io.spillway.stress.plan;

import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.ReadBackFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** The files that trials begin with a copy of: one for each length that a run needs. */
final class PrefillFiles {

  private final Map<Long, ReadBackFigures.Prefill> figures = new TreeMap<>();
  private final RunDirectory directory;

  private PrefillFiles(RunDirectory directory) {
    this.directory = directory;
  }

  static PrefillFiles write(RunDirectory directory, List<Long> lengths, BooleanSupplier cancelled)
      throws IOException {
    PrefillFiles files = new PrefillFiles(directory);
    for (long length : lengths) {
      files.figures.put(length, Prefill.write(files.file(length), length, cancelled));
    }
    return files;
  }

  /** Somebody else's configuration has its own directories, and is filled in place. */
  static List<Long> lengths(List<PlannedTrial> trials, RunOptions options) {
    return trials.stream()
        .filter(planned -> planned.trial().sandboxed() == null)
        .map(planned -> planned.prefillBytes(options))
        .distinct()
        .toList();
  }

  Path file(long length) {
    return directory.prefill(length);
  }

  ReadBackFigures.Prefill figures(long length) {
    return figures.get(length);
  }

  /** The shortest first. */
  List<ReadBackFigures.Prefill> all() {
    return List.copyOf(figures.values());
  }
}
