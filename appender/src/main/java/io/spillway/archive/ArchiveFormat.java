package io.spillway.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * How rolled files are compressed, chosen by the suffix of {@code fileNamePattern}. Built in are
 * {@code .gz}, {@code .zip}, {@code .zst} and {@code .xz}; others are found by {@link
 * java.util.ServiceLoader} in a jar that provides them. Implementations are stateless and
 * thread-safe.
 */
public interface ArchiveFormat {
  /**
   * What archive names end with.
   *
   * @return with the dot, as {@code .gz}
   */
  String suffix();

  /**
   * Whether {@link #compressing} takes this level.
   *
   * @param level as the user set it
   * @return false to have it refused
   */
  boolean isLevel(int level);

  /**
   * The level if the user sets none.
   *
   * @return a level that {@link #isLevel} takes
   */
  int defaultLevel();

  /**
   * Starts an archive.
   *
   * @param out takes the archive; closed with the returned stream
   * @param entryName name of the rolled file, for formats that keep one
   * @param level how hard to compress
   * @return takes the rolled file's bytes; closing it completes the archive
   * @throws IOException if {@code out} throws
   */
  OutputStream compressing(OutputStream out, String entryName, int level) throws IOException;

  /**
   * Reads an archive back.
   *
   * @param in the archive; closed with the returned stream
   * @return the rolled file's bytes; throws {@link IOException} where the archive is cut short or
   *     damaged, and never ends silently there
   * @throws IOException if its beginning is damaged already
   */
  InputStream decompressing(InputStream in) throws IOException;
}
