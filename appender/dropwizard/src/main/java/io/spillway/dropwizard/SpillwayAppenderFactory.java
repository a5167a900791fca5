package io.spillway.dropwizard;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.spi.DeferredProcessingAware;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeName;
import io.dropwizard.logging.common.FileAppenderFactory;
import io.dropwizard.logging.common.async.AsyncAppenderFactory;
import io.dropwizard.logging.common.filter.LevelFilterFactory;
import io.dropwizard.logging.common.layout.LayoutFactory;
import io.dropwizard.util.DataSize;
import io.dropwizard.util.DataSizeUnit;
import io.dropwizard.util.Duration;
import io.dropwizard.validation.BaseValidator;
import io.dropwizard.validation.ConstraintViolations;
import io.dropwizard.validation.MinDataSize;
import io.dropwizard.validation.OneOf;
import io.dropwizard.validation.selfvalidating.SelfValidating;
import io.dropwizard.validation.selfvalidating.SelfValidation;
import io.dropwizard.validation.selfvalidating.ViolationCollector;
import io.spillway.SpillwayRollingFileAppender;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.constraints.NotNull;
import java.io.File;
import java.util.Map;
import java.util.Set;

/**
 * The appender type {@code spillway}, for {@code logging.appenders} and {@code
 * server.requestLog.appenders}: a replacement of Dropwizard's type {@code file} and its
 * asynchronous queue, with which requests do not wait for the log file.
 *
 * <pre>{@code
 * - type: spillway
 *   currentLogFilename: logs/access.log
 *   archivedLogFilenamePattern: logs/access.%d{yyyy-MM-dd}.%i.log.gz
 *   maxFileSize: 1GiB
 * }</pre>
 *
 * <p>It has the settings of {@code file}, with three differences: {@code bufferSize} and {@code
 * immediateFlush} have no effect, since every batch is one write, and {@code messageRate} is
 * refused. The policies are those of {@link io.spillway.rolling}, which compress in the background.
 * A wrong setting stops Dropwizard with a message that names the setting, its value and what is
 * allowed.
 *
 * <p>Events are encoded on the thread that logs, access events on the thread of the request,
 * because Jetty reuses request objects.
 *
 * @param <E> log events or access events
 */
@JsonTypeName("spillway")
@SelfValidating
public class SpillwayAppenderFactory<E extends DeferredProcessingAware>
    extends FileAppenderFactory<E> {
  private static final int DEFAULT_QUEUE_SIZE = 16_384;
  private static final int LARGEST_QUEUE_SIZE = 1 << 24;
  private static final String OS = "OS";
  private static final String VALUE = "has the value [${validatedValue}]; allowed: ";
  private static final String PARAMETER = "has the value [{value}]; allowed: ";

  private String spillDirectory;

  @NotNull
  @MinDataSize(value = 1, unit = DataSizeUnit.MEBIBYTES, message = VALUE + "1MiB or more")
  private DataSize maxSpillSize = DataSize.gibibytes(1);

  @NotNull
  @OneOf(
      value = {"OVERFLOW", "ALWAYS"},
      ignoreCase = true,
      message = VALUE + "OVERFLOW, ALWAYS")
  private String spillMode = "OVERFLOW";

  @NotNull private String spillSync = OS;

  @OneOf(
      value = {"BLOCK", "DROP", "DROP_OLDEST"},
      ignoreCase = true,
      message = VALUE + "BLOCK, DROP, DROP_OLDEST")
  private String whenFull;

  @OneOf(
      value = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR"},
      ignoreCase = true,
      message = VALUE + "TRACE, DEBUG, INFO, WARN, ERROR")
  private String whenFullKeepLevel;

  private boolean neverBlock;

  @NotNull private Duration maxFlushTime = Duration.seconds(1);

  /** Creates a factory with all defaults; Dropwizard sets the configured values. */
  public SpillwayAppenderFactory() {
    setQueueSize(DEFAULT_QUEUE_SIZE);
  }

  /**
   * Returns the directory of the spill.
   *
   * @return a path; null, the default, for {@code <currentLogFilename>.spill}
   */
  @JsonProperty
  public String getSpillDirectory() {
    return spillDirectory;
  }

  /**
   * Sets {@link #getSpillDirectory}.
   *
   * @param path created if missing; while it cannot be written, a warning is reported, and only the
   *     ring holds events that wait for the file
   */
  @JsonProperty
  public void setSpillDirectory(String path) {
    spillDirectory = path;
  }

  /**
   * Returns the most disk space that the spill takes.
   *
   * @return at least 1 MiB; 1 GiB by default
   */
  @JsonProperty
  public DataSize getMaxSpillSize() {
    return maxSpillSize;
  }

  /**
   * Sets {@link #getMaxSpillSize}.
   *
   * @param size at least 1 MiB
   */
  @JsonProperty
  public void setMaxSpillSize(DataSize size) {
    maxSpillSize = size;
  }

  /**
   * Returns when events go through the spill.
   *
   * @return {@code OVERFLOW}, the default, or {@code ALWAYS}
   */
  @JsonProperty
  public String getSpillMode() {
    return spillMode;
  }

  /**
   * Sets {@link #getSpillMode}.
   *
   * @param mode {@code OVERFLOW} or {@code ALWAYS}
   */
  @JsonProperty
  public void setSpillMode(String mode) {
    spillMode = mode;
  }

  /**
   * Returns how often the spill is forced to disk, so that it survives a power failure.
   *
   * @return {@code OS}, the default, which leaves it to the operating system, or a duration
   */
  @JsonProperty
  public String getSpillSync() {
    return spillSync;
  }

  /**
   * Sets {@link #getSpillSync}.
   *
   * @param interval {@code OS}, or a duration of 1 ms or more
   */
  @JsonProperty
  public void setSpillSync(String interval) {
    spillSync = interval;
  }

  /**
   * Returns what a log call does while the ring is full.
   *
   * @return {@code BLOCK}, {@code DROP} or {@code DROP_OLDEST}; null, the default, for {@code
   *     BLOCK}, or for {@code DROP} if {@code neverBlock} is true
   */
  @JsonProperty
  public String getWhenFull() {
    return whenFull;
  }

  /**
   * Sets {@link #getWhenFull}.
   *
   * @param policy {@code BLOCK}, {@code DROP} or {@code DROP_OLDEST}
   */
  @JsonProperty
  public void setWhenFull(String policy) {
    whenFull = policy;
  }

  /**
   * Returns the level from which on log calls wait for room where {@code DROP} drops others.
   *
   * @return a level; null, the default, if all events may be dropped
   */
  @JsonProperty
  public String getWhenFullKeepLevel() {
    return whenFullKeepLevel;
  }

  /**
   * Sets {@link #getWhenFullKeepLevel}.
   *
   * @param level {@code TRACE}, {@code DEBUG}, {@code INFO}, {@code WARN} or {@code ERROR}
   */
  @JsonProperty
  public void setWhenFullKeepLevel(String level) {
    whenFullKeepLevel = level;
  }

  /**
   * Returns how long a stop waits for the file; the rest stays in the spill for the next start.
   *
   * @return 1 second by default; 0 for no limit
   */
  @JsonProperty
  public Duration getMaxFlushTime() {
    return maxFlushTime;
  }

  /**
   * Sets {@link #getMaxFlushTime}.
   *
   * @param time 1 ms or more; 0 for no limit
   */
  @JsonProperty
  public void setMaxFlushTime(Duration time) {
    maxFlushTime = time;
  }

  @Override
  public void setNeverBlock(boolean neverBlock) {
    super.setNeverBlock(neverBlock);
    this.neverBlock = neverBlock;
  }

  /**
   * Checks settings that annotations cannot check, such as those that depend on each other.
   *
   * @param violations receives a message for each wrong setting
   */
  @SelfValidation
  public void check(ViolationCollector violations) {
    if (getQueueSize() > LARGEST_QUEUE_SIZE) {
      refuse(violations, "queueSize", getQueueSize(), "1 to " + LARGEST_QUEUE_SIZE);
    }
    if (spillSync != null && syncMillis() == null) {
      refuse(violations, "spillSync", spillSync, "OS, or a duration of 1ms or more");
    }
    if (maxFlushTime != null
        && maxFlushTime.getQuantity() != 0
        && maxFlushTime.toMilliseconds() < 1) {
      refuse(violations, "maxFlushTime", maxFlushTime, "0, or a duration of 1ms or more");
    }
    if (whenFullKeepLevel != null && !drops()) {
      refuse(violations, "whenFullKeepLevel", whenFullKeepLevel, "none unless whenFull is DROP");
    }
    if (RollingPolicies.isFixedWindow(this) && getArchivedFileCount() == 0) {
      refuse(
          violations,
          "archivedFileCount",
          0,
          "1 or more if archivedLogFilenamePattern has no date (%d)");
    }
    if (getMessageRate() != null) {
      refuse(violations, "messageRate", getMessageRate(), "none, since nothing is dropped here");
    }
  }

  private boolean drops() {
    return whenFull == null ? neverBlock : whenFull.equalsIgnoreCase("DROP");
  }

  private static void refuse(
      ViolationCollector violations, String setting, Object value, String allowed) {
    violations.addViolation(setting, PARAMETER + allowed, Map.of("value", value));
  }

  /** Returns the interval in milliseconds, 0 for {@code OS}, or null if the setting is wrong. */
  private Long syncMillis() {
    if (OS.equalsIgnoreCase(spillSync)) {
      return 0L;
    }
    try {
      long millis = Duration.parse(spillSync).toMilliseconds();
      return millis < 1 ? null : (Long) millis;
    } catch (IllegalArgumentException e) {
      return null; // reported with what is allowed
    }
  }

  /**
   * Builds and starts the appender.
   *
   * @throws IllegalStateException if it cannot start, for example because of a wrong setting; the
   *     message says why
   */
  @Override
  public Appender<E> build(
      LoggerContext context,
      String applicationName,
      LayoutFactory<E> layoutFactory,
      LevelFilterFactory<E> levelFilterFactory,
      AsyncAppenderFactory<E> asyncAppenderFactory) {
    // Dropwizard does not validate the appenders of logging.loggers.
    Set<ConstraintViolation<SpillwayAppenderFactory<E>>> wrong =
        BaseValidator.newValidator().validate(this);
    if (!wrong.isEmpty()) {
      throw new IllegalStateException(
          "An appender of type spillway cannot start: "
              + String.join("; ", ConstraintViolations.format(wrong)));
    }
    try (StartErrors errors = new StartErrors(context)) {
      Appender<E> appender =
          super.build(
              context, applicationName, layoutFactory, levelFilterFactory, asyncAppenderFactory);
      if (!appender.isStarted()) {
        throw new IllegalStateException(
            "The appender [" + appender.getName() + "] of type spillway cannot start. " + errors);
      }
      return appender;
    }
  }

  /** Names the appender after its file, so that logs can be told apart in JMX. */
  @Override
  protected OutputStreamAppender<E> appender(LoggerContext context) {
    OutputStreamAppender<E> appender = super.appender(context);
    appender.setName(name());
    return appender;
  }

  private String name() {
    String file = getCurrentLogFilename();
    return new File(file == null ? getArchivedLogFilenamePattern() : file).getName();
  }

  @Override
  protected FileAppender<E> buildAppender(LoggerContext context) {
    SpillwayRollingFileAppender<E> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName(name());
    appender.setFile(getCurrentLogFilename());
    appender.setQueueSize(String.valueOf(getQueueSize()));
    appender.setDiscardingThreshold(String.valueOf(getDiscardingThreshold()));
    appender.setMaxSpillSize(String.valueOf(maxSpillSize.toBytes()));
    appender.setSpillMode(spillMode);
    appender.setSpillSync(OS.equalsIgnoreCase(spillSync) ? OS : String.valueOf(syncMillis()));
    appender.setNeverBlock(String.valueOf(neverBlock));
    appender.setMaxFlushTime(String.valueOf(maxFlushTime.toMilliseconds()));
    if (whenFull != null) {
      appender.setWhenFull(whenFull);
    }
    if (whenFullKeepLevel != null) {
      appender.setWhenFullKeepLevel(whenFullKeepLevel);
    }
    if (spillDirectory != null) {
      appender.setSpillDirectory(spillDirectory);
    }

    RollingPolicies.add(appender, this);
    return appender;
  }

  /** Returns the appender without a queue in front of it, because it is asynchronous itself. */
  @Override
  protected Appender<E> wrapAsync(
      Appender<E> appender, AsyncAppenderFactory<E> asyncAppenderFactory, Context context) {
    return appender;
  }
}
