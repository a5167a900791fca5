package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Told of everything worth a counter or a status message, by the thread that met it. Remembers
 * which operations are failing, so that the first success afterwards is told as well. This one does
 * nothing; what a subclass does must be quick and must not throw.
 *
 * <p>Concurrency: told by writer, reader and syncer. An operation belongs to one thread, so a
 * failure and its recovery cannot overtake each other; {@code failing} is concurrent because the
 * three share the set. {@link #succeeded} is on hot paths and reads a set that is empty all day.
 */
public class SpillListener {

  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  /** Nothing is failing yet. */
  public SpillListener() {}

  /**
   * Earlier runs left events behind. Taken from file sizes only, nothing has been read yet.
   *
   * @param segments number of segment files
   * @param bytes their size, as far as not known to be delivered
   */
  public void leftoversFound(int segments, long bytes) {}

  /**
   * Events are lost to damage.
   *
   * @param events how many: exact wherever sequence numbers show it, else the least it can be (1)
   * @param segment the damaged file
   * @param why what was found
   * @param leftover whether an earlier run had accepted them
   */
  public void recordsLost(long events, Path segment, String why, boolean leftover) {}

  /**
   * A file operation failed. Called for every failure: the implementation limits its reports.
   *
   * @param operation what was tried
   * @param path on which file
   * @param cause the failure
   */
  public void onFailure(String operation, Path path, IOException cause) {}

  /**
   * An operation that had failed has succeeded again.
   *
   * @param operation which
   */
  public void onRecovery(String operation) {}

  /**
   * A directory is locked by another process, or by another copy of these classes.
   *
   * @param directory that another spill has
   */
  public void inUse(Path directory) {}

  /**
   * Something an operator should look at.
   *
   * @param topic what the message is about: the implementation limits how often it tells of one,
   *     and keeps each. A slot's directory may be part of it, since slots are few; a file may not
   * @param message what it is and what to do
   */
  public void warning(String topic, String message) {}

  /**
   * Something an operator may want to know.
   *
   * @param topic as of {@link #warning}
   * @param message one sentence
   */
  public void notice(String topic, String message) {}

  /** For what is tried again; the others are told by {@link #onFailure} alone. */
  final void failed(String operation, Path path, IOException cause) {
    failing.add(operation);
    onFailure(operation, path, cause);
  }

  final void succeeded(String operation) {
    if (!failing.isEmpty() && failing.remove(operation)) {
      onRecovery(operation);
    }
  }

  /** Closes a file; null was not open. */
  final void close(Closeable file, Path path) {
    try {
      Disk.close(file);
    } catch (IOException e) {
      onFailure("close", path, e);
    }
  }

  /** Deletes a file that may stay for now; false if it did. */
  final boolean delete(Disk files, Path path) {
    try {
      files.delete(path);
      return true;
    } catch (IOException e) {
      onFailure("remove", path, e);
      return false;
    }
  }
}
