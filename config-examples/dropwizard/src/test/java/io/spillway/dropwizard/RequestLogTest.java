package io.spillway.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.examples.testkit.ForkedApp;
import io.spillway.examples.testkit.HttpLoad;
import io.spillway.examples.testkit.LogFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
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
import java.util.zip.GZIPOutputStream;
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
  private static final int KEPT_DAYS = 10; // archivedFileCount is 14
  private static final int OVER_CAP_DAYS = 12;
  private static final int EXPIRED_DAYS = 20;
  private static final int CLIENTS = 32;
  private static final int SIGTERM = 128 + 15;
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  @TempDir private static Path directory;
  private static ForkedApp shop;
  private static String url;
  private static String tasks;
  private static HttpLoad orders;

  @BeforeAll
  static void start() throws IOException {
    Files.createDirectory(directory.resolve("logs"));
    for (String log : LOGS) {
      makeArchive(log, EXPIRED_DAYS, 0);
      makeArchive(log, OVER_CAP_DAYS, 30L << 30);
      makeArchive(log, KEPT_DAYS, 0);
    }
    String request = "-Ddw.server.requestLog.appenders[0].";
    List<String> overrides =
        List.of(
            "-Ddw.server.applicationConnectors[0].port=0",
            "-Ddw.server.adminConnectors[0].port=0",
            request + "maxFileSize=256KiB",
            request + "memoryBuffer=64KiB",
            "-Ddw.logging.appenders[0].maxFileSize=64KiB");
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

  /** An empty archive of an earlier day, or a sparse file of a length. */
  private static void makeArchive(String log, int daysAgo, long length) throws IOException {
    Path file = archive(log, daysAgo);
    new GZIPOutputStream(Files.newOutputStream(file)).close();
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(Math.max(length, sparse.length()));
    }
  }

  private static Path archive(String log, int daysAgo) {
    String date = LocalDate.now().minusDays(daysAgo).toString();
    return directory.resolve("logs").resolve(log + "." + date + ".0.log.gz");
  }

  private static HttpRequest order(String id) {
    return HttpRequest.newBuilder(URI.create(url + "/orders/" + id + "?note=" + note(id)))
        .header("Referer", "http://shop/" + id)
        .header("User-Agent", "agent-" + id)
        .POST(BodyPublishers.noBody())
        .build();
  }

  private static String note(String id) {
    return (id + ".").repeat(60);
  }

  @Test
  @Order(1)
  void shouldRollOverUnderLoadAndKeepWhatTheExampleSays() throws Exception {
    orders.send(50);
    await().atMost(ForkedApp.PATIENCE).until(() -> figure("Rollovers") >= 2);
    await().atMost(ForkedApp.PATIENCE).until(() -> figure("Archived") >= 2);
    for (String log : LOGS) {
      await().atMost(ForkedApp.PATIENCE).until(() -> Files.notExists(archive(log, EXPIRED_DAYS)));
      await().atMost(ForkedApp.PATIENCE).until(() -> Files.notExists(archive(log, OVER_CAP_DAYS)));
      assertThat(archive(log, KEPT_DAYS)).exists();
      assertThat(archive(log, 0)).exists();
    }
  }

  @Test
  @Order(2)
  void shouldServeAndSpillWhileTheFileStandsStill() throws Exception {
    task("sink?gate=shut");
    orders.send(50);
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
    await().atMost(ForkedApp.PATIENCE).until(() -> orders.answered() > before + 500);
    shop.terminate();
    assertThat(shop.awaitEnd()).isEqualTo(SIGTERM);
    HttpLoad.await(clients);

    orders.assertEachLoggedOnce(requests());
    List<String> logged = matches("app", ORDER).stream().map(order -> order.group(1)).toList();
    orders.assertEachLoggedOnce(logged);
    HttpLoad.assertInOrder(logged);
    try (Stream<Path> left = Files.walk(shop.logs())) {
      assertThat(left.filter(file -> file.toString().endsWith(".seg"))).isEmpty();
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
