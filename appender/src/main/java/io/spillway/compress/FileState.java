package io.spillway.compress;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * What a name stands for at one moment; links are not followed.
 *
 * @param regular false for directories, links and devices: the name is taken, the file not ours
 * @param directory itself, not a link to one
 * @param key the file's identity, the same under every name it is moved to
 * @param bytes its length
 * @param modified when it was written last
 * @param permissions null where the file system has none
 */
record FileState(
    boolean regular,
    boolean directory,
    Object key,
    long bytes,
    FileTime modified,
    Set<PosixFilePermission> permissions) {

  boolean isSameFile(FileState other) {
    return other != null && other.regular && regular && key.equals(other.key);
  }
}
