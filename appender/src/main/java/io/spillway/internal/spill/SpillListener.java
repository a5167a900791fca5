package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Receives everything in the spill that is worth a counter or a status message, on the thread that
 * encountered it. Remembers which operations are failing, so that their first success afterwards is
 * reported as well. The callbacks of this class do nothing; an override must be quick and must not
 * throw.
 *
 * <p>Concurrency: called by the writer, reader and syncer threads. An operation belongs to one
 * thread, so a failure and its recovery cannot overtake each other; {@code failing} is concurrent
 * because these threads share the set. {@link #succeeded} is on hot paths and reads a set that is
 * normally empty.
 */
public class SpillListener {

  private final Set<String> failing = ConcurrentHashMap.newKeySet();

  /** Creates a listener for which no operation is failing. */
  public SpillListener() {}

  /**
   * Reports that earlier runs left events behind. The figures are taken from file sizes only;
   * nothing has been read yet.
   *
   * @param segments number of segment files
   * @param bytes their size, without what is known to be delivered
   */
  public void leftoversFound(int segments, long bytes) {}

  /**
   * Reports events that are lost to damage.
   *
   * @param events how many: exact wherever sequence numbers show it, otherwise the least number
   *     possible, which is 1
   * @param segment the damaged file
   * @param why what was found
   * @param leftover whether an earlier run had accepted the events
   */
  public void recordsLost(long events, Path segment, String why, boolean leftover) {}

  /**
   * Reports that a file operation failed. Called for every failure: the implementation limits its
   * reports.
   *
   * @param operation what was tried
   * @param path the file or directory of the operation
   * @param cause the failure
   */
  public void onFailure(String operation, Path path, IOException cause) {}

  /**
   * Reports that an operation that had failed has succeeded again.
   *
   * @param operation the operation that succeeded
   */
  public void onRecovery(String operation) {}

  /**
   * Reports that a part of the spill was removed by another program and has been created again.
   *
   * @param topic as for {@link #warning}
   * @param message what was removed and what to do
   */
  public void onRecreation(String topic, String message) {}

  /**
   * Reports that a directory is locked by another process, or by another copy of these classes.
   *
   * @param directory the directory that another spill has locked
   */
  public void inUse(Path directory) {}

  /**
   * Reports something that an operator should check.
   *
   * @param topic what the message is about: the implementation limits how often it reports each
   *     topic, and keeps every topic it has seen. A slot's directory may be part of a topic, since
   *     slots are few; a file name must not be
   * @param message what was found and what to do
   */
  public void warning(String topic, String message) {}

  /**
   * Reports something that an operator may want to know.
   *
   * @param topic what the message is about, as for {@link #warning}
   * @param message one sentence
   */
  public void notice(String topic, String message) {}

  /**
   * Reports a failure of an operation that is tried again, so that its recovery is reported as
   * well. Failures of other operations go to {@link #onFailure} alone.
   */
  final void failed(String operation, Path path, IOException cause) {
    failing.add(operation);
    onFailure(operation, path, cause);
  }

  final void succeeded(String operation) {
    if (!failing.isEmpty() && failing.remove(operation)) {
      onRecovery(operation);
    }
  }

  /**
   * Reports that what was removed has been created again, which is no failure.
   *
   * @param operation what was done; its recovery is reported, whether it had failed before or not
   * @param topic as for {@link #warning}
   * @param message what was removed and what to do
   */
  final void recreated(String operation, String topic, String message) {
    failing.remove(operation);
    onRecreation(topic, message);
    onRecovery(operation);
  }

  /** Closes a file and reports a failure; null is ignored. */
  final void close(Closeable file, Path path) {
    try {
      Disk.close(file);
    } catch (IOException e) {
      onFailure("close", path, e);
    }
  }

  /** Deletes a file that may stay for now, and reports a failure; returns false if that failed. */
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
