package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.helpers.NOPAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillKind;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Gate;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Subject;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpillOpenerTest {
  @TempDir Path directory;

  @Test
  void shouldTellOfEachKindOfFailureThoughAnotherWasToldJustNow() {
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    SpillOpener spill = new SpillOpener(new Counters(), new Reports(to));
    for (String operation : List.of("append", "sync", "read", "delete")) {
      for (int i = 0; i < 3; i++) {
        spill.onFailure(operation, Path.of("spill", "1.seg"), new IOException("no"));
      }
    }
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .extracting(Status::getMessage)
        .hasSize(4)
        .allMatch(message -> message.contains("To do: "));
  }

  @ParameterizedTest
  @CsvSource({
    "append, Events stay in memory and it is tried again.",
    "sync, It is tried again.",
    "hand over at stop, ''",
    "read the cursor, ''",
    "adopt the leftovers, ''",
    "close, ''"
  })
  void shouldSayThatItIsTriedAgainOnlyWhereItIs(String operation, String retryHint) {
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    SpillOpener spill = new SpillOpener(new Counters(), new Reports(to));
    spill.onFailure(operation, Path.of("1.seg"), new IOException("no"));
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .singleElement()
        .extracting(Status::getMessage)
        .asString()
        .startsWith(
            "Cannot " + operation + " spill file [1.seg]: no. " + (retryHint + " To do: ").trim());
  }

  @Test
  void shouldWarnOfWhatWasCreatedAgainAndCountNoFailure() throws Exception {
    GatedAppender stuck = new GatedAppender();
    stuck.shut();
    Path spill = directory.resolve("spill");
    try (Rig rig = new Rig(spill, stuck)) {
      rig.appender.setSpillMode("ALWAYS");
      rig.start();
      rig.logger.info("first");
      rig.await("spilled", () -> rig.appender.getMetrics().getSpilled() == 1);
      Shell.attempt("rm", "-rf", spill);
      rig.await(
          "told",
          () -> rig.statuses().stream().anyMatch(m -> m.contains("has been created again")));
      assertThat(rig.context.getStatusManager().getCopyOfStatusList())
          .filteredOn(status -> status.getMessage().startsWith("The spill directory [" + spill))
          .singleElement()
          .extracting(Status::getLevel)
          .isEqualTo(Status.WARN);
      assertThat(rig.appender.getMetrics().getSpillFailures())
          .as("the segment that was removed, and has to be written again")
          .isEqualTo(1);
      stuck.open();
      rig.awaitDelivered();
    }
  }

  @Test
  void shouldCountWhatAStopCannotSaveBehindAPipe() throws Exception {
    GatedAppender stuck = new GatedAppender();
    stuck.shut();
    Path spill = directory.resolve("spill");
    try (Rig rig = new Rig(spill, stuck)) {
      rig.appender.setSpillMode("ALWAYS");
      rig.appender.setMaxFlushTime("100 ms");
      rig.start();
      for (int i = 0; i < 10; i++) {
        rig.logger.info("event {}", i);
      }
      rig.await("spilled", () -> rig.appender.getMetrics().getSpilled() == 10);
      Shell.attempt("rm", "-rf", spill);
      Shell.attempt("mkfifo", spill);
      rig.appender.stop();
      assertThat(rig.appender.getMetrics().lossOf(LossCause.NOT_SAVED)).isGreaterThanOrEqualTo(9);
      stuck.open();
    }
  }

  @Test
  void shouldNotCallADirectoryAFile() {
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    new SpillOpener(new Counters(), new Reports(to))
        .onFailure("recreate the spill directory", Path.of("spill"), new IOException("no"));
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .singleElement()
        .extracting(Status::getMessage)
        .asString()
        .startsWith("Cannot recreate the spill directory [spill]: no. It is tried again. To do: ");
  }

  /** A name has 255 bytes at most, and a log file may have each of them. */
  @ParameterizedTest
  @ValueSource(ints = {250, 255})
  void shouldAskForASpillDirectoryIfNoneCanBeBesideALongName(int length) throws Exception {
    Path file = Files.createFile(directory.resolve("a".repeat(length)));
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    SpillOpener opener = new SpillOpener(new Counters(), new Reports(to));
    Settings.Checked settings = new Settings().check(to);
    try (Spill spill = opener.open(to, settings, SpillKind.BYTES, file, () -> true)) {
      assertThat(spill.isOpen()).isFalse();
    }
    Path wanted = Path.of(file + ".spill");
    opener.onFailure(
        "open", wanted, new FileSystemException(wanted.toString(), null, "File name too long"));
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .hasSize(2)
        .allSatisfy(
            status ->
                assertThat(status.toString())
                    .startsWith("WARN in ")
                    .contains(wanted.toString(), "too long", "To do: set spillDirectory to ")
                    .doesNotContain("again", "cannot be used now", "check that"));
  }

  @Test
  void shouldAskForAShorterSpillDirectoryIfTheOneThatIsSetIsTooLong() {
    Path file = directory.resolve("app.log");
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    Settings settings = new Settings();
    settings.spillDirectory = directory.resolve("a".repeat(256)).toString();
    SpillOpener opener = new SpillOpener(new Counters(), new Reports(to));
    try (Spill spill = opener.open(to, settings.check(to), SpillKind.BYTES, file, () -> true)) {
      assertThat(spill.isOpen()).isFalse();
    }
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .singleElement()
        .asString()
        .contains("too long", "To do: set spillDirectory to ", "shorter")
        .doesNotContain("again");
  }

  /** No setting is wrong, and an ERROR status ends the start of a Spring Boot application. */
  @ParameterizedTest
  @CsvSource({"true, WARN", "false, ERROR"})
  void shouldOnlyWarnOfDamageInWhatAnEarlierRunLeft(boolean leftover, String level) {
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    Counters counters = new Counters();
    new SpillOpener(counters, new Reports(to))
        .recordsLost(3, Path.of("spill", "1.seg"), "no", leftover);
    Reports.flush(to.getContext());
    assertThat(counters.count(LossCause.SPILL_DAMAGED)).isEqualTo(3);
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .singleElement()
        .asString()
        .startsWith(level + " in ")
        .contains("3 events are lost (SPILL_DAMAGED). To do: ");
  }

  @Test
  void shouldTellOfEachThingThatIsWrongWithADirectoryAtOneStart() throws Exception {
    Path spill = directory.resolve("spill");
    GatedAppender stuck = new GatedAppender();
    stuck.shut();
    try (Rig another = new Rig(spill, stuck)) {
      another.appender.setName("ANOTHER");
      another.appender.setMaxFlushTime("1");
      another.start();
      for (int i = 0; i < 3; i++) {
        another.logger.info("left");
      }
    } finally {
      stuck.open();
    }
    Files.setPosixFilePermissions(spill, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (Rig rig = new Rig(spill, new NOPAppender<>()).start()) {
      assertThat(rig.statuses())
          .anyMatch(message -> message.contains("is open to other users"))
          .anyMatch(message -> message.contains("holds leftovers of another owner"));
    }
  }

  /** A stop, the metrics and health would take events for settled that still wait. */
  @ParameterizedTest
  @EnumSource
  void shouldNotCountWhatIsDamagedOfAnEarlierRunAsItsOwn(Subject.Kind kind) throws Exception {
    Subject first = new Subject(kind, directory);
    first.settings().setSpillMode("ALWAYS");
    first.settings().setMaxFlushTime("1");
    first.gate.shut();
    first.start();
    first.log("0", 0, 1_000);
    first.appender().stop();
    first.close();
    Path segment =
        Rig.filesBelow(first.spillDirectory()).stream()
            .filter(path -> path.toString().endsWith(".seg"))
            .min(Comparator.naturalOrder())
            .orElseThrow();
    byte[] bytes = Files.readAllBytes(segment);
    Arrays.fill(bytes, 100, bytes.length, (byte) 1); // from the first record on
    Files.write(segment, bytes);
    try (Subject second = new Subject(kind, directory)) {
      second.gate.shut();
      second.start();
      SpillwayMetrics metrics = second.metrics();
      await().until(() -> metrics.lossOf(LossCause.SPILL_DAMAGED) > 0);
      second.log("1", 0, 100);
      assertThat(metrics.getAccepted()).isEqualTo(100);
      assertThat(metrics.getPending()).isEqualTo(100);
      second.gate.open();
      second.awaitDelivered();
      assertThat(metrics.getDelivered()).isEqualTo(100);
    }
  }

  @Test
  void shouldNotCountWhatTheSinkFailsAtOfAnEarlierRunAsItsOwn() {
    GatedAppender stuck = new GatedAppender();
    stuck.shut();
    try (Rig first = new Rig(directory, stuck)) {
      first.appender.setMaxFlushTime("1");
      first.start();
      for (int i = 0; i < 3; i++) {
        first.logger.info("left");
      }
    } finally {
      stuck.open();
    }
    Gate gate = new Gate();
    gate.shut();
    GatedAppender nested = new GatedAppender();
    nested.before(
        event -> {
          if (event.getMessage().equals("left")) {
            throw new LinkageError("on purpose"); // an exception would stay in the appender
          }
          gate.pass();
        });
    try (Rig second = new Rig(directory, nested).start()) {
      second.logger.info("own");
      await().until(gate::isHolding);
      SpillwayMetrics metrics = second.appender.getMetrics();
      assertThat(metrics.lossOf(LossCause.SINK_FAILED)).isPositive();
      assertThat(metrics.getPending()).isEqualTo(1);
      gate.open();
      second.awaitDelivered();
      assertThat(metrics.getDelivered()).isEqualTo(1);
    } finally {
      gate.open();
    }
  }

  private static String owner(Path file) {
    Appender<Object> appender = new NOPAppender<>();
    appender.setName("FILE");
    appender.setContext(new ContextBase());
    return SpillOpener.owner(appender, file);
  }

  @Test
  void shouldTellTenantsApartButNotStarts() {
    Path logs = directory.toAbsolutePath();
    assertThat(owner(logs.resolve("tenant-1001/app.log")))
        .isNotEqualTo(owner(logs.resolve("tenant-1002/app.log")));
    assertThat(owner(logs.resolve("app-8080.log")))
        .isNotEqualTo(owner(logs.resolve("app-8081.log")));
    for (String[] starts :
        new String[][] {
          {"app-2026-11-23.log", "app-2027-01-01.log"},
          {"app.20261123T101500.log", "app.20261124T235959.log"},
          {"app.1795430000000.log", "app.1795430000001.log"},
        }) {
      assertThat(owner(logs.resolve(starts[0]))).isEqualTo(owner(logs.resolve(starts[1])));
    }
  }

  private List<String> warnings(String file, String spillDirectory) {
    String set =
        spillDirectory.isEmpty() ? "" : "<spillDirectory>" + spillDirectory + "</spillDirectory>";
    String settings =
        "<file>DIR/"
            + file
            + "</file>"
            + set
            + "<encoder><pattern>%msg%n</pattern></encoder>"
            + "<rollingPolicy class='io.spillway.rolling.TimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/old/%d.log</fileNamePattern></rollingPolicy>";
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      assertThat(configured.file().isStarted()).isTrue();
      return configured.complaints();
    }
  }

  /** What is left at a stop would wait for ever beside a file that nobody writes any more. */
  @ParameterizedTest
  @ValueSource(strings = {"app-20261123T101500.log", "app.2026-11-23.log", "app.1795430000000.log"})
  void shouldWarnOfAFileThatTheNextRunCallsOtherwise(String file) {
    assertThat(warnings(file, ""))
        .singleElement()
        .asString()
        .contains("[" + directory.resolve(file) + ".spill]", "To do: set spillDirectory");
    assertThat(warnings(file, directory.resolve("spill").toString())).isEmpty();
  }

  /** A directory has a number for many reasons. */
  @ParameterizedTest
  @ValueSource(strings = {"app.log", "app-8080.log", "tenant-1001.log", "1795430000000/app.log"})
  void shouldNotWarnOfAnyNumber(String file) {
    assertThat(warnings(file, "")).isEmpty();
  }

  private static String ownerOf(String command) {
    String own = System.getProperty("sun.java.command");
    System.setProperty("sun.java.command", command);
    try {
      return owner(null);
    } finally {
      System.setProperty("sun.java.command", own);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/opt/releases/7/shop-1.4.0.jar",
        "shop_1.4.0-SNAPSHOT.jar",
        "shop-v1.4.0.jar",
        "shop-v2.jar",
        "shop-1.4.0+7.jar",
        "shop-v1.4.0-rc.1+7.jar",
        "shop-3f9c2d1.jar",
        "shop-f39c2d1.jar",
      })
  void shouldTellVersionsOfAProgramNotApart(String command) {
    assertThat(ownerOf(command + " --port 80")).isEqualTo(ownerOf("shop.jar"));
  }

  @ParameterizedTest
  @CsvSource({
    "shop-a.jar, shop-b.jar",
    "log4j2-service.jar, log4j3-service.jar",
    "my-2fa-service.jar, my-2fa-gateway.jar",
    "my-v2-service.jar, my-v3-service.jar",
    "shop-defaced.jar, shop-effaced.jar",
    "shop.Main, shop.Main2",
  })
  void shouldTellProgramsApart(String one, String other) {
    assertThat(ownerOf(one)).isNotEqualTo(ownerOf(other));
  }

  /** What an earlier version of Spillway has left is known by such a name. */
  @ParameterizedTest
  @CsvSource({
    "client-v2-1.0.jar, client-v2.jar",
    "my-2fa-service-1.0.jar, my-2fa-service.jar",
    "shop-1.4.0+build-7.jar, shop-1.4.0+build.jar",
    "a-1-b-2.jar, a.jar",
  })
  void shouldNameAProgramAsItAlwaysHas(String command, String name) {
    assertThat(ownerOf(command)).endsWith("\nprogram=" + name + "\n");
  }

  /** In a container it may be 1 today and 7 tomorrow. */
  @Test
  void shouldNotTakeAnyNumberForTheProcessId() {
    String path = "/var/log/app-1/node-7/app-4711.log";
    for (String pid : new String[] {"1", "7", "42", "999"}) {
      assertThat(SpillOpener.lasting(path, pid, "")).isEqualTo(path);
    }
    assertThat(SpillOpener.lasting(path, "4711", "")).isEqualTo("/var/log/app-1/node-7/app-#.log");
  }

  /** What such a run leaves would else wait for a container that never comes again. */
  @ParameterizedTest
  @CsvSource({
    "3f2a9c1b77de, #", // Docker
    "3f2a4711bdea, #",
    "shop-7d9f8b6c5d-x2x4z, shop#", // a Deployment of Kubernetes
    "shop-28473920-x2x4z, shop#", // a CronJob
    "shop-service-x2x4z, shop-service#", // a DaemonSet
  })
  void shouldTellContainersOfAProgramNotApart(String host, String lasting) {
    for (String place : List.of("%s", "eu-%s.shop", "/var/log/%s/app.log")) {
      assertThat(SpillOpener.lasting(place.formatted(host), "4711", host))
          .isEqualTo(place.formatted(lasting));
    }
    assertThat(SpillOpener.lasting(host, "1", "9ab14c55e0f1")).as("another's").isEqualTo(host);
  }

  /** One that somebody has chosen may be a tenant's, and a machine comes back with its own. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1",
        "app",
        "shop-0",
        "web-01",
        "tenant-1001",
        "tenant-10001",
        "tenant-24567",
        "cart-orders",
        "eu-sftpd",
        "ip-10-0-1-23"
      })
  void shouldTellHostsApartThatHaveALastingName(String host) {
    String path = "/var/log/" + host + "/app.log";
    assertThat(SpillOpener.lasting(path, "1", host)).isEqualTo(path);
  }

  @Test
  void shouldKnowTheHostsName() throws Exception {
    assertThat(SpillOpener.hostName()).isEqualTo(Shell.run("uname", "-n").strip().split("\\.")[0]);
  }

  @Test
  void shouldTakeOneFileForOneHoweverItIsSpelled() throws Exception {
    Path logs = directory.resolve("logs");
    Path file = logs.resolve("app.log");
    String before = owner(file);
    Files.createDirectory(logs);
    Path link = Files.createSymbolicLink(directory.resolve("link"), logs);

    assertThat(owner(file)).isEqualTo(before);
    assertThat(owner(Path.of("").toAbsolutePath().relativize(file))).isEqualTo(before);
    assertThat(owner(logs.resolve("../logs/app.log"))).isEqualTo(before);
    assertThat(owner(link.resolve("app.log"))).isEqualTo(before);
    assertThat(owner(logs.resolve("other.log"))).isNotEqualTo(before);
  }
}
