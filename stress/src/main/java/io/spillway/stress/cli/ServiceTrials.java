package io.spillway.stress.cli;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.service.ServiceTrial;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The trials of a scenario of a service.
 *
 * @param scenario the scenario
 * @param load the command with the options of the run and of the scenario
 * @param known the built-in trials, by name
 */
record ServiceTrials(Scenario scenario, TrialCommand load, Map<String, Trial> known) {

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
    List<PlannedTrial> trials = new ArrayList<>();
    for (Scenario.Choice choice : scenario.trials()) {
      if (appenders == null || appenders.contains(choice.appender())) {
        Scenario.Variant variant = first(choice.variant(), AS_IT_IS);
        ServiceTrial service = service(variant);
        Trial log = log(choice, variant, service);
        sizes(choice).forEach(s -> trials.add(new PlannedTrial(log.name(), log, s, service)));
      }
    }
    if (trials.isEmpty()) {
      List<String> all = scenario.trials().stream().map(Scenario.Choice::appender).toList();
      throw new RefusedException(
          scenario.field("trials") + ": none has an appender of " + appenders + ", only " + all);
    }
    return trials;
  }

  /** Returns the sizes at which the log rolls over; 0 for a service without rotation. */
  private List<Long> sizes(Scenario.Choice choice) {
    boolean rolls = choice.sizes() != null || scenario.content().sizes() != null;
    return rolls ? load.sizes(choice.sizes()) : List.of(0L);
  }

  private ServiceTrial service(Scenario.Variant variant) {
    Scenario.Service service = scenario.content().service();
    RunOptions options = load.checked();
    Map<String, String> work = new TreeMap<>(first(service.work(), Map.of()));
    work.putAll(first(variant.work(), Map.of()));
    return new ServiceTrial(
        new LoadSpec.Application(service.kind(), options.threads(), work),
        options.eventsPerSecond(),
        first(variant.connections(), service.connections()),
        service.warmUp(),
        variant.heap(),
        service.cpus(),
        service.search());
  }

  /** Returns the configuration of the log, with what the report says of the trial. */
  private Trial log(Scenario.Choice choice, Scenario.Variant variant, ServiceTrial service) {
    Trial log = known.getOrDefault(choice.appender(), SILENT);
    TrialResult.Role role = log.role();
    if (variant.subject() != null) {
      role = variant.subject() ? TrialResult.Role.SUBJECT : TrialResult.Role.PEER;
    }
    String description =
        String.format(
            "service %s %s over %d connections; log: %s%s",
            service.application().kind(),
            service.application().work(),
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
          scenario.field("service.stall") + ": is for RollingFileAppender, not for " + log.name());
    }
    String stalling =
        String.format(
            "class=\"io.spillway.stress.services.StallingFileAppender\">%n"
                + "    <stallAfter>%d</stallAfter>%n    <stallSeconds>%d</stallSeconds>",
            stall.after(), stall.seconds());
    return log.configuration().replace(FILE_APPENDER, stalling);
  }

  private static <T> T first(T given, T otherwise) {
    return Objects.requireNonNullElse(given, otherwise);
  }
}
