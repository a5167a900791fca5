package io.spillway.stress.watch;

import io.spillway.stress.report.HtmlPage;
import io.spillway.stress.report.Json;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What a watch leaves in its directory.
 *
 * @param json the figures, as {@link WatchFigures} describes them
 * @param page the same to read, in one HTML file that needs no network
 */
record WatchFiles(Path json, Path page) {

  /** Writes both into a directory. */
  static WatchFiles write(Path directory, WatchFigures figures) throws IOException {
    WatchFiles files =
        new WatchFiles(directory.resolve("watch.json"), directory.resolve("watch.html"));
    Json.write(files.json, figures);
    HtmlPage.write(files.page, "Process " + figures.pid() + " watched", "watch.js", figures);
    return files;
  }
}
