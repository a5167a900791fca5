package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Configured;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Rig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that an appender with Logback's own policy, or with none, uses as well. */
@Timeout(60)
class NameClaimsTest {
  private static final String OURS = "io.spillway.rolling.";
  private static final String LOGBACKS = "ch.qos.logback.core.rolling.";

  @TempDir Path directory;

  private String policy(String owner, String names) {
    String trigger =
        "<triggeringPolicy class='%sSizeBasedTriggeringPolicy'><maxFileSize>1GB</maxFileSize>"
            + "</triggeringPolicy>";
    return names == null
        ? ""
        : ("<rollingPolicy class='%sFixedWindowRollingPolicy'><fileNamePattern>%s/%s"
                    + "</fileNamePattern></rollingPolicy>")
                .formatted(owner, directory, names)
            + trigger.formatted(owner);
  }

  private String appender(String name, String type, String file, String policy) {
    String spill = "<spillDirectory>" + directory + "/spill</spillDirectory>";
    return ("<appender name='" + name + "' class='" + type + "'>")
        + (type.equals(Configured.SPILLWAY) ? spill : "")
        + ("<file>" + directory + "/" + file + "</file>" + policy)
        + "<encoder><pattern>%msg%n</pattern></encoder></appender>";
  }

  /** Neither order nor whose appender it is matters; a colliding name is told, and kept. */
  @ParameterizedTest
  @CsvSource({
    // what ours has, and Logback's: null without rolling policy
    "app.log, app.%i.log, b.log, app.%i.log.gz",
    "app.log, app.%i.log.gz, b.log, app.%i.log",
    "app.log, app.%i.log, b.log, app.%i.log.zip",
    "app.log, app.%i.log, app.5.log, b.%i.log",
    "app.log, app.%i.log, app.5.log,",
    "app.7.log, a.%i.log, b.log, app.%i.log",
  })
  void shouldNotRollOverWhatLogbacksAppenderUses(
      String file, String names, String file2, String names2) throws IOException {
    String logbacks =
        names2 == null
            ? appender("B", FileAppender.class.getName(), file2, "")
            : appender("B", Configured.STOCK, file2, policy(LOGBACKS, names2));
    for (String ours : spillways(file, names)) {
      for (String both : List.of(ours + logbacks, logbacks + ours)) {
        assertRefused(both, file, "<appender-ref ref='B'/>");
        String nested =
            "<appender name='ASYNC' class='ch.qos.logback.classic.AsyncAppender'>"
                + "<appender-ref ref='B'/></appender>";
        assertRefused(both + nested, file, "<appender-ref ref='ASYNC'/>");
      }
    }
  }

  /** Logback's own list of files is out of reach: it lies with who reads the configuration. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldTellOfLogbacksAppenderOnTheSameFileWhicheverComesFirst(boolean linked)
      throws IOException {
    Path real = Files.createDirectory(directory.resolve("real")).resolve("app.log");
    String logbacks = appender("B", FileAppender.class.getName(), "app.log", "");
    String refs = "<root><appender-ref ref='A'/><appender-ref ref='B'/></root>";
    List<String> all = spillways("app.log", "app.%i.log");
    for (String ours : all.subList(1, all.size())) { // Logback sees its own appenders
      for (String both : List.of(ours + logbacks, logbacks + ours)) {
        if (linked) {
          Files.createSymbolicLink(directory.resolve("app.log"), real);
        }
        try (Configured configured = new Configured(both + refs)) {
          assertThat(configured.complaints())
              .anySatisfy(
                  message ->
                      assertThat(message)
                          .contains("that appender [B] does not use for its <file> [" + directory)
                          .contains("Nothing is rolled over until then"));
          log(configured, (RollingFileAppender<?>) configured.appender("A"), "both");
          ((RollingFileAppender<?>) configured.appender("A")).rollover();
        }
        assertThat(directory.resolve("app.log")).hasContent("both\nboth");
        for (Path left : Rig.filesBelow(directory)) {
          Files.delete(left);
        }
      }
    }
  }

  /** Our policy in either appender, and Logback's in ours. */
  private List<String> spillways(String file, String names) {
    return List.of(
        appender("A", Configured.STOCK, file, policy(OURS, names)),
        appender("A", Configured.SPILLWAY, file, policy(OURS, names)),
        appender("A", Configured.SPILLWAY, file, policy(LOGBACKS, names)));
  }

  private void assertRefused(String appenders, String file, String other) throws IOException {
    String refs = "<root><appender-ref ref='A'/>" + other + "</root>";
    try (Configured configured = new Configured(appenders + refs)) {
      assertThat(configured.complaints())
          .anySatisfy(
              message ->
                  assertThat(message)
                      .contains("Setting [fileNamePattern] has the value [" + directory)
                      .contains("allowed: names that appender [B] does not use for its <file> [")
                      .contains("To do: give each appender a <file> and a [fileNamePattern]")
                      .contains("Nothing is rolled over until then"));
      RollingFileAppender<ILoggingEvent> ours =
          (RollingFileAppender<ILoggingEvent>) configured.appender("A");
      log(configured, ours, "first");
      ours.rollover();
      log(configured, ours, "second");
      assertThat(directory.resolve(file)).hasContent("first\nsecond\n");
    }
    for (Path left : Rig.filesBelow(directory)) {
      Files.delete(left);
    }
  }

  private static void log(Configured configured, RollingFileAppender<?> appender, String message) {
    configured.logger.info(message);
    if (appender instanceof SpillwayRollingFileAppender<?> spillway) {
      assertThat(spillway.awaitDelivered(FileRig.PATIENCE)).isTrue();
    }
  }

  /** Tried once a second; as soon as the file is nobody else's any more, it works. */
  private static void awaitRollover(RollingFileAppender<?> ours, Runnable log, Path file) {
    await()
        .pollInterval(Duration.ofMillis(20))
        .untilAsserted(
            () -> {
              ours.rollover();
              log.run();
              assertThat(file).hasContent("third\n");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"app.5.log", "link/app.5.log"})
  void shouldRollOverOnceTheNamesAreFree(String other) throws IOException {
    Files.createSymbolicLink(directory.resolve("link"), directory);
    for (String ours : spillways("app.log", "app.%i.log")) {
      String logbacks = appender("B", FileAppender.class.getName(), other, "");
      try (Configured configured = configured(ours + logbacks)) {
        RollingFileAppender<ILoggingEvent> appender =
            (RollingFileAppender<ILoggingEvent>) configured.appender("A");
        log(configured, appender, "first");
        appender.rollover();
        assertThat(directory.resolve("app.log")).content().endsWith("first\n");
        configured.appender("B").stop();
        Path file = directory.resolve("app.log");
        awaitRollover(appender, () -> log(configured, appender, "third"), file);
      }
    }
  }

  /** As far as Logback's own check does not refuse the later one, as it does in 1.5. */
  @ParameterizedTest
  @CsvSource({"app.log, app.%i.log, b.log, app.%i.log", "app.log, app.%i.log, app.log, b.%i.log"})
  void shouldFindEqualNames(String file, String names, String file2, String names2) {
    for (String ours : spillways(file, names)) {
      String logbacks = appender("B", Configured.STOCK, file2, policy(LOGBACKS, names2));
      for (String both : List.of(ours + logbacks, logbacks + ours)) {
        try (Configured configured = configured(both)) {
          boolean byLogback = isDown(configured, "A") || isDown(configured, "B");
          assertThat(byLogback || configured.complaints().toString().contains("does not use for"))
              .as(() -> "" + configured.statuses())
              .isTrue();
        }
      }
    }
  }

  private static Configured configured(String appenders) {
    return new Configured(
        appenders + "<root><appender-ref ref='A'/><appender-ref ref='B'/></root>");
  }

  private static boolean isDown(Configured configured, String name) {
    return configured.appender(name) == null || !configured.appender(name).isStarted();
  }

  /** Two of Spillway's appenders: whatever their policies, the later one does not start. */
  @ParameterizedTest
  @CsvSource({
    "app.log, app.%i.log, b.log, app.%i.log.gz",
    "app.log, app.%i.log, app.5.log, b.%i.log",
    "app.7.log, a.%i.log, b.log, app.%i.log",
  })
  void shouldNotStartTheLaterOfTwo(String file, String names, String file2, String names2) {
    for (String first : spillways(file, names)) {
      String second = appender("B", Configured.SPILLWAY, file2, policy(LOGBACKS, names2));
      try (Configured configured = configured(first + second)) {
        assertThat(isDown(configured, "A")).as(() -> "" + configured.statuses()).isFalse();
        assertThat(isDown(configured, "B")).as(() -> "" + configured.statuses()).isTrue();
        assertThat(configured.complaints().toString())
            .contains("allowed: names that appender [A] does not use", "is not started");
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "app.log, app.%i.log, b.log, b.%i.log",
    "app.log, app.%i.log, app.txt, app.%i.txt",
    "app.log, old/app.%i.log, b/app.log, b/old/app.%i.log",
  })
  void shouldLetNeighboursBe(String file, String names, String file2, String names2) {
    for (String ours : spillways(file, names)) {
      String logbacks = appender("B", Configured.STOCK, file2, policy(LOGBACKS, names2));
      try (Configured configured = configured(logbacks + ours)) {
        assertThat(configured.complaints()).isEmpty();
        assertThat(configured.appender("A").isStarted()).isTrue();
        assertThat(configured.appender("B").isStarted()).isTrue();
      }
    }
  }

  /** One of the names of each is not among those of the other. */
  @Test
  void shouldCompareBothWays() {
    NameClaim.Names numbered = names("app.%d{yyyy}.%i.log", 0);
    NameClaim.Names always1 = names("app.%d{yyyy}.1.log", 0);
    assertThat(numbered.collidesWith(always1)).isTrue();
    assertThat(always1.collidesWith(numbered)).isTrue();
  }

  private NameClaim.Names names(String text, int index) {
    ArchivePattern pattern =
        new ArchivePattern(directory + "/" + text, "", null, new LoggerContext());
    return NameClaim.Names.of(null, pattern, index);
  }

  /** Without a configuration there is no end of one; the first rollover looks, then. */
  @ParameterizedTest
  @EnumSource
  void shouldLookWhenConfiguredByCode(RollingRig.Host host) throws IOException {
    Path file = directory.resolve("app.log");
    try (RollingRig ours = new RollingRig(host, file)) {
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern(directory + "/app.%i.log");
      ours.with(policy, new OnDemand()).start();
      FileAppender<ILoggingEvent> later = attachedTo(ours, "app.5.log");
      ours.log("first");
      ours.appender.rollover();
      ours.log("second");
      assertThat(file).hasContent("first\nsecond\n");
      assertThat(ours.errors()).anyMatch(message -> message.contains("appender [B] does not use"));
      later.stop();
      awaitRollover(ours.appender, () -> ours.log("third"), file);
    }
  }

  /** Who is configured by code may never be told of an end. */
  @ParameterizedTest
  @EnumSource
  void shouldLookThroughLinksUntilAConfigurationHasEnded(RollingRig.Host host) throws IOException {
    Path file = directory.resolve("app.log");
    Files.createSymbolicLink(directory.resolve("link"), directory);
    try (RollingRig ours = new RollingRig(host, file)) {
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern(directory + "/app.%i.log");
      ours.with(policy, new OnDemand()).start();
      FileAppender<ILoggingEvent> later = attachedTo(ours, "link/app.5.log");
      ours.log("first");
      ours.appender.rollover();
      ours.log("second");
      assertThat(file).hasContent("first\nsecond\n");
      assertThat(ours.errors()).anyMatch(message -> message.contains("appender [B] does not use"));
      later.stop();
    }
  }

  private static void endConfiguration(RollingRig rig) {
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(rig.appender.getContext());
    byte[] nothing = "<configuration/>".getBytes(StandardCharsets.UTF_8);
    try {
      configurator.doConfigure(new ByteArrayInputStream(nothing));
    } catch (JoranException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One that is away would hold up the rollover, and in the end who logs. */
  @ParameterizedTest
  @EnumSource
  void shouldNotAskTheDiskOfAnotherAppenderAtARollover(RollingRig.Host host) throws IOException {
    Path file = directory.resolve("app.log");
    Files.createSymbolicLink(directory.resolve("link"), directory);
    try (RollingRig ours = new RollingRig(host, file)) {
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern(directory + "/app.%i.log");
      ours.with(policy, new OnDemand()).start();
      endConfiguration(ours); // links have been looked up then
      FileAppender<ILoggingEvent> later = attachedTo(ours, "link/app.5.log"); // shows if asked
      ours.log("first");
      ours.appender.rollover();
      ours.log("second");
      assertThat(file).hasContent("second\n");
      later.stop();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotStartBesideOneThatIsAttached(RollingRig.Host host) {
    try (RollingRig ours = new RollingRig(host, directory.resolve("app.log"))) {
      FileAppender<ILoggingEvent> earlier = attachedTo(ours, "app.5.log");
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setFileNamePattern(directory + "/app.%i.log");
      ours.with(policy, new OnDemand());
      ours.appender.start();
      assertThat(ours.appender.isStarted()).isFalse();
      assertThat(ours.errors())
          .anyMatch(m -> m.contains("appender [B] does not use") && m.contains("Not started"));
      earlier.stop();
    }
  }

  private FileAppender<ILoggingEvent> attachedTo(RollingRig rig, String file) {
    FileAppender<ILoggingEvent> other = new FileAppender<>();
    other.setContext(rig.context);
    other.setName("B");
    other.setFile(directory.resolve(file).toString());
    other.setEncoder(rig.appender.getEncoder());
    other.start();
    rig.logger.addAppender(other);
    return other;
  }
}
