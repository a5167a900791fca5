package io.spillway.archive;

import java.nio.file.Path;

/**
 * Receives each archive once it is complete, for example to upload it. Set it on a {@code
 * TimeBasedRollingPolicy} or {@code SizeAndTimeBasedRollingPolicy} of {@code io.spillway.rolling}:
 *
 * <pre>{@code
 * <rollingPolicy class="io.spillway.rolling.TimeBasedRollingPolicy">
 *   <fileNamePattern>logs/app.%d.log.gz</fileNamePattern>
 *   <archiveListener class="com.example.Upload"/>
 * </rollingPolicy>
 * }</pre>
 *
 * <p>A separate thread calls the listener, so neither the thread that writes the log nor the
 * compressor thread waits for it. Each archive is given at least once, including archives that an
 * earlier run of the application left. After a crash, or if a call outlasts a stop, an archive is
 * given again, perhaps while the earlier call still runs.
 *
 * <p>A listener that implements {@code LifeCycle} is started before its first call and stopped with
 * the policy, even while a call runs.
 */
@FunctionalInterface
public interface ArchiveListener {
  /**
   * Takes an archive, which is not given again once this method has returned. The method may change
   * or delete the archive, unless the appender has neither {@code <file>} nor compression: then a
   * clock that is set back makes an archive the active file again, and the archive is given once
   * more when it is rolled over. A call has no time limit; other archives of the same policy wait
   * for it.
   *
   * @param archive absolute path of the complete archive; the file keeps this name until retention
   *     deletes it, which does not wait for this call
   * @throws Exception to have the archive given again, after one second at first, then after pauses
   *     of up to five minutes; other archives are given meanwhile
   */
  void archived(Path archive) throws Exception;
}
