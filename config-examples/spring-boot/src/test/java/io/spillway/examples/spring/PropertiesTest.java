package io.spillway.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.util.FileSize;
import io.spillway.examples.testkit.ForkedApp;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.examples.testkit.OldArchives;
import io.spillway.examples.testkit.SparseFile;
import io.spillway.examples.testkit.Tmpfs;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spring's properties of the log file, each with the application as it stands. */
@Tag("slow")
class PropertiesTest {
  private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");
  private static final long ROOM = 1 << 20; // for what is logged meanwhile
  private static final String ARCHIVES = "'app.log.'yyyy-MM-dd'.0.gz'";

  @TempDir Path directory;

  @Test
  void shouldWriteToTheFileInTheFormatThatThePropertiesSay() throws Exception {
    Path log = directory.resolve("elsewhere/shop.txt");
    try (ForkedApp shop =
        start("--logging.file.name=" + log, "--logging.pattern.file=<%p|%logger{0}> %m%n")) {
      order(shop.awaitPort(log.toString(), STARTED), "17", "pears");
      await()
          .atMost(ForkedApp.PATIENCE)
          .until(() -> LogFiles.lines(log).contains("<INFO|OrderController> order 17 pears"));
      assertThat(LogFiles.lines(log)).allMatch(line -> line.matches("<[A-Z]+\\|\\S+> .*"));
      assertThat(shop.logs()).doesNotExist();
    }
  }

  @Test
  void shouldWriteToTheConsoleInTheFormatThatThePropertiesSay() throws Exception {
    try (ForkedApp shop =
        start(
            "--spring.main.banner-mode=off",
            "--logging.level.org.springframework.boot=DEBUG",
            "--logging.threshold.console=INFO",
            "--logging.charset.console=US-ASCII",
            "--logging.pattern.console=<%p|%logger{0}> %m%n")) {
      order(shop.awaitPort("app.log", STARTED), "17", "caf\u00e9");
      await()
          .atMost(ForkedApp.PATIENCE)
          .until(() -> shop.output().contains("<INFO|OrderController> order 17 caf?\n"));
      assertThat(shop.output()).doesNotContain("DEBUG");
      assertThat(Files.readString(shop.logs().resolve("app.log")))
          .contains(" DEBUG ", "order 17 caf\u00e9");
    }
  }

  @Test
  void shouldPutThePartsOfTheLineIntoTheDirectoryThatThePropertiesSay() throws Exception {
    Path log = directory.resolve("elsewhere/spring.log");
    try (ForkedApp shop =
        start(
            "--logging.file.path=" + log.getParent(),
            "--logging.pattern.dateformat=yyyy",
            "--logging.pattern.level=<%p>",
            "--logging.exception-conversion-word=%ex{1}",
            "--logging.pattern.correlation=[trace] ")) {
      assertThat(post(shop.awaitPort(log.toString(), STARTED), "/fault", "")).isEqualTo(500);
      await().atMost(ForkedApp.PATIENCE).until(() -> Files.readString(log).contains("a fault\n\tat"));
      assertThat(LogFiles.lines(log)).filteredOn(line -> line.startsWith("\tat")).hasSize(1);
      assertThat(LogFiles.lines(log))
          .anyMatch(line -> line.matches("\\d{4} <INFO> \\d+ --- \\[shop] \\[main] \\[trace] .*"));
      assertThat(shop.output()).contains("<INFO>", "[trace] ");
    }
  }

  @Test
  void shouldWriteTheStructuredFormatsThatThePropertiesSay() throws Exception {
    String config;
    try (InputStream in = ShopApplication.class.getResourceAsStream("/logback-spring.xml")) {
      config = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    Path structured = directory.resolve("logback-structured.xml");
    Files.writeString(structured, config.replace("/spring-boot/", "/spring-boot/structured-"));
    Path log = directory.resolve("logs/app.log");
    try (ForkedApp shop =
        start(
            "--logging.config=" + structured,
            "--logging.structured.format.file=ecs",
            "--logging.structured.format.console=logstash")) {
      order(shop.awaitPort("app.log", STARTED), "17", "pears");
      await()
          .atMost(ForkedApp.PATIENCE)
          .until(() -> Files.readString(log).contains("\"message\":\"order 17 pears\""));
      assertThat(LogFiles.lines(log)).allMatch(line -> line.matches("\\{.*\"ecs\":.*}"));
      await()
          .atMost(ForkedApp.PATIENCE)
          .until(() -> shop.output().matches("(?s).*\"@version\":\"1\",\"message\":\"order 17.*"));
    }
  }

  @Test
  void shouldStartOnAFullDiskAndWriteOnceThereIsRoom() throws Exception {
    Pattern console = Pattern.compile("Tomcat started on port");
    try (Tmpfs disk = new Tmpfs(directory.resolve("logs"), "64k")) {
      Path ballast = disk.fill();
      try (ForkedApp shop = start()) {
        await().atMost(ForkedApp.PATIENCE).until(() -> console.matcher(shop.output()).find());
        assertThat(shop.output()).doesNotContain("Logback configuration error");
        Files.delete(ballast);
        shop.awaitPort("app.log", STARTED);
        shop.terminate();
        shop.awaitEnd();
      }
    }
  }

  private ForkedApp start(String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of("--server.port=0"));
    all.addAll(List.of(arguments));
    return ForkedApp.start(directory, List.of(), ShopApplication.class, all.toArray(String[]::new));
  }

  private static void order(int port, String id, String note) throws Exception {
    assertThat(post(port, "/orders/" + id, note)).isEqualTo(200);
  }

  private static int post(int port, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
            .header("Content-Type", "text/plain; charset=UTF-8")
            .POST(BodyPublishers.ofString(body))
            .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
  }

  @Test
  @Tag("once") // the XML is the same with the next Spring Boot
  void shouldKeepTwoWeeksAndFiveGigabytesByTheExamplesProperties() throws Exception {
    Path logs = directory.resolve("logs");
    rollOver(OldArchives.beyondHistory(logs, ARCHIVES, 14));
    long cap = FileSize.valueOf("5GB").getSize();
    rollOver(OldArchives.beyondCap(logs, ARCHIVES, cap));
  }

  @Test
  @Tag("once") // the XML is the same with the next Spring Boot
  void shouldKeepAWeekWithoutProperties() throws Exception {
    rollOver(
        OldArchives.beyondHistory(directory.resolve("logs"), ARCHIVES, 7),
        "--spring.config.name=none");
  }

  @ParameterizedTest
  @CsvSource({"100MB, spring.config.name=application", "10MB, spring.config.name=none"})
  @Tag("once") // the XML is the same with the next Spring Boot
  void shouldRollOverAtTheSizeOfTheExamplesPropertiesOrElseOfTheXml(String size, String config)
      throws Exception {
    long limit = FileSize.valueOf(size).getSize();
    assertThat(startOn(limit - ROOM, config)).as("below " + size).isFalse();
    assertThat(startOn(limit, config)).as("at " + size).isTrue();
  }

  /** Whether the first lines of a start, behind so much, begin a new file. */
  private boolean startOn(long length, String config) throws Exception {
    Path log = SparseFile.create(directory.resolve("logs/app.log"), length);
    try (ForkedApp shop = start("--" + config)) {
      await()
          .atMost(ForkedApp.PATIENCE)
          .ignoreExceptions() // while the next one is not there yet
          .until(() -> Files.size(log) != length);
      shop.terminate();
      shop.awaitEnd();
    }
    return Files.size(log) < length;
  }

  /** By the first event, as the active file is of yesterday. */
  private void rollOver(OldArchives archives, String... arguments) throws Exception {
    Path log = Files.writeString(directory.resolve("logs/app.log"), "of yesterday\n");
    Files.setLastModifiedTime(log, FileTime.from(Instant.now().minus(1, ChronoUnit.DAYS)));
    try (ForkedApp shop = start(arguments)) {
      archives.awaitSurplusGone();
      shop.terminate();
      shop.awaitEnd();
    }
    archives.removeKept();
  }
}
