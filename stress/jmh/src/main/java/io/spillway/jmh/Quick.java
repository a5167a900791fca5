package io.spillway.jmh;

import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** The options of a quick run; options that the user gave are kept. */
final class Quick {
  private static final TimeValue TIME = TimeValue.milliseconds(50);

  /** Benchmarks that differ from another one only in the number of threads. */
  private static final String OTHER_THREADS = "PublishBenchmark\\.threads(1|2|64)$";

  /** Most of these JVMs live for less than a second: too short for a second compiler. */
  private static final String[] SHORT_LIVED = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"};

  private static final String CONTENT = "content";
  private static final String LEVEL = "level";
  private static final String EVENTS = "events";
  private static final String BUSY = "busy";

  private Quick() {}

  /**
   * Returns the options; with {@code everything}, no benchmark was selected, so {@link
   * #OTHER_THREADS} are left out.
   */
  static Options options(CommandLineOptions given, boolean everything) {
    OptionsBuilder quick = new OptionsBuilder();
    quick.parent(given);
    quick.forks(given.getForkCount().orElse(1));
    quick.warmupIterations(given.getWarmupIterations().orElse(1));
    quick.warmupTime(given.getWarmupTime().orElse(TIME));
    quick.measurementIterations(given.getMeasurementIterations().orElse(1));
    quick.measurementTime(given.getMeasurementTime().orElse(TIME));
    if (!given.getJvmArgsPrepend().hasValue()) {
      quick.jvmArgsPrepend(SHORT_LIVED);
    }
    if (everything) {
      quick.exclude(OTHER_THREADS);
      given.getExcludes().forEach(quick::exclude);
    }
    if (!given.getParameter(CONTENT).hasValue()) {
      quick.param(CONTENT, Events.Content.PLAIN.name());
    }
    if (!given.getParameter(LEVEL).hasValue()) {
      quick.param(LEVEL, "6");
    }
    if (!given.getParameter(EVENTS).hasValue()) {
      quick.param(EVENTS, "40000");
    }
    if (!given.getParameter(BUSY).hasValue()) {
      quick.param(BUSY, "true");
    }
    return quick.build();
  }
}
