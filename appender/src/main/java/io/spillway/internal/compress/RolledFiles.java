package io.spillway.internal.compress;

import io.spillway.internal.disk.Disk.State;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;

/**
 * The rolled files of one policy, as the compressor sees them. All but {@link #published} is called
 * on the compressor's thread, which is the only one that renames what is rolled over and the only
 * one that deletes.
 */
public interface RolledFiles {
  /**
   * What names mean.
   *
   * @return always the same
   */
  ArchiveNames names();

  /**
   * The file that is written.
   *
   * @return its path, whether it exists or not
   */
  Path active();

  /**
   * Whether a file that was seen in its directory is the one that is written, or is about to be:
   * without {@code <file>} the next file is made a moment before it is the active one.
   *
   * @param file its path; seen before this is asked, or the answer is of no use
   * @return false if it is a rolled file or an archive
   */
  boolean isWritten(Path file);

  /**
   * Claims a file against its being written on, as after a clock step without {@code <file>}, until
   * {@link #release}: the appender does not make it its active file meanwhile.
   *
   * @param file a rolled file or an archive
   * @return false if it is being written, and must stay as it is
   */
  boolean take(Path file);

  /** The file that was taken last may be written again. */
  void release();

  /**
   * Chooses the name of a rolled file and makes room for it.
   *
   * @param rolled waits, the oldest
   * @return a raw name, which is free together with its archive
   * @throws IOException if none can be had; asked again a second later
   */
  Path place(RolledName rolled) throws IOException;

  /**
   * Chooses another name for a raw file whose archive's name is taken.
   *
   * @param raw an existing raw file
   * @return a raw name, which is free together with its archive
   * @throws IOException if none can be had
   */
  Path aside(Path raw) throws IOException;

  /**
   * Whether an earlier appender is still in a rollover of stock Logback's, which writes an archive
   * and then deletes the file that it is made of. Asked before the first sweep, which waits for it.
   *
   * @return false if what is there is what was left
   */
  default boolean isRolledElsewhere() {
    return false;
  }

  /**
   * An archive that stock Logback may have left although its content is still in the file that was
   * active at the start. Asked after the first sweep.
   *
   * @return null if there is none
   */
  Suspect suspect();

  /**
   * An archive, and the file that it may have been made from.
   *
   * @param archive its path
   * @param source what the active file was at the start
   */
  record Suspect(Path archive, State source) {}

  /**
   * What a rolled file is called inside of its archive, by formats that keep a name.
   *
   * @param raw its path
   * @param modified when it was written last
   * @return a file name
   */
  default String entryName(Path raw, Instant modified) {
    return raw.getFileName().toString();
  }

  /**
   * Whether archives are kept to a size, which rolled files that wait do not count towards.
   *
   * @return false if there is no such size
   */
  default boolean isCapped() {
    return false;
  }

  /**
   * A raw name that the active file may get when it is rolled over. It need not come true: it only
   * says where an archive is written while the active file is followed, and what the entry in it is
   * called; where that is not what it should be, the file is archived afterwards.
   *
   * @return a path that the policy's names match
   * @throws IOException if archives have to be listed for it, and cannot be
   */
  Path upcoming() throws IOException;

  /**
   * Told after each sweep, before a rolled file is placed.
   *
   * @throws IOException if what a crash left could not be mended; reported
   */
  void swept() throws IOException;

  /**
   * Told of each archive that is whole and has its name, before its rolled file is taken away.
   * Without compression, the archive is the rolled file itself. Also called by the thread that
   * writes the log, so it must not wait for a lock or a disk.
   *
   * @param archive its path
   */
  default void published(Path archive) {}

  /**
   * Told after each sweep, each rollover and each published archive: the time for retention.
   *
   * @throws IOException if a directory cannot be listed; as anything that is thrown it is reported,
   *     and tried again after a pause
   */
  void settled() throws IOException;
}
