package io.spillway.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.examples.testkit.ForkedApp;
import io.spillway.examples.testkit.HttpLoad;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.examples.testkit.SparseFile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** One life of the application, from start to SIGTERM. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ShopTest {
  private static final Pattern STARTED = Pattern.compile("Tomcat started on port (\\d+)");
  private static final Pattern ROLLED =
      Pattern.compile("archive/shop\\.(\\d{4}-\\d{2}-\\d{2})\\.(\\d+)\\.log");
  private static final Pattern ORDER = Pattern.compile(" : order (\\d+-\\d+) (\\S+)$");
  private static final Pattern VALUE = Pattern.compile("\"value\":([0-9.E]+)");
  private static final int CLIENTS = 8;
  private static final int SIGTERM = 128 + 15;

  @TempDir private static Path directory;
  private static Path kept;
  private static Path large;
  private static Path expired;
  private static ForkedApp shop;
  private static String url;
  private static HttpLoad orders;
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static volatile int noteLength = 4_000;

  @BeforeAll
  static void start() throws IOException {
    Path archives = Files.createDirectories(directory.resolve("logs/archive"));
    LocalDate today = LocalDate.now();
    kept = archives.resolve("shop." + today.minusDays(10) + ".0.log.gz");
    new GZIPOutputStream(Files.newOutputStream(kept)).close();
    large = archives.resolve("shop." + today.minusDays(11) + ".0.log.gz");
    SparseFile.create(large, 2L << 30);
    expired = Files.createFile(archives.resolve("shop." + today.minusDays(20) + ".0.log.gz"));
    String policy = "--logging.logback.rollingpolicy.";
    shop =
        ForkedApp.start(
            directory,
            List.of(),
            ShopApplication.class,
            "--server.port=0",
            policy + "file-name-pattern=" + archives + "/shop.%d{yyyy-MM-dd}.%i.log.gz",
            policy + "max-file-size=256KB",
            policy + "max-history=12",
            policy + "total-size-cap=1GB",
            policy + "clean-history-on-start=true",
            "--logging.level.org.springframework.boot=DEBUG",
            "--logging.threshold.file=INFO",
            "--logging.charset.file=US-ASCII");
    url = "http://localhost:" + shop.awaitPort("app.log", STARTED);
    orders = new HttpLoad(CLIENTS, ShopTest::order);
  }

  @AfterAll
  static void end() {
    orders.close();
    shop.close();
  }

  private static HttpRequest order(String id) {
    return post("/orders/" + id, note(id, noteLength));
  }

  private static String note(String id, int length) {
    return (id + ";").repeat(length / (id.length() + 1));
  }

  private static HttpRequest post(String path, String body) {
    return HttpRequest.newBuilder(URI.create(url + path))
        .POST(BodyPublishers.ofString(body))
        .build();
  }

  @Test
  @Order(2)
  void shouldRollOverAndCleanUpAsThePropertiesSay() throws Exception {
    await().atMost(ForkedApp.PATIENCE).until(() -> Files.notExists(expired));
    orders.send(25);
    await().atMost(ForkedApp.PATIENCE).until(() -> metric("spillway.rollovers") >= 2);
    await().atMost(ForkedApp.PATIENCE).until(() -> Files.notExists(large));
    Files.delete(kept);
  }

  @Test
  @Order(1)
  void shouldKeepThresholdAndCharsetOfTheFile() throws Exception {
    HttpRequest accents =
        HttpRequest.newBuilder(URI.create(url + "/orders/accents"))
            .header("Content-Type", "text/plain; charset=UTF-8")
            .POST(BodyPublishers.ofString("caf\u00e9"))
            .build();
    assertThat(HTTP.send(accents, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    Path log = shop.logs().resolve("app.log");
    await().atMost(ForkedApp.PATIENCE).until(() -> Files.readString(log).contains("accents caf?"));
    assertThat(shop.output()).contains(" DEBUG ");
    assertThat(Files.readString(log)).doesNotContain(" DEBUG ");
  }

  @Test
  @Order(3)
  void shouldServeAndSpillWhileTheFileStandsStill() throws Exception {
    HTTP.send(post("/sink/shut", ""), BodyHandlers.discarding());
    noteLength = 100_000; // 12 MB in all: more than memory takes
    orders.send(15);
    await().atMost(ForkedApp.PATIENCE).until(() -> metric("spillway.spill.episodes") == 1);
    HttpResponse<String> health = get("/actuator/health");
    assertThat(health.statusCode()).isEqualTo(200);
    assertThat(health.body()).contains("DEGRADED", "events go to the spill");
    HTTP.send(post("/sink/open", ""), BodyHandlers.discarding());
    await().atMost(ForkedApp.PATIENCE).until(() -> metric("spillway.events.pending") == 0);
    assertThat(metric("spillway.events.spilled")).isPositive();
  }

  @Test
  @Order(4)
  void shouldShowTheFiguresOfTheLog() throws Exception {
    await().atMost(ForkedApp.PATIENCE).until(() -> metric("spillway.archive.backlog.files") == 0);
    List<Path> rolled = LogFiles.rolled(shop.logs(), ROLLED);
    List<String> lines = LogFiles.lines(shop.logs().resolve("app.log"), rolled);
    assertThat(lines).hasSizeGreaterThan(orders.answered());
    assertThat(metric("spillway.events.accepted")).isEqualTo(lines.size());
    assertThat(metric("spillway.events.delivered")).isEqualTo(lines.size());
    assertThat(metric("spillway.rollovers")).isEqualTo(rolled.size());
    assertThat(metric("spillway.archive.files")).isEqualTo(rolled.size());
    assertThat(metric("spillway.events.lost", "accepted:true")).isZero();
    assertThat(metric("spillway.events.lost", "accepted:false")).isZero();
    assertThat(get("/actuator/health").body())
        .containsPattern( // in either order
            "\"log\":\\{(\"status\":\"UP\",)?\"details\":\\{[^}]*\\}(,\"status\":\"UP\")?\\}")
        .contains("\"FILE\":\"UP\"", "\"CONSOLE\":\"UP\"");
  }

  @Test
  @Order(5)
  void shouldLoseNothingOnSigtermUnderLoad() throws Exception {
    noteLength = 400;
    int before = orders.answered();
    List<Future<?>> clients = orders.sendUntilRefused();
    await().atMost(ForkedApp.PATIENCE).until(() -> orders.answered() > before + 200);
    shop.terminate();
    assertThat(shop.awaitEnd()).isEqualTo(SIGTERM);
    HttpLoad.await(clients);

    List<String> logged = orderedIds();
    orders.assertEachLoggedOnce(logged);
    HttpLoad.assertInOrder(logged);
    assertThat(shop.logs().resolve("app.log.spill")).doesNotExist();
    assertThat(shop.logs().resolve("app.log.console.spill")).doesNotExist();
  }

  /** Of all orders in the log, and fails unless each has its own note. */
  private static List<String> orderedIds() throws IOException {
    List<String> ids = new ArrayList<>();
    List<Path> rolled = LogFiles.rolled(shop.logs(), ROLLED);
    for (String line : LogFiles.lines(shop.logs().resolve("app.log"), rolled)) {
      Matcher order = ORDER.matcher(line);
      if (order.find()) {
        String id = order.group(1);
        assertThat(order.group(2)).isIn(note(id, 400), note(id, 4_000), note(id, 100_000));
        ids.add(id);
      }
    }
    return ids;
  }

  private static double metric(String name, String... tags) throws Exception {
    StringBuilder path = new StringBuilder("/actuator/metrics/" + name + "?tag=appender:FILE");
    for (String tag : tags) {
      path.append("&tag=").append(tag);
    }
    String answer = get(path.toString()).body();
    Matcher value = VALUE.matcher(answer);
    assertThat(value.find()).as(answer).isTrue();
    return Double.parseDouble(value.group(1));
  }

  private static HttpResponse<String> get(String path) throws Exception {
    return HTTP.send(
        HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString());
  }
}
