package io.spillway.stress.plan;

import io.spillway.stress.load.LoadTarget;
import io.spillway.stress.report.ReadBackFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Where a trial writes, prepared for it, and how that is read back. */
interface Site {
  /** What the load goes to. */
  LoadTarget target();

  /** What was in the file before. */
  ReadBackFigures.Prefill prefill();

  /** System properties for the forked JVM. */
  Map<String, String> properties();

  /** What comes before the harness on its class path. */
  List<Path> classPath();

  /** Accounts for every line. */
  ReadBackFigures readBack(List<Long> sentByThread) throws IOException;
}
