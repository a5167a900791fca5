package io.spillway.compress;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;

/**
 * The rolled files of one policy, as the compressor sees them. The directory is the queue: a rolled
 * file that lies there under its raw name waits to be archived.
 *
 * <p>Rules: (1) every rename of a raw file or an archive happens under {@link #lock()}; (2) under
 * it files are renamed, looked at and opened only, because a rollover may be waiting for it: no
 * fsync, no listing, no unlink of a big file; (3) nobody but the compressor deletes; (4) a raw file
 * and the archive of its name may both exist for a moment, and after a crash; whoever moves one
 * moves both.
 */
public interface RolledFiles {
  /**
   * Guards the names.
   *
   * @return always the same lock, reentrant
   */
  Lock lock();

  /**
   * The raw file to be archived next, the oldest first. Called on the compressor's thread, without
   * the lock; may list directories.
   *
   * @param ready says no to files that are put off
   * @return null if none is waiting
   * @throws IOException if a directory cannot be listed; asked again later
   */
  Path next(Predicate<Path> ready) throws IOException;

  /**
   * Whether the file is being written by the appender now, as after a clock step without {@code
   * <file>}. Called under the lock.
   *
   * @param raw a raw file
   * @return true if it must stay as it is
   */
  boolean isActive(Path raw);

  /**
   * Gives a raw file whose archive name is taken another name whose archive name is free, by an
   * atomic rename. Called under the lock.
   *
   * @param raw an existing raw file
   * @return its new path
   * @throws IOException if it cannot be renamed
   */
  Path moveAside(Path raw) throws IOException;

  /**
   * An archive that the appender may have left although its content is still in the active file:
   * stock Logback compresses the active file itself for fixed windows. Asked after the first sweep,
   * on the compressor's thread, without the lock, and if it names one, again under the lock when
   * that has been compared.
   *
   * @return its path now, or null if there is no such archive
   */
  Path suspect();

  /**
   * The active file.
   *
   * @return its path, whether it exists or not
   */
  Path active();

  /**
   * The file that the {@linkplain #suspect() suspect} was made from: the active file, unless that
   * was rolled over meanwhile. Called under the lock.
   *
   * @return its path now, or null if it is gone
   */
  default Path suspectSource() {
    return active();
  }

  /**
   * What a rolled file is called inside of its archive, by formats that keep a name. Called on the
   * compressor's thread, without the lock.
   *
   * @param raw its path
   * @param modified when it was written last
   * @return a file name
   */
  default String entryName(Path raw, FileTime modified) {
    return raw.getFileName().toString();
  }

  /**
   * Told after each sweep, before {@link #settled}: rolled files may have appeared. On the
   * compressor's thread, without the lock.
   */
  default void swept() {}

  /**
   * An archive name that the active file may get when it is rolled over. It need not come true: it
   * only says where an archive is written while the active file is followed. Called on the
   * compressor's thread, without the lock.
   *
   * @return a path that the policy's names match
   */
  Path upcoming();

  /**
   * Told after each sweep, each rollover and each published archive, on the compressor's thread,
   * without the lock: the time for retention.
   *
   * @throws IOException if a directory cannot be listed; reported, and tried again after the next
   *     archive
   */
  void settled() throws IOException;
}
