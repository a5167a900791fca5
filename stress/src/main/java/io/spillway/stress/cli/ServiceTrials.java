package io.spillway.stress.cli;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.service.ServiceTrial;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The trials of a scenario of a service.
 *
 * @param scenario the scenario
 * @param load the options of the run, with those of the scenario
 * @param known the built-in trials, by name
 */
record ServiceTrials(Scenario scenario, LoadOptions load, Map<String, Trial> known) {

  private static final int CONNECTIONS = 64;
  private static final int MOST_CONNECTIONS = 2_000;
  private static final int WARM_UP_SECONDS = 5;
  private static final int MOST_WARM_UP_SECONDS = 60;
  private static final Scenario.Variant AS_IT_IS =
      new Scenario.Variant(null, null, null, null, null);
  private static final Trial SILENT =
      new Trial(
          Scenario.NO_LOG,
          TrialResult.Role.PEER,
          "no log of its own",
          "<configuration><root level=\"OFF\"/></configuration>\n",
          Map.of());
  private static final String FILE_APPENDER =
      "class=\"ch.qos.logback.core.rolling.RollingFileAppender\">";

  /** Returns the trials with some appenders, by name; null stands for all trials. */
  List<PlannedTrial> chosen(List<String> appenders) {
    List<PlannedTrial> trials =
        scenario.trials().stream()
            .filter(choice -> appenders == null || appenders.contains(choice.appender()))
            .flatMap(
                choice ->
                    sizes(choice).stream()
                        .map(
                            size ->
                                new PlannedTrial(
                                    choice.name(), log(choice), size, service(choice))))
            .toList();
    if (trials.isEmpty()) {
      throw new RefusedException(
          "scenario "
              + scenario.name()
              + ": no trial has an appender of "
              + appenders
              + "; allowed: "
              + scenario.trials().stream().map(Scenario.Choice::appender).distinct().toList());
    }
    return trials;
  }

  /** Returns the sizes at which the log rolls over; 0 for a service without rotation. */
  private List<Long> sizes(Scenario.Choice choice) {
    boolean rolls = choice.sizes() != null || scenario.content().sizes() != null;
    return rolls ? load.sizes(choice.sizes()) : List.of(0L);
  }

  /** Returns the configuration of the log, with what the report says of the trial. */
  private Trial log(Scenario.Choice choice) {
    Trial log = known.getOrDefault(choice.appender(), SILENT);
    Boolean subject = variant(choice).subject();
    TrialResult.Role role = log.role();
    if (subject != null) {
      role = subject ? TrialResult.Role.SUBJECT : TrialResult.Role.PEER;
    }
    ServiceTrial service = service(choice);
    String description =
        String.format(
            "service %s %s, %.0f requests/s over %d connections; log: %s%s",
            service.application().kind(),
            service.application().work(),
            service.rate(),
            service.connections(),
            log.description(),
            service.isLoggedByServer()
                ? "; the server writes its request log, whose lines are only counted"
                : "");
    return new Trial(choice.name(), role, description, configuration(log), Map.of());
  }

  private String configuration(Trial log) {
    Scenario.Stall stall = scenario.content().service().stall();
    if (stall == null) {
      return log.configuration();
    }
    if (!log.configuration().contains(FILE_APPENDER)) {
      throw new RefusedException(
          scenario.field("service.stall")
              + ": "
              + log.name()
              + " does not write by Logback's RollingFileAppender; allowed: async, spillway");
    }
    return log.configuration()
        .replace(
            FILE_APPENDER,
            String.format(
                "class=\"io.spillway.stress.services.StallingFileAppender\">%n"
                    + "    <stallAfter>%d</stallAfter>%n    <stallSeconds>%d</stallSeconds>",
                stall.after(), stall.seconds()));
  }

  private ServiceTrial service(Scenario.Choice choice) {
    Scenario.Service service = scenario.content().service();
    Scenario.Variant variant = variant(choice);
    RunOptions options = load.checked();
    int connections = first(variant.connections(), first(service.connections(), CONNECTIONS));
    int warmUp = first(service.warmUp(), WARM_UP_SECONDS);
    require("connections", connections, MOST_CONNECTIONS);
    require("warmUp", warmUp, MOST_WARM_UP_SECONDS);
    Map<String, String> work = new TreeMap<>(first(service.work(), Map.of()));
    work.putAll(first(variant.work(), Map.of()));
    return new ServiceTrial(
        new LoadSpec.Application(service.kind(), options.threads(), work),
        options.eventsPerSecond(),
        connections,
        warmUp,
        variant.heap(),
        service.cpus(),
        service.search());
  }

  private static Scenario.Variant variant(Scenario.Choice choice) {
    return first(choice.variant(), AS_IT_IS);
  }

  private static <T> T first(T given, T otherwise) {
    return Objects.requireNonNullElse(given, otherwise);
  }

  private void require(String field, int value, int most) {
    if (value < 1 || value > most) {
      throw new RefusedException(
          scenario.field("service." + field) + ": '" + value + "'; allowed: 1 to " + most);
    }
  }
}
