package io.spillway.internal.spill;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Told of everything worth a counter or a status message, by the thread that met it. Every method
 * does nothing by default. An implementation must be quick and must not throw.
 */
public interface SpillListener {

  /**
   * Earlier runs left events behind. Taken from file sizes only, nothing has been read yet.
   *
   * @param segments number of segment files
   * @param bytes their size, as far as not known to be delivered
   */
  default void leftoversFound(int segments, long bytes) {}

  /**
   * Events are lost to damage.
   *
   * @param events how many: exact wherever sequence numbers show it, else the least it can be (1)
   * @param segment the damaged file
   * @param why what was found
   * @param leftover whether an earlier run had accepted them
   */
  default void recordsLost(long events, Path segment, String why, boolean leftover) {}

  /**
   * A file operation failed. Called for every failure: the implementation limits its reports.
   *
   * @param operation what was tried
   * @param path on which file
   * @param cause the failure
   */
  default void failed(String operation, Path path, IOException cause) {}

  /**
   * An operation that had failed has succeeded again.
   *
   * @param operation which
   */
  default void recovered(String operation) {}

  /**
   * Something an operator should look at.
   *
   * @param message what it is and what to do
   */
  default void warning(String message) {}

  /**
   * Something an operator may want to know.
   *
   * @param message one sentence
   */
  default void notice(String message) {}
}
