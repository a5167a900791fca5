package io.spillway.dropwizard;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.spi.DeferredProcessingAware;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonTypeName;
import io.dropwizard.logging.common.FileAppenderFactory;
import io.dropwizard.logging.common.async.AsyncAppenderFactory;
import io.dropwizard.logging.common.filter.LevelFilterFactory;
import io.dropwizard.logging.common.layout.LayoutFactory;
import io.dropwizard.util.DataSize;
import io.spillway.SpillwayRollingFileAppender;
import java.io.File;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

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
public class SpillwayAppenderFactory<E extends DeferredProcessingAware>
    extends FileAppenderFactory<E> {
  private String spillDirectory;
  private String maxSpillSize = "1 GB";
  private String spillMode = "OVERFLOW";
  private String spillSync = "OS";
  private String whenFull;
  private String whenFullKeepLevel;
  private boolean neverBlock;
  private String maxFlushTime = "1 second";

  /** Creates a factory with all defaults; Dropwizard sets the configured values. */
  public SpillwayAppenderFactory() {}

  /**
   * Sets the directory of the spill.
   *
   * @param path created if missing; while it cannot be written, a warning is reported, and only the
   *     ring holds events that wait for the file; null, the default, for {@code
   *     <currentLogFilename>.spill}
   */
  @JsonProperty
  public void setSpillDirectory(String path) {
    spillDirectory = path;
  }

  /**
   * Sets the most disk space that the spill takes.
   *
   * @param size at least 1 MiB; 1 GiB by default
   */
  @JsonProperty
  public void setMaxSpillSize(DataSize size) {
    maxSpillSize = size == null ? null : String.valueOf(size.toBytes());
  }

  /**
   * Sets when events go through the spill.
   *
   * @param mode {@code OVERFLOW}, the default, or {@code ALWAYS}
   */
  @JsonProperty
  public void setSpillMode(String mode) {
    spillMode = mode;
  }

  /**
   * Sets how often the spill is forced to disk, so that it survives a power failure.
   *
   * @param interval {@code OS}, the default, which leaves it to the operating system, or a time of
   *     1 ms or more, such as {@code 200ms}
   */
  @JsonProperty
  public void setSpillSync(String interval) {
    spillSync = interval;
  }

  /**
   * Sets what a log call does while the ring is full.
   *
   * @param policy {@code BLOCK}, {@code DROP} or {@code DROP_OLDEST}; null, the default, for {@code
   *     BLOCK}, or for {@code DROP} if {@code neverBlock} is true
   */
  @JsonProperty
  public void setWhenFull(String policy) {
    whenFull = policy;
  }

  /**
   * Sets the level from which on log calls wait for room where {@code DROP} drops others.
   *
   * @param level {@code TRACE}, {@code DEBUG}, {@code INFO}, {@code WARN} or {@code ERROR}; null,
   *     the default, if all events may be dropped
   */
  @JsonProperty
  public void setWhenFullKeepLevel(String level) {
    whenFullKeepLevel = level;
  }

  /**
   * Sets how long a stop waits for the file; the rest stays in the spill for the next start.
   *
   * @param time 1 ms or more, such as {@code 5 seconds}; 1 second by default; 0 for no limit
   */
  @JsonProperty
  public void setMaxFlushTime(String time) {
    maxFlushTime = time;
  }

  @Override
  public void setNeverBlock(boolean neverBlock) {
    super.setNeverBlock(neverBlock);
    this.neverBlock = neverBlock;
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
    if (getMessageRate() != null) {
      throw refusal("messageRate", getMessageRate(), "none, since nothing is dropped here");
    }
    if (RollingPolicies.isFixedWindow(this) && getArchivedFileCount() == 0) {
      throw refusal(
          "archivedFileCount", 0, "1 or more if archivedLogFilenamePattern has no date (%d)");
    }
    if (!isArchive() && getCurrentLogFilename() == null) {
      throw refusal("currentLogFilename", null, "a file if archive is false");
    }
    // Dropwizard prints status messages before it builds its request log, so errors of that
    // appender would not be printed.
    List<String> errors = new CopyOnWriteArrayList<>();
    StatusListener listener =
        status -> {
          if (status.getLevel() >= Status.ERROR) {
            errors.add(status.getMessage());
          }
        };
    context.getStatusManager().add(listener);
    try {
      Appender<E> appender =
          super.build(
              context, applicationName, layoutFactory, levelFilterFactory, asyncAppenderFactory);
      if (!appender.isStarted()) {
        throw cannotStart(String.join(" ", errors));
      }
      return appender;
    } finally {
      context.getStatusManager().remove(listener);
    }
  }

  private IllegalStateException refusal(String setting, Object value, String allowed) {
    return cannotStart(
        "Setting [" + setting + "] has the value [" + value + "]; allowed: " + allowed + ".");
  }

  private IllegalStateException cannotStart(String why) {
    return new IllegalStateException(
        "The appender [" + name() + "] of type spillway cannot start. " + why);
  }

  /** Names the appender after its file, so that logs can be told apart in JMX. */
  @Override
  protected OutputStreamAppender<E> appender(LoggerContext context) {
    OutputStreamAppender<E> appender = super.appender(context);
    appender.setName(name());
    return appender;
  }

  private String name() {
    String file =
        getCurrentLogFilename() == null ? getArchivedLogFilenamePattern() : getCurrentLogFilename();
    return file == null ? "spillway" : new File(file).getName();
  }

  @Override
  protected FileAppender<E> buildAppender(LoggerContext context) {
    SpillwayRollingFileAppender<E> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName(name());
    appender.setFile(getCurrentLogFilename());
    appender.setQueueSize(getQueueSize());
    appender.setDiscardingThreshold(getDiscardingThreshold());
    appender.setSpillDirectory(spillDirectory);
    appender.setMaxSpillSize(maxSpillSize);
    appender.setSpillMode(spillMode);
    appender.setSpillSync(spillSync);
    appender.setWhenFull(whenFull);
    appender.setWhenFullKeepLevel(whenFullKeepLevel);
    appender.setNeverBlock(neverBlock);
    appender.setMaxFlushTime(maxFlushTime);
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
