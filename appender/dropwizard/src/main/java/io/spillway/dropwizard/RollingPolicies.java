package io.spillway.dropwizard;

import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.FileSize;
import io.dropwizard.logging.common.FileAppenderFactory;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.FixedWindowRollingPolicy;
import io.spillway.rolling.SizeAndTimeBasedRollingPolicy;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import io.spillway.rolling.TimeBasedRollingPolicy;
import java.io.File;

/**
 * Implements Dropwizard's rules for archives by the policies of {@link io.spillway.rolling}: by
 * size if there is a {@code maxFileSize}, by date if the pattern has {@code %d}, or both.
 */
final class RollingPolicies {
  private RollingPolicies() {}

  /** Adds the policies that the settings require to an appender whose file is set. */
  static <E> void add(SpillwayRollingFileAppender<E> appender, FileAppenderFactory<?> settings) {
    if (!settings.isArchive()) {
      start(appender, new NoRollover<E>());
      return;
    }
    if (isFixedWindow(settings)) {
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setMaxIndex(settings.getArchivedFileCount());
      policy.setFileNamePattern(settings.getArchivedLogFilenamePattern());
      start(appender, policy);
      SizeBasedTriggeringPolicy<E> size = new SizeBasedTriggeringPolicy<>();
      size.setMaxFileSize(new FileSize(settings.getMaxFileSize().toBytes()));
      size.setContext(appender.getContext());
      size.start();
      appender.setTriggeringPolicy(size);
      return;
    }
    ch.qos.logback.core.rolling.TimeBasedRollingPolicy<E> policy = byTime(settings);
    policy.setMaxHistory(settings.getArchivedFileCount());
    if (settings.getTotalSizeCap() != null) {
      policy.setTotalSizeCap(new FileSize(settings.getTotalSizeCap().toBytes()));
    }
    policy.setFileNamePattern(settings.getArchivedLogFilenamePattern());
    start(appender, policy);
  }

  /** Returns whether archives are numbered by age; then a count of zero would keep none. */
  static boolean isFixedWindow(FileAppenderFactory<?> settings) {
    String pattern = settings.getArchivedLogFilenamePattern();
    return settings.isArchive()
        && settings.getMaxFileSize() != null
        && pattern != null
        && !pattern.contains("%d");
  }

  private static <E> ch.qos.logback.core.rolling.TimeBasedRollingPolicy<E> byTime(
      FileAppenderFactory<?> settings) {
    if (settings.getMaxFileSize() == null) {
      return new TimeBasedRollingPolicy<>();
    }
    SizeAndTimeBasedRollingPolicy<E> policy = new SizeAndTimeBasedRollingPolicy<>();
    policy.setMaxFileSize(new FileSize(settings.getMaxFileSize().toBytes()));
    return policy;
  }

  private static <P extends RollingPolicy & ContextAware> void start(
      SpillwayRollingFileAppender<?> appender, P policy) {
    policy.setContext(appender.getContext());
    policy.setParent(appender);
    appender.setRollingPolicy(policy);
    policy.start();
  }

  /** Never rolls over, so that one file grows: Dropwizard's {@code archive: false}. */
  private static final class NoRollover<E> extends RollingPolicyBase
      implements TriggeringPolicy<E> {
    @Override
    public boolean isTriggeringEvent(File activeFile, E event) {
      return false;
    }

    @Override
    public void rollover() {
      // a rollover requested from the appender reopens the same file
    }

    @Override
    public String getActiveFileName() {
      return getParentsRawFileProperty();
    }
  }
}
