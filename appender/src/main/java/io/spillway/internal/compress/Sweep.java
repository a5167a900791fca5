package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk.State;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Goes through the policy's files once and clears up what a crash or stock Logback left; rolled
 * files found here wait for their turn, which is when their archives are looked at, too. Touches
 * exact names only.
 */
final class Sweep implements ArchiveNames.Visitor {
  private final NameWriter writer;
  private IOException failure;
  private long rolledFiles;
  private long rolledBytes;
  private long rubbish;

  Sweep(NameWriter writer) {
    this.writer = writer;
  }

  /** Throws what kept it from doing all; what could be done is done. */
  void run() throws IOException {
    writer.names.walk(writer.files, this);
    for (RolledName rolled : RolledName.list(writer.files, writer.policy.active())) {
      State state = writer.files.state(rolled.path());
      if (state != null) {
        found(rolled.path(), false, state);
      }
    }
    if (rolledFiles > 0) {
      writer.reports.info(
          "archive.sweep",
          rolledFiles
              + " rolled files ("
              + rolledBytes
              + " bytes) were left to be archived; they are archived in the background.");
    }
    if (rubbish > 0) {
      writer.reports.info(
          "archive.sweep.rubbish", rubbish + " unfinished or used files were removed.");
    }
    if (failure != null) {
      throw failure;
    }
  }

  @Override
  public boolean visit(Path file, ArchiveNames.Kind kind, State state) {
    try {
      if (kind == ArchiveNames.Kind.RAW) {
        found(file, true, state);
      } else if (kind == ArchiveNames.Kind.STOCK_TMP) {
        adopt(file, state);
      } else if (kind == ArchiveNames.Kind.PART) {
        removePart(file);
      } else if (kind == ArchiveNames.Kind.DONE) {
        remove(file);
      } // archives are what is wanted
    } catch (IOException e) {
      if (failure == null) {
        failure = e;
      } else {
        failure.addSuppressed(e);
      }
    }
    return !writer.isStopped();
  }

  private void found(Path file, boolean placed, State state) {
    if (file.equals(writer.policy.active())) {
      return; // without a name of its own, the active file has the next raw name
    }
    rolledFiles++;
    rolledBytes += state.bytes();
    writer.backlog.found(file, placed, state);
  }

  /** Logback 1.5 moved the rolled file there to compress it: it becomes what it was. */
  private void adopt(Path tmp, State state) throws IOException {
    Path raw = writer.names.rawOfStockTmp(tmp);
    if (writer.files.state(raw) != null) {
      raw = writer.names.free(writer.files, raw);
    }
    writer.rename(tmp, raw);
    found(raw, true, state);
  }

  private void removePart(Path part) throws IOException {
    if (!writer.isWriting(part)) {
      remove(part);
    }
  }

  private void remove(Path file) throws IOException {
    writer.files.delete(file);
    rubbish++;
  }
}
