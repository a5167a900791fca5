package io.spillway.internal.spill;

import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Prints what waits in a spill directory, and changes nothing there. Its owner may be at work. */
public final class SpillInspection {
  private SpillInspection() {}

  /** Inspects a directory. Exit code 2: wrong arguments or no such directory. */
  public static void main(String[] arguments) {
    try {
      if (arguments.length == 1) {
        print(Path.of(arguments[0]), System.out);
        return;
      }
      System.err.println(
          "Usage: java -cp spillway.jar " + SpillInspection.class.getName() + " DIR");
    } catch (IOException e) {
      System.err.println("Cannot inspect [" + arguments[0] + "]: " + e);
    }
    System.exit(2);
  }

  static void print(Path directory, PrintStream out) throws IOException {
    SpillFiles files = new SpillFiles();
    List<String> others = new ArrayList<>();
    List<SpillDirectory.Name> names = SpillDirectory.names(files, directory, others);
    int segments = 0;
    long events = 0;
    long bytes = 0;
    for (SpillDirectory.Name name : names) {
      String what;
      try {
        long size = files.size(name.path());
        Segment segment = size > 0 ? Segment.load(files, name.path(), size, -1) : null;
        if (segment == null || name.corrupt()) {
          what = name.corrupt() ? "damaged, kept for inspection" : "empty, or of a later version";
        } else {
          what =
              segment.undeliveredEvents()
                  + " events, begun "
                  + Instant.ofEpochMilli(segment.created);
          what += segment.damage == null ? "" : ", damaged: " + segment.damage;
          segments++;
          events += segment.undeliveredEvents();
          bytes += segment.undeliveredBytes();
        }
      } catch (IOException e) {
        what = "cannot be read: " + e;
      }
      out.println(name.path().getFileName() + "  " + what);
    }
    out.println(segments + " segments, " + events + " events waiting, " + bytes + " bytes");
    if (!others.isEmpty()) {
      out.println("other files: " + others);
    }
  }
}
