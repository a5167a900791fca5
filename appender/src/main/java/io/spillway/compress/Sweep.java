package io.spillway.compress;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Goes through the policy's files once, without a lock, and clears up what a crash or stock Logback
 * left; rolled files found here wait for their turn, which is when their archives are looked at,
 * too. Touches exact names only.
 */
final class Sweep {
  private final Parts parts;
  private IOException failure;
  private long rolledFiles;
  private long rolledBytes;
  private long rubbish;

  Sweep(Parts parts) {
    this.parts = parts;
  }

  /** Throws what kept it from doing all; what could be done is done. */
  void run() throws IOException {
    parts.names().walk(parts.files(), this::visit);
    if (rolledFiles > 0 && !parts.names().isInPlace()) {
      parts
          .reports()
          .info(
              "archive.sweep",
              rolledFiles
                  + " rolled files ("
                  + rolledBytes
                  + " bytes) were left to be archived; they are archived in the background.");
    }
    if (rubbish > 0) {
      parts
          .reports()
          .info("archive.sweep.rubbish", rubbish + " unfinished or used files were removed.");
    }
    if (failure != null) {
      throw failure;
    }
  }

  private boolean visit(Path file, ArchiveNames.Kind kind, long bytes) {
    try {
      switch (kind) {
        case RAW -> found(file, bytes);
        case STOCK_TMP -> adopt(file, bytes);
        case PART -> removePart(file);
        case DONE -> remove(file);
        default -> {} // archives are what is wanted
      }
    } catch (IOException e) {
      remember(e);
    }
    return !parts.isStopped();
  }

  private void found(Path raw, long bytes) {
    parts.rolled().lock().lock();
    try {
      if (parts.rolled().isActive(raw)) {
        return; // without a name of its own, the active file has the next raw name
      }
    } finally {
      parts.rolled().lock().unlock();
    }
    rolledFiles++;
    rolledBytes += bytes;
    parts.backlog().found(raw, bytes);
  }

  /** Logback 1.5 moved the rolled file there to compress it: it becomes what it was. */
  private void adopt(Path tmp, long bytes) throws IOException {
    parts.rolled().lock().lock();
    try {
      if (parts.isStopped()) {
        return;
      }
      Path raw = parts.names().rawOfStockTmp(tmp);
      if (parts.files().state(raw) != null) {
        raw = parts.names().free(parts.files(), raw);
      }
      parts.files().rename(tmp, raw);
      found(raw, bytes);
    } finally {
      parts.rolled().lock().unlock();
    }
  }

  private void removePart(Path part) throws IOException {
    if (!parts.writing().contains(part)) {
      remove(part);
    }
  }

  private void remove(Path file) throws IOException {
    parts.files().delete(file);
    rubbish++;
  }

  private void remember(IOException e) {
    if (failure == null) {
      failure = e;
    } else {
      failure.addSuppressed(e);
    }
  }
}
