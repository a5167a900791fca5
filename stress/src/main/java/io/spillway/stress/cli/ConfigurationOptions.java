package io.spillway.stress.cli;

import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.plan.UserConfiguration;
import io.spillway.stress.verify.LogLine;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for a user's Logback configuration, and their checks. */
final class ConfigurationOptions {

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A logback.xml of yours, run as it is and held to the limits; may be repeated. It runs in"
              + " the current directory, but its log files are led below the directory of the run,"
              + " and what would reach other processes is kept from it.")
  private List<Path> configurations = List.of();

  @Option(
      names = "--classpath",
      paramLabel = "JARS",
      description = "What --config needs besides Logback and Spillway: as for java, and first.")
  private String classPath = "";

  @Option(
      names = "--property",
      paramLabel = "NAME=VALUE",
      description =
          "A variable that --config refers to, or a property that <springProperty> names.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      split = ",",
      description = "An active profile, for <springProfile> in --config (default: default).")
  private List<String> profiles = List.of();

  @Option(
      names = "--mdc",
      paramLabel = "KEY=VALUE",
      description = "What every application thread has in its MDC with --config.")
  private Map<String, String> mdc = new LinkedHashMap<>();

  @Option(
      names = "--allow-network",
      description = "Lets appenders and archive listeners of --config reach other processes.")
  private boolean network;

  @Option(
      names = "--logger",
      paramLabel = "NAME",
      defaultValue = LogLine.LOGGER,
      description = "The logger that the load uses with --config (default ${DEFAULT-VALUE}).")
  private String logger;

  @Option(
      names = "--file-appender",
      paramLabel = "NAME",
      description =
          "The appender of --config that is watched (default: the first that rolls over).")
  private String appender;

  private final TrialNames names = TrialNames.besideBuiltIn();

  /** Returns whether a configuration was given. */
  boolean given() {
    return !configurations.isEmpty();
  }

  /** Refuses options that describe a configuration if none was given. */
  void requireConfiguration() {
    for (OptionSpec option : command.commandLine().getParseResult().matchedOptions()) {
      if (!given() && isOfConfiguration(option)) {
        throw new ParameterException(
            command.commandLine(),
            "Option '%s' is for a --config, but there is none".formatted(option.longestName()));
      }
    }
  }

  private static boolean isOfConfiguration(OptionSpec option) {
    return option.userObject() instanceof Field field
        && field.getDeclaringClass() == ConfigurationOptions.class;
  }

  /** Returns the given configuration files; refuses those that cannot be read. */
  List<Path> files() {
    configurations.forEach(
        file -> require("--config", file, Files.isReadable(file) && Files.isRegularFile(file)));
    return configurations;
  }

  /**
   * Returns the trials of one configuration, after a probe has run it.
   *
   * @param sizes file sizes at which to roll over; if empty, there is one trial, at the size in the
   *     configuration
   */
  List<PlannedTrial> trials(Path configuration, List<Long> sizes, LoadOptions load)
      throws IOException, InterruptedException {
    String name = names.of(configuration);
    List<PlannedTrial> trials = new ArrayList<>();
    for (long size : sizes.isEmpty() ? List.of(0L) : sizes) {
      trials.add(request(configuration, size, load).trial(name, load.checked()));
    }
    return trials;
  }

  private UserConfiguration request(Path configuration, long size, LoadOptions load) {
    return new UserConfiguration(
        configuration.toAbsolutePath().normalize(),
        Path.of("").toAbsolutePath(),
        classPath(),
        properties,
        logger,
        load.messageBytes(),
        appender,
        size,
        size == 0 ? load.sizes(null).get(0) : size,
        new UserConfiguration.Surroundings(profiles, mdc, network));
  }

  private List<Path> classPath() {
    return Arrays.stream(classPath.split(File.pathSeparator))
        .filter(entry -> !entry.isBlank())
        .map(Path::of)
        .peek(entry -> require("--classpath", entry, entry.endsWith("*") || Files.exists(entry)))
        .toList();
  }

  private void require(String option, Path value, boolean holds) {
    if (!holds) {
      throw new ParameterException(
          command.commandLine(),
          "Invalid value for option '%s': '%s'; allowed: a readable file or directory that exists"
              .formatted(option, value));
    }
  }
}
