package io.spillway.stress.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RequestsTest {

  private static final int CONNECTIONS = 4;
  private static final double RATE = 500;
  private static final long MILLI = 1_000_000;

  private final ExecutorService pool = Executors.newFixedThreadPool(CONNECTIONS);
  private final Queue<Long> millis = new ConcurrentLinkedQueue<>();
  private HttpServer server;

  @AfterEach
  void stop() {
    server.stop(0);
    pool.shutdownNow();
  }

  /** A client that waits for answers before it asks again would ask less, and see one long wait. */
  @Test
  void shouldCountTheWaitsOfAllRequestsThatWereDueInAStall() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    CountDownLatch stalled = new CountDownLatch(CONNECTIONS);
    Requests requests =
        requests(
            exchange -> {
              stalled.countDown();
              await(over);
              answer(exchange, 200);
            });
    long start = requests.startNanos;
    requests.start();
    await(stalled);
    await(start + 400 * MILLI);
    requests.stop(System.nanoTime());
    over.countDown();
    join(requests);

    long due = requests.due.sum();
    assertThat(due).isGreaterThanOrEqualTo((long) (0.4 * RATE));
    assertThat(requests.answered.sum()).isEqualTo(due);
    assertThat(millis).hasSize((int) due);
    assertThat(millis.stream().filter(time -> time >= 100).count())
        .as("those that were due a tenth of a second before the end of the stall or earlier")
        .isGreaterThanOrEqualTo((long) (0.29 * RATE));
  }

  @Test
  void shouldCountAnAnswerThatIsNo200AsNone() throws Exception {
    Requests requests = requests(exchange -> answer(exchange, 500));
    requests.start();
    requests.stop(requests.startNanos + 50 * MILLI);
    join(requests);

    assertThat(requests.due.sum()).isPositive();
    assertThat(requests.answered.sum()).isZero();
    assertThat(requests.failed.sum()).isEqualTo(requests.due.sum());
    assertThat(requests.failure.get()).contains("500");
  }

  /** Two threads that need 10 ms each answer 200 requests a second, of a machine that is free. */
  @Test
  @Tag("full")
  void shouldFindTheHighestRateThatAServiceKeepsUpWith() throws Exception {
    ExecutorService two = Executors.newFixedThreadPool(2);
    Requests.Target target =
        serve(
            exchange ->
                two.execute(
                    () -> {
                      await(System.nanoTime() + 10 * MILLI);
                      answer(exchange, 200);
                    }),
            40);

    assertThat(new HttpDriver.RateSearch(target, 50, 0.5).highest(80)).isBetween(80.0, 215.0);
    two.shutdownNow();
  }

  private Requests requests(HttpHandler handler) throws IOException {
    Requests.Target target = serve(handler, CONNECTIONS);
    return new Requests(
        target, RATE, 0, (due, end) -> millis.add(TimeUnit.NANOSECONDS.toMillis(end - due)));
  }

  private Requests.Target serve(HttpHandler handler, int connections) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(pool);
    server.createContext("/", handler);
    server.start();
    return new Requests.Target(server.getAddress().getPort(), connections, false);
  }

  private static void answer(HttpExchange exchange, int status) {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(status, 1);
      exchange.getResponseBody().write('!');
    } catch (IOException e) {
      exchange.close(); // the client has gone, which the test sees by its counts
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(long nanos) {
    while (System.nanoTime() < nanos) {
      LockSupport.parkNanos(nanos - System.nanoTime());
    }
  }

  private static void join(Requests requests) {
    while (!requests.isOver()) {
      Thread.onSpinWait();
    }
  }
}
