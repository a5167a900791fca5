package io.spillway.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dropwizard.util.DataSize;
import io.spillway.examples.testkit.ForkedApp;
import io.spillway.examples.testkit.HttpLoad;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.examples.testkit.OldArchives;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** One life of an application on example.yml, from start to SIGTERM. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RequestLogTest {
  private static final Pattern PORT = Pattern.compile("Started application@.*:(\\d+)}");
  private static final Pattern ADMIN_PORT = Pattern.compile("Started admin@.*:(\\d+)}");
  private static final Pattern REQUEST =
      Pattern.compile(
          "\"POST /orders/(\\d+-\\d+)\\?note=(\\S+) HTTP/1\\.1\" 200 (\\d+) \"(\\S+)\" \"(\\S+)\"");
  private static final Pattern ORDER = Pattern.compile(": order (\\d+-\\d+)$");
  private static final List<String> LOGS = List.of("access", "app");
  private static final int DAYS = 14; // archivedFileCount
  private static final long CAP = DataSize.gibibytes(20).toBytes(); // totalSizeCap
  private static final int CLIENTS = 32;
  private static final int SIGTERM = 128 + 15;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path directory;
  private static final List<OldArchives> tooOld = new ArrayList<>();
  private static ForkedApp shop;
  private static String url;
  private static String tasks;
  private static HttpLoad orders;

  @BeforeAll
  static void start() throws IOException {
    for (String log : LOGS) {
      tooOld.add(OldArchives.beyondHistory(directory.resolve("logs"), archives(log), DAYS));
    }
    String request = "-Ddw.server.requestLog.appenders[0].";
    List<String> overrides =
        List.of(
            "-Ddw.server.applicationConnectors[0].port=0",
            "-Ddw.server.adminConnectors[0].port=0",
            request + "maxFileSize=256KiB",
            "-Ddw.logging.appenders[0].maxFileSize=8KiB");
    String example = Path.of("example.yml").toAbsolutePath().toString();
    shop = ForkedApp.start(directory, overrides, ExampleApplication.class, "server", example);
    tasks = "http://localhost:" + shop.awaitPort("app.log", ADMIN_PORT) + "/tasks/";
    url = "http://localhost:" + shop.awaitPort("app.log", PORT);
    orders = new HttpLoad(CLIENTS, RequestLogTest::order);
  }

  @AfterAll
  static void end() {
    orders.close();
    shop.close();
  }

  /** Names, as a date pattern. */
  private static String archives(String log) {
    return "'" + log + ".'yyyy-MM-dd'.0.log.gz'";
  }

  private static HttpRequest order(String id) {
    return HttpRequest.newBuilder(URI.create(url + "/orders/" + id + "?note=" + note(id)))
        .header("Referer", "http://shop/" + id)
        .header("User-Agent", "agent-" + id)
        .POST(BodyPublishers.noBody())
        .build();
  }

  private static String note(String id) {
    return (id + ".").repeat(600);
  }

  @Test
  @Order(1)
  void shouldRollOverUnderLoadAndKeepWhatTheExampleSays() throws Exception {
    orders.send(10);
    await().atMost(ForkedApp.PATIENCE).until(() -> figure("Rollovers") >= 2);
    await().atMost(ForkedApp.PATIENCE).until(() -> figure("Archived") >= 2);
    awaitDeleted(tooOld);
    List<OldArchives> tooMuch = new ArrayList<>();
    for (String log : LOGS) {
      assertThat(shop.logs().resolve(log + "." + LocalDate.now() + ".0.log.gz")).exists();
      tooMuch.add(OldArchives.beyondCap(shop.logs(), archives(log), CAP));
    }
    orders.send(10);
    awaitDeleted(tooMuch);
  }

  private static void awaitDeleted(List<OldArchives> archives) throws IOException {
    archives.forEach(OldArchives::awaitSurplusGone);
    for (OldArchives each : archives) {
      each.removeKept();
    }
  }

  @Test
  @Order(2)
  void shouldServeAndSpillWhileTheFileStandsStill() throws Exception {
    task("sink?gate=shut");
    orders.send(10);
    await().atMost(ForkedApp.PATIENCE).until(() -> figure("SpillEpisodes") == 1);
    assertThat(task("figure?of=Health")).isEqualTo("DEGRADED");
    task("sink?gate=open");
    await().atMost(ForkedApp.PATIENCE).until(() -> figure("SpillBytes") == 0);
    assertThat(figure("Spilled")).isPositive();
    assertThat(figure("Lost") + figure("Dropped")).isZero();
  }

  @Test
  @Order(3)
  void shouldLoseNothingOnSigtermUnderLoad() throws Exception {
    int before = orders.answered();
    List<Future<?>> clients = orders.sendUntilRefused();
    await().atMost(ForkedApp.PATIENCE).until(() -> orders.answered() > before + 200);
    shop.terminate();
    assertThat(shop.awaitEnd()).isEqualTo(SIGTERM);
    HttpLoad.await(clients);

    orders.assertEachLoggedOnce(requests());
    List<String> logged = matches("app", ORDER).stream().map(order -> order.group(1)).toList();
    orders.assertEachLoggedOnce(logged);
    HttpLoad.assertInOrder(logged);
    try (Stream<Path> left = Files.walk(shop.logs())) {
      assertThat(left.filter(file -> file.toString().endsWith(".bytes"))).isEmpty();
    }
  }

  /** IDs of the request log; fails unless each line has the data of one request only. */
  private static List<String> requests() throws IOException {
    List<String> ids = new ArrayList<>();
    for (Matcher request : matches("access", REQUEST)) {
      String id = request.group(1);
      assertThat(request.group(2)).isEqualTo(note(id));
      assertThat(request.group(3)).isEqualTo("" + OrderResource.answer(id).length());
      assertThat(request.group(4)).isEqualTo("http://shop/" + id);
      assertThat(request.group(5)).isEqualTo("agent-" + id);
      ids.add(id);
    }
    return ids;
  }

  private static List<Matcher> matches(String log, Pattern line) throws IOException {
    Pattern names = Pattern.compile(log + "\\.(\\d{4}-\\d{2}-\\d{2})\\.(\\d+)\\.log");
    List<Path> rolled = LogFiles.rolled(shop.logs(), names);
    return LogFiles.lines(shop.logs().resolve(log + ".log"), rolled).stream()
        .map(line::matcher)
        .filter(Matcher::find)
        .toList();
  }

  private static long figure(String attribute) throws Exception {
    return Long.parseLong(task("figure?of=" + attribute));
  }

  private static String task(String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(tasks + path)).POST(BodyPublishers.noBody()).build();
    HttpResponse<String> answer = HTTP.send(request, BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body();
  }
}
