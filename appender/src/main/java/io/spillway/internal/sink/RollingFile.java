package io.spillway.internal.sink;

import java.io.File;

/**
 * What the file sink needs of the rolling file appender that owns the policies. Called by the
 * deliverer thread only; may throw whatever a policy throws.
 */
public interface RollingFile {
  /**
   * Asks the triggering policy.
   *
   * @param activeFile the file that is written now
   * @return true if it is to be rolled over before the next write
   */
  boolean isTriggering(File activeFile);

  /**
   * Closes the active file, lets the rolling policy move it, opens the next one.
   *
   * @return false if the policy has told that it could not; true as far as can be known
   */
  boolean rollover();

  /**
   * Tells the policies.
   *
   * @param bytes just written
   * @param fileLength length of the file, all of it whole lines
   */
  void written(byte[] bytes, long fileLength);

  /** Writes the footer, closes the file, stops encoder and policies. */
  void close();
}
