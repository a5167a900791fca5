package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.spillway.examples.testkit.LogFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store behind HTTP that refuses at first: the sender tries again, and the file has it anyway.
 */
@Timeout(120)
class LokiTest {
  private static final int EVENTS = 100;
  private static final int REFUSED = 2;
  private static final Pattern EVENT = Pattern.compile("event \\d+");

  @TempDir Path logs;

  @Test
  void shouldSendWhatWasRefusedAtFirst() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    ConcurrentLinkedQueue<String> bodies = new ConcurrentLinkedQueue<>();
    HttpServer loki =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    loki.createContext(
        "/loki/api/v1/push",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          boolean refused = requests.incrementAndGet() <= REFUSED;
          if (!refused) {
            bodies.add(body);
          }
          exchange.sendResponseHeaders(refused ? 503 : 204, -1);
          exchange.close();
        });
    loki.start();
    String url = "http://localhost:" + loki.getAddress().getPort();
    Map<String, String> places = Map.of("LOG_DIR", "" + logs, "LOKI_URL", url);
    Traffic traffic;
    try (Example example = new Example("loki/logback.xml", places)) {
      example.expect("Loki responded with non-success status 503");
      example.expect("Retry #1. Loki responded with non-success status 503");
      traffic = new Traffic(example.root());
      traffic.log(EVENTS);
      await().atMost(Example.PATIENCE).until(() -> received(bodies) == EVENTS);
    } finally {
      loki.stop(0);
    }
    assertThat(requests).hasValueGreaterThan(REFUSED);
    traffic.assertComplete(LogFiles.lines(logs.resolve("app.log")));
  }

  private static long received(Iterable<String> bodies) {
    return EVENT.matcher(String.join("\n", bodies)).results().count();
  }
}
