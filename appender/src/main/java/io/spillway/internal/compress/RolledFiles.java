package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk.State;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * The rolled files of one policy, as the compressor uses them. All methods except {@link #names},
 * {@link #active} and {@link #published} are called by the compressor thread, which is the only
 * thread that renames rolled files and the only one that deletes.
 */
public interface RolledFiles {
  /**
   * Returns the names of the policy's files.
   *
   * @return always the same object
   */
  ArchiveNames names();

  /**
   * Returns the active file.
   *
   * @return its path, whether the file exists or not
   */
  Path active();

  /**
   * Returns whether a file that was seen in its directory is the active file, or is about to be:
   * without {@code <file>} the next file is created before it becomes the active one.
   *
   * @param file the path of a file that was seen before this call, or the result is of no use
   * @return false if it is a rolled file or an archive
   */
  boolean isWritten(Path file);

  /**
   * Claims a file until {@link #release}, so that the appender does not make it the active file
   * meanwhile, as it can after a clock step without {@code <file>}.
   *
   * @param file a rolled file or an archive
   * @return false if the file is being written, and must stay as it is
   */
  boolean take(Path file);

  /** Ends the last {@link #take}: the file may be written again. */
  void release();

  /**
   * Chooses the name of a rolled file and makes room for it.
   *
   * @param rolled the oldest file that waits for its raw name
   * @return a raw name, which is free together with its archive
   * @throws IOException if no name is available; the call is repeated a second later
   */
  Path place(RolledName rolled) throws IOException;

  /**
   * Chooses another name for a raw file whose archive's name is taken.
   *
   * @param raw an existing raw file
   * @return a raw name, which is free together with its archive
   * @throws IOException if no name is available
   */
  Path aside(Path raw) throws IOException;

  /**
   * Returns whether an earlier appender is still in a rollover of stock Logback, which writes an
   * archive and then deletes its source. Called before the first sweep, which waits for the end of
   * that rollover.
   *
   * @return false if no such rollover is running
   */
  default boolean isRolledElsewhere() {
    return false;
  }

  /**
   * Returns an archive that stock Logback may have left although its content is still in the file
   * that was active at the start. Called after the first sweep.
   *
   * @return the archive and that file; null if there is none
   */
  LogbackLeftover suspect();

  /**
   * An archive, and the file that it may have been made from.
   *
   * @param archive the archive's path
   * @param source the state of the active file at the start
   */
  record LogbackLeftover(Path archive, State source) {}

  /**
   * Returns the name of a rolled file inside its archive, for formats that store a name.
   *
   * @param raw the file's path
   * @param modified time of the last write
   * @return a file name
   */
  default String entryName(Path raw, Instant modified) {
    return raw.getFileName().toString();
  }

  /**
   * Returns whether the archives have a size limit, which does not count files that wait.
   *
   * @return false if there is no such limit
   */
  default boolean isCapped() {
    return false;
  }

  /**
   * Returns a raw name that the active file is expected to get at its rollover. The name only
   * decides where the archive is written while the active file is followed, and what its entry is
   * called; if the entry's name turns out wrong, the file is archived after the rollover.
   *
   * @return a path that the policy's names match
   * @throws IOException if archives must be listed for the name, and cannot be
   */
  Path upcoming() throws IOException;

  /**
   * Called after each sweep, before a rolled file is placed.
   *
   * @throws IOException if what a crash left could not be repaired, which is reported
   */
  void swept() throws IOException;

  /**
   * Called for each archive that is complete and has its name, before its rolled file is deleted.
   * Without compression, the archive is the rolled file itself. Also called by the thread that
   * writes the log, so it must not wait for a lock or a disk.
   *
   * @param archive the archive's path
   */
  default void published(Path archive) {}

  /**
   * Called after each sweep, rollover and published archive, to apply retention.
   *
   * @throws IOException if a directory cannot be listed; like anything that is thrown, this is
   *     reported, and the call is repeated after a pause
   */
  void settled() throws IOException;
}
