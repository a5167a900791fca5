package io.spillway.archive;

import java.nio.file.Path;

/**
 * Is given each archive once it is whole, for example to upload it. Set it on a {@code
 * TimeBasedRollingPolicy} or {@code SizeAndTimeBasedRollingPolicy} of {@code io.spillway.rolling}:
 *
 * <pre>{@code
 * <rollingPolicy class="io.spillway.rolling.TimeBasedRollingPolicy">
 *   <fileNamePattern>logs/app.%d.log.gz</fileNamePattern>
 *   <archiveListener class="com.example.Upload"/>
 * </rollingPolicy>
 * }</pre>
 *
 * <p>It is called by a thread of its own, so that neither the writer nor the compressor waits for
 * it. Each archive is given at least once, also one that an earlier run of the application left;
 * after a crash, or if it took long at a stop, once more: then perhaps while that call still runs.
 *
 * <p>One that is a {@code LifeCycle} is started before its first call, and stopped with the policy,
 * also while a call runs.
 */
@FunctionalInterface
public interface ArchiveListener {
  /**
   * Takes an archive: when this returns, it is not given again. It may change or delete the
   * archive, unless the appender has neither {@code <file>} nor compression: then a clock that is
   * set back makes an archive the active file again, and it is given once more when it is rolled
   * over. It may take as long as it likes; other archives of the same policy wait.
   *
   * @param archive absolute; whole, and under this name until retention deletes it, which does not
   *     wait for this call
   * @throws Exception to have it given again, after a second at first, then after pauses of up to
   *     five minutes; others are given meanwhile
   */
  void archived(Path archive) throws Exception;
}
