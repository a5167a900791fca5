package io.spillway.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * A compression format of archives, chosen by the suffix of {@code fileNamePattern}. The formats of
 * {@code .gz}, {@code .zip}, {@code .zst} and {@code .xz} are built in; others are loaded by {@link
 * java.util.ServiceLoader} from the jars that provide them. Implementations must be stateless and
 * thread-safe.
 */
public interface ArchiveFormat {
  /**
   * Returns the suffix of the names of archives.
   *
   * @return the suffix with its dot, such as {@code .gz}; a format with an empty one is never
   *     chosen
   */
  String suffix();

  /**
   * Returns whether {@link #compressing} accepts a level.
   *
   * @param level the value of {@code compressionLevel}
   * @return false to have the setting refused
   */
  boolean isLevel(int level);

  /**
   * Returns the level that is used if {@code compressionLevel} is not set.
   *
   * @return a level that {@link #isLevel} accepts
   */
  int defaultLevel();

  /**
   * Starts an archive.
   *
   * @param out receives the archive; closed with the returned stream
   * @param entryName name of the rolled file, for formats that store one
   * @param level a level that {@link #isLevel} accepts
   * @return a stream for the rolled file's bytes; closing it completes the archive
   * @throws IOException if {@code out} throws
   */
  OutputStream compressing(OutputStream out, String entryName, int level) throws IOException;

  /**
   * Reads an archive back.
   *
   * @param in the archive; closed with the returned stream
   * @return the rolled file's bytes; reading throws {@link IOException} where these are cut short
   *     or damaged, and never reports a normal end there
   * @throws IOException if the beginning of the archive is damaged
   */
  InputStream decompressing(InputStream in) throws IOException;
}
