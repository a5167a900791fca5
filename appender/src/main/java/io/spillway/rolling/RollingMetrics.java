package io.spillway.rolling;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.spi.AppenderAttachable;
import io.spillway.metrics.ArchiveMetrics;
import java.util.Iterator;

/** What waits to be archived and what has been, found through the appender. */
public final class RollingMetrics {
  private RollingMetrics() {}

  /**
   * Those of an appender's rolling policy.
   *
   * @param appender any
   * @return {@link ArchiveMetrics#NONE} if its policy is none of this package, or never started
   */
  public static ArchiveMetrics of(Appender<?> appender) {
    if (appender instanceof RollingFileAppender<?> rolling
        && rolling.getRollingPolicy() instanceof ArchivingPolicy policy) {
      ArchiveMetrics metrics = policy.getArchiveMetrics();
      return metrics == null ? ArchiveMetrics.NONE : metrics;
    }
    return ArchiveMetrics.NONE;
  }

  /**
   * Those of the first appender that has such figures.
   *
   * @param <E> the type of event
   * @param appenders nested in another
   * @return {@link ArchiveMetrics#NONE} if none has
   */
  public static <E> ArchiveMetrics of(AppenderAttachable<E> appenders) {
    Iterator<Appender<E>> all = appenders.iteratorForAppenders();
    ArchiveMetrics metrics = ArchiveMetrics.NONE;
    while (all.hasNext() && metrics == ArchiveMetrics.NONE) {
      metrics = of(all.next());
    }
    return metrics;
  }
}
