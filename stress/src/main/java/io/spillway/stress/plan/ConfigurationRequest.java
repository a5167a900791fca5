package io.spillway.stress.plan;

import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.sandbox.Trigger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Somebody's configuration, as it is asked for.
 *
 * @param configuration an absolute path
 * @param home an absolute directory that its relative paths are relative to
 * @param classPath what it needs besides the harness
 * @param properties system properties that it refers to
 * @param logger that the load is to use
 * @param messageBytes of each event's text at least, or 0 for its natural length
 * @param appender that is to be watched, or null for the first that rolls a file over
 * @param limitBytes at which to roll over instead of at its own limit, or 0
 * @param sizeWithoutLimitBytes size of a file at rollover if only the clock triggers that
 */
public record ConfigurationRequest(
    Path configuration,
    Path home,
    List<Path> classPath,
    Map<String, String> properties,
    String logger,
    int messageBytes,
    String appender,
    long limitBytes,
    long sizeWithoutLimitBytes) {

  /**
   * A trial of it, held to the limits of the run. If its own size is too small for the load, it
   * rolls over at the least that is not.
   *
   * @param name of the trial
   * @param options of the run
   * @throws RefusedException if none can be made
   */
  public PlannedTrial trial(String name, RunOptions options)
      throws IOException, InterruptedException {
    PlannedTrial asItIs = trial(name, new ConfigurationProbe(this).look(), "");
    Sandboxed sandboxed = asItIs.trial().sandboxed();
    long least = asItIs.leastSizeBytes(options);
    boolean own = sandboxed.file().trigger() == Trigger.SIZE && limitBytes == 0;
    if (!own || sandboxed.sizeBytes() >= least) {
      return asItIs;
    }
    return trial(
        name,
        sandboxed.withLimit(least),
        String.format(
            Locale.ROOT,
            ", rolls over at %,d bytes instead of %,d, which this load would pass too soon",
            least,
            sandboxed.sizeBytes()));
  }

  private PlannedTrial trial(String name, Sandboxed sandboxed, String change) throws IOException {
    String others =
        sandboxed.others().isEmpty()
            ? ""
            : ", and outside the sandbox: " + String.join(", ", sandboxed.others());
    String description =
        configuration.getFileName()
            + ", appender "
            + sandboxed.file().appender()
            + " ("
            + sandboxed.file().type()
            + ")"
            + change
            + others;
    Trial trial =
        new Trial(
            name,
            TrialResult.Role.SUBJECT,
            description,
            LoggingLibrary.LOGBACK,
            Files.readString(configuration),
            Map.of(),
            sandboxed);
    return trial.at(sandboxed.sizeBytes());
  }
}
