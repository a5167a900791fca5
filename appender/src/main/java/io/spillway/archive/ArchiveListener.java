package io.spillway.archive;

import java.nio.file.Path;

/**
 * Receives each archive once it is complete, for example to upload it: {@code <archiveListener
 * class="com.example.Upload"/>} within a {@code TimeBasedRollingPolicy} or {@code
 * SizeAndTimeBasedRollingPolicy} of {@code io.spillway.rolling}.
 *
 * <p>A thread of its own calls the listener, so no log call waits for it. Each archive is given at
 * least once, including those of an earlier run; after a crash or a stop during a call it is given
 * again. A listener that is a {@code LifeCycle} is started before its first call, again after a
 * second if that throws, and stopped with the policy, even during a call.
 */
@FunctionalInterface
public interface ArchiveListener {
  /**
   * Takes an archive, which is not given again once this method has returned. It may change or
   * delete it. A call has no time limit; other archives of the policy wait for it.
   *
   * @param archive absolute path; the file keeps this name until retention deletes it
   * @throws Exception to have the archive given again, after a second at first, then after pauses
   *     of up to four minutes; other archives are given meanwhile
   */
  void archived(Path archive) throws Exception;
}
