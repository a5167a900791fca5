package io.spillway.internal.compress;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The so-manyth time that a run does a file operation of this name. */
record Point(String operation, int occurrence) {

  /** The points of a whole run over a {@link Corpus}: all, or the first and the last of a name. */
  static List<Point> ofWholeRun(Path place, boolean all) throws IOException {
    Map<String, Integer> counts = new LinkedHashMap<>();
    Corpus corpus = Corpus.plant(place);
    try (ArchiverRig rig = new ArchiverRig(place)) {
      rig.files.hook((number, operation, file) -> counts.merge(operation, 1, Integer::sum));
      rig.start();
      rig.awaitIdle();
      corpus.assertArchivedOnce();
    }
    List<Point> points = new ArrayList<>();
    counts.forEach(
        (operation, count) -> {
          for (int i = 1; i <= count; i++) {
            if (all || i == 1 || i == count) {
              points.add(new Point(operation, i));
            }
          }
        });
    return points;
  }

  /** Says whether the operations it is shown have come there. */
  final class Watch {
    private final AtomicInteger seen = new AtomicInteger();

    /** How often the point's operation has come, counting this one; 0 before the point. */
    int reached(String next) {
      int count = next.equals(operation) ? seen.incrementAndGet() : seen.get();
      return Math.max(0, count - occurrence + 1);
    }

    /** Whether this very operation is the point. */
    boolean isAt(String next) {
      return next.equals(operation) && reached(next) == 1;
    }
  }

  Watch watch() {
    return new Watch();
  }
}
